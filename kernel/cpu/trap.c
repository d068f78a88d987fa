/*
 * trap.c - what each trap means.
 *
 * Interrupts arrive only in user mode, in the halt of an idle task or where a long call breathes,
 * without the kernel lock; exceptions from the kernel only where user memory is copied: everything
 * else is a bug of ours, and a panic. Who comes from outside the kernel takes the kernel lock
 * first; an NMI, a debug trap and the two messages between CPUs never do, so that they get through
 * whatever the lock's holder is up to.
 */
#include "cpu/trap.h"
#include "cpu/apic.h"
#include "cpu/fpu.h"
#include "cpu/offsets.h"
#include "cpu/pda.h"
#include "cpu/pic.h"
#include "cpu/smp.h"
#include "cpu/timer.h"
#include "cpu/tlb.h"
#include "cpu/uart.h"
#include "cpu/x86.h"
#include "fs/console.h"
#include "lib/errno.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "mm/space.h"
#include "mm/swap.h"
#include "monitor/shell/monitor.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sched/lock.h"
#include "sched/sched.h"
#include "telemetry.h"

_Static_assert(offsetof(struct pda, task) == PDA_TASK, "offsets.h");
_Static_assert(offsetof(struct pda, need_resched) == PDA_NEED_RESCHED, "offsets.h");
_Static_assert(offsetof(struct thread_info, task) == THREAD_TASK, "offsets.h");
_Static_assert(offsetof(struct thread_info, pda) == THREAD_PDA, "offsets.h");
_Static_assert(offsetof(struct thread_info, cpu) == THREAD_CPU, "offsets.h");
_Static_assert(offsetof(struct task, esp) == TASK_ESP, "offsets.h");
_Static_assert(offsetof(struct task, sig_pending) == TASK_SIG_PENDING, "offsets.h");
_Static_assert(offsetof(struct task, sig_blocked) == TASK_SIG_BLOCKED, "offsets.h");
_Static_assert(offsetof(struct task, syscalls) == TASK_SYSCALLS, "offsets.h");
_Static_assert(offsetof(struct task, segments.base) == TASK_WINDOW, "offsets.h");
_Static_assert(offsetof(struct tss, esp0) == TSS_ESP0, "offsets.h");
_Static_assert(offsetof(struct trapframe, edi) == FRAME_EDI, "offsets.h");
_Static_assert(offsetof(struct trapframe, ebp) == FRAME_EBP, "offsets.h");
_Static_assert(offsetof(struct trapframe, edx) == FRAME_EDX, "offsets.h");
_Static_assert(offsetof(struct trapframe, ecx) == FRAME_ECX, "offsets.h");
_Static_assert(offsetof(struct trapframe, eip) == FRAME_EIP, "offsets.h");
_Static_assert(offsetof(struct trapframe, esp) == FRAME_ESP, "offsets.h");
_Static_assert(offsetof(struct trapframe, eax) == FRAME_EAX, "offsets.h");
_Static_assert(offsetof(struct trapframe, cs) == FRAME_CS, "offsets.h");
_Static_assert(offsetof(struct trapframe, eflags) == FRAME_EFLAGS, "offsets.h");
_Static_assert(sizeof(struct trapframe) == FRAME_BYTES, "offsets.h");

uint32_t debug_control;

/* Called from entry.S. */
void trap_dispatch(struct trapframe *f);
void leave_kernel(struct trapframe *f);
void trap_bad_return(struct trapframe *f);

/* What an exception in user code says, and the signal it becomes. */
static const struct {
	const char *name, *what;
	int signal;
} exceptions[] = {
	[TRAP_DIVIDE] = { "divide error", "division by zero or overflow", SIGFPE },
	[TRAP_DEBUG] = { "debug", "single step", SIGTRAP },
	[TRAP_NMI] = { "NMI", NULL, 0 },
	[TRAP_BREAKPOINT] = { "breakpoint", "breakpoint instruction", SIGTRAP },
	[TRAP_OVERFLOW] = { "overflow", "overflow trap", SIGSEGV },
	[TRAP_BOUND] = { "bound", "array bound exceeded", SIGSEGV },
	[TRAP_OPCODE] = { "invalid opcode", "invalid instruction", SIGILL },
	[TRAP_NO_FPU] = { "no FPU", "floating point without an FPU", SIGFPE },
	[TRAP_DOUBLE] = { "double fault", NULL, 0 },
	[TRAP_TSS] = { "invalid TSS", "invalid task segment", SIGSEGV },
	[TRAP_SEGMENT] = { "segment not present", "segment not present", SIGSEGV },
	[TRAP_STACK] = { "stack fault", "stack segment limit or selector", SIGSEGV },
	[TRAP_PROTECTION] = { "protection fault",
			      "privileged instruction, or beyond a segment's limit", SIGSEGV },
	[TRAP_PAGE] = { "page fault", NULL, SIGSEGV },
	[TRAP_FPU] = { "FPU error", "floating-point exception", SIGFPE },
	[TRAP_ALIGN] = { "alignment check", "unaligned access", SIGBUS },
	[TRAP_MACHINE] = { "machine check", NULL, 0 },
	[TRAP_SIMD] = { "SIMD error", "floating-point exception", SIGFPE },
};

const char *trap_name(uint32_t trap)
{
	if (trap < ARRAY_SIZE(exceptions) && exceptions[trap].name)
		return exceptions[trap].name;
	return trap == TRAP_SYSCALL ? "system call"
	       : trap >= TRAP_IRQ0  ? "interrupt"
				    : "reserved trap";
}

struct extable_entry {
	uint32_t at, to;
};

extern const struct extable_entry extable_start[], extable_end[];

uint32_t extable_find(uint32_t eip)
{
	for (const struct extable_entry *e = extable_start; e < extable_end; e++)
		if (e->at == eip)
			return e->to;
	return 0;
}

/* --- page faults ---------------------------------------------------------- */

/* In plain words what the program tried, for the line that reports its death. */
static void describe_fault(char *buf, size_t size, struct trapframe *f, uint32_t linear, int error)
{
	struct space *s = current->space;
	uaddr_t addr = linear - s->base;
	const char *verb = f->error & PF_WRITE ? "write to"
			   : f->eip == addr    ? "jump to"
					       : "read of";
	struct area *code = space_area(s, f->eip), *a = space_area(s, addr);
	uaddr_t top = space_stack_top(s);

	if (error == -ENOMEM)
		snprintf(buf, size, "no memory for the page at 0x%08x", addr);
	else if (error == -EIO)
		snprintf(buf, size, "the page at 0x%08x could not be read from %s", addr,
			 space_is_swapped(s, addr) ? "the swap area" : "its file");
	else if (code && !(code->flags & AREA_EXEC))
		snprintf(buf, size, "jump into data: ran code at 0x%08x, %s 0x%08x", f->eip, verb,
			 addr);
	else if (addr < PAGE_SIZE)
		snprintf(buf, size, "null dereference: %s 0x%08x", verb, addr);
	else if (linear >= KERNEL_BASE)
		snprintf(buf, size, "%s kernel memory at 0x%08x", verb, linear);
	else if (!a && addr < top - STACK_LIMIT && addr >= top - STACK_LIMIT - (1u << 20))
		snprintf(buf, size, "stack overflow: %s 0x%08x, over %u KB below the top", verb,
			 addr, STACK_LIMIT >> 10);
	else if (a && f->error & PF_WRITE)
		snprintf(buf, size, "write to read-only memory at 0x%08x", addr);
	else
		snprintf(buf, size, "%s 0x%08x, where nothing is mapped", verb, addr);
}

static void page_fault(struct trapframe *f)
{
	uint32_t linear = read_cr2(), fixup;
	struct space *s = current->space;
	int error = -EFAULT;

	pda_read(stats)->page_faults++;
	if (s && linear - s->base < s->limit && linear < KERNEL_BASE) {
		error = space_resolve(s, linear - s->base, f->error);
		if (!error)
			return;
	}
	if (frame_from_user(f)) {
		char what[96];

		if (current->oom_killed) /* dies on the way out */
			return;
		current->fault_addr = s ? linear - s->base : linear;
		describe_fault(what, sizeof(what), f, linear, error);
		proc_fault(f, error == -EIO ? SIGBUS : SIGSEGV, what);
		return;
	}
	fixup = extable_find(f->eip);
	if (!fixup)
		panic_at(f, "page fault in the kernel: %s 0x%08x",
			 f->error & PF_WRITE ? "write to" : "read of", linear);
	f->eip = fixup;
}

/* --------------------------------------------------------------------------- */

static void user_exception(struct trapframe *f)
{
	if (f->trap == TRAP_NO_FPU) {
		int error;

		do {
			error = fpu_use();
		} while (error == -ENOMEM && memory_make_room());
		if (!error || current->oom_killed)
			return;
	}
	if (f->trap >= ARRAY_SIZE(exceptions) || !exceptions[f->trap].what)
		panic_at(f, "%s in user mode", trap_name(f->trap));
	proc_fault(f, exceptions[f->trap].signal, exceptions[f->trap].what);
}

static void kernel_exception(struct trapframe *f)
{
	uint32_t fixup = extable_find(f->eip);

	if (!fixup)
		panic_at(f, "%s in the kernel, error code 0x%x", trap_name(f->trap), f->error);
	f->eip = fixup;
}

static void timer_tick(struct trapframe *f)
{
	console_deliver(f);
	sched_tick(frame_from_user(f));
}

/* Interrupts that need the lock. */
static void interrupt(struct trapframe *f)
{
	pda_read(stats)->interrupts++;
	if (f->trap == TRAP_APIC_TIMER)
		timer_tick(f);
	else if (f->trap >= TRAP_IRQ0 && f->trap < TRAP_IRQ0 + 16)
		pic_dispatch(f->trap - TRAP_IRQ0, f);
}

/* Messages and traps that must not wait for the lock.  True: that was all. */
static bool without_lock(struct trapframe *f)
{
	switch (f->trap) {
	case TRAP_NMI:
		smp_nmi(f);
		return true;
	case TRAP_DEBUG:
	case TRAP_BREAKPOINT:
		return monitor_enter(MON_DEBUG, f);
	case TRAP_SHOOTDOWN:
		tlb_answer();
		apic_eoi();
		return true;
	case TRAP_RESCHED:
		apic_eoi();
		return !frame_from_user(f); /* an idle task looks at the queue anyway */
	case TRAP_APIC_TIMER:
		apic_eoi();
		timer_count(f);
		return false;
	case TRAP_SPURIOUS:
		return true;
	}
	return false;
}

static void check_stack(struct trapframe *f)
{
	struct thread_info *ti = (struct thread_info *)((uint32_t)f & ~(STACK_SIZE - 1));

	if (ti->magic == STACK_MAGIC && (uint32_t)f - (uint32_t)ti >= STACK_SIZE / 8)
		return;
	thread_info_mend();
	panic_at(f, "kernel stack overflow");
}

void trap_dispatch(struct trapframe *f)
{
	bool user = frame_from_user(f);

	if (without_lock(f))
		return;
	if (!user && f->trap < TRAP_IRQ0) {
		check_stack(f);
		if (f->trap == TRAP_PAGE)
			page_fault(f);
		else
			kernel_exception(f);
		return;
	}
	kernel_lock();
	if (f->trap >= TRAP_IRQ0)
		interrupt(f);
	else if (f->eflags & EFLAGS_VM)
		proc_fault(f, SIGSEGV, "virtual-8086 mode");
	else if (f->trap == TRAP_PAGE)
		page_fault(f);
	else
		user_exception(f);
	if (user)
		leave_kernel(f);
	kernel_unlock();
}

/* Back to user mode: whatever became due meanwhile comes first.  Kernel lock held. */
void leave_kernel(struct trapframe *f)
{
	for (;;) {
		if (pda_read(need_resched))
			schedule();
		else if (signal_pending(current))
			signal_deliver(f);
		else
			return;
	}
}

/* The frame that was to lead back to user mode cannot be loaded: the program made it so. */
void trap_bad_return(struct trapframe *f)
{
	kernel_lock();
	proc_fault(f, SIGSEGV, "return to user mode with invalid registers");
	leave_kernel(f);
	kernel_unlock();
}
