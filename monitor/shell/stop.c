/*
 * stop.c - how the kernel enters the monitor, and the world that stands still.
 *
 * A stop happens on one CPU (Ctrl-] twice, a debug trap, a panic); it stops the others by NMI and
 * runs the prompt on a stack of its own, with interrupts off, without locks.  Of two CPUs that stop
 * at the same time one waits, and is stopped by the other's NMI while it does.
 *
 * Ctrl-] comes by an interrupt, whose handler has not ended when the prompt appears.  A step must
 * let it end first, and that may need the others (it waits for the kernel lock): so the world runs
 * until the interrupted task has done its instruction.  All other steps leave the others stopped.
 *
 * The debug registers of a CPU are off in a debug trap and while the prompt runs: a breakpoint in
 * what the monitor itself calls must not stop the monitor.
 */
#include "cpu/pda.h"
#include "cpu/power.h"
#include "cpu/smp.h"
#include "cpu/tlb.h"
#include "cpu/uart.h"
#include "cpu/x86.h"
#include "fs/console.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/debug.h"
#include "monitor/shell/gates.h"
#include "monitor/shell/hang.h"
#include "monitor/shell/panicview.h"
#include "monitor/shell/probe.h"
#include "monitor/shell/prompt.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"
#include "monitor/shell/step.h"
#include "sched/task.h"

struct trapframe *stop_frame;
struct task *monitor_task;

static struct session halted = { .stopped = true };

/* The prompt's stack.  Its thread_info says what the interrupted stack's says, for `current`. */
static union {
	struct thread_info info;
	char bytes[STACK_SIZE];
} stack __attribute__((aligned(STACK_SIZE), section(".bss.stacks")));

static bool world_stopped;	/* by this CPU */
static bool leaving;		/* go or step was given */
static const char *trap_reason; /* of a trap that the monitor makes on purpose */
static const char *reason;

/* A step that waits for the end of a handler. */
static struct {
	const struct task *task; /* NULL: none */
	uint32_t steps;		 /* 0: not wanted any more */
} later;

void on_stack(void (*fn)(void *arg), void *arg, void *top);

static bool on_monitor_stack(void)
{
	return current_thread_info() == &stack.info;
}

/* Every CPU that is let go passes here. */
static void let_go(void)
{
	debug_load();
	probe_here();
	hang_here();
}

static void stop_others(void)
{
	uint32_t missing;

	if (world_stopped)
		return;
	while (!smp_stop_begin()) {
		tlb_answer(); /* who stops the world may be waiting for our flush */
		cpu_pause();
	}
	missing = smp_stop();
	world_stopped = true;
	if (missing)
		kprintf("\n%u CPU(s) did not answer the stop\n", missing);
}

static void prompt_until_left(void *frame)
{
	struct session *was = mon;

	stop_frame = frame;
	mon = &halted;
	leaving = false;
	out_begin(NULL, true);
	out("%s-- stopped: %s --\nCPU %u, %u %s: ", steps_left ? "" : "\n", reason, pda_read(cpu),
	    current->pid, current->name);
	out_place(stop_frame->eip, frame_from_user(stop_frame) ? current : NULL);
	out("\n");
	out_end();
	while (!leaving)
		prompt_once("klaava (stopped)> ");
	mon = was;
}

static void resume_all(void)
{
	world_stopped = false;
	smp_resume();
	debug_load();
}

/*
 * Run the prompt; then let the world go on, or only this CPU, one instruction.  `in_handler`: `f`
 * is not what we return to at once.
 */
static void stopped(struct trapframe *f, const char *why, bool in_handler)
{
	tlb_woke();
	stop_others();
	reason = why;
	do {
		stack.info = *current_thread_info();
		on_stack(prompt_until_left, f, stack.bytes + sizeof(stack));
		reason = "a halt: stepped over, since no interrupt comes while stopped";
	} while (steps_left && !in_handler && !step_begin(f));
	if (steps_left && in_handler) {
		later.task = current;
		later.steps = steps_left;
		steps_left = 0;
		f->eflags |= EFLAGS_TF;
		resume_all();
	} else if (steps_left) {
		debug_load();
	} else {
		later.steps = 0;
		f->eflags |= EFLAGS_RF; /* the instruction we stand on may have a breakpoint */
		resume_all();
		prompt_redraw();
	}
}

/* --- the kernel's calls ------------------------------------------------------- */

/* A step came back; true if there are more to do without asking. */
static bool next_step(struct trapframe *f, uint32_t status, const char **why)
{
	static char text[64];
	const char *into = step_end(f);

	*why = status & DR6_HITS ? debug_hit(status) : NULL;
	if (into) {
		snprintf(text, sizeof(text), "the step led to the handler of %s", into);
		*why = text;
	}
	if (--steps_left && !*why && step_begin(f))
		return true;
	if (!*why)
		*why = "step";
	steps_left = 0;
	return false;
}

/* The handler has ended, and the task that waited for it has done an instruction.  True: go on. */
static bool later_step(struct trapframe *f, const char **why)
{
	later.task = NULL;
	f->eflags &= ~EFLAGS_TF;
	if (!later.steps)
		return true;
	stop_others();
	steps_left = later.steps - 1;
	if (steps_left && step_begin(f))
		return true;
	steps_left = 0;
	*why = "step";
	return false;
}

/* The rest of its handler may end in another task: what follows is no debug trap any more. */
static bool users_own(void)
{
	debug_on();
	return false;
}

/* A breakpoint.  Another CPU may stop the world before us, and it be deleted meanwhile. */
static const char *hit(uint32_t status)
{
	const char *why;

	if (!debug_is_hit(status))
		return NULL;
	stop_others();
	why = debug_hit(status);
	if (!why)
		resume_all();
	return why;
}

/* #DB or #BP.  False: a user program's own. */
static bool debug_trap(struct trapframe *f)
{
	uint32_t status = debug_status();
	const char *why = NULL;

	if (steps_left) {
		if (next_step(f, status, &why))
			return true;
	} else if ((status & DR6_STEP) && later.task == current) {
		if (later_step(f, &why))
			return true;
	} else if (f->trap == TRAP_BREAKPOINT) {
		if (frame_from_user(f))
			return users_own();
		why = trap_reason ? trap_reason : "a breakpoint instruction in the kernel";
		trap_reason = NULL;
	} else if (status & DR6_HITS) {
		why = hit(status);
	} else if (frame_from_user(f)) {
		return users_own();
	}
	if (!why) { /* another process at the same address, or a stray flag */
		f->eflags = (f->eflags | EFLAGS_RF) & ~EFLAGS_TF;
		return true;
	}
	stopped(f, why, false);
	return true;
}

static noreturn void panic_end(void)
{
	if (batch)
		power_off(EXIT_PANIC);
	for (;;)
		hlt();
}

static void panic_session(void *frame)
{
	panic_report(frame);
	if (batch)
		panic_end();
	reason = "panic";
	for (;;)
		prompt_until_left(frame); /* go and step are refused: see cmd_go */
}

static noreturn void panicked(struct trapframe *f)
{
	static uint32_t panics;

	debug_off();
	gates_use(false);
	if (panics++) {
		klog("panic: again, at %08x, while reporting one: giving up\n", f ? f->eip : 0);
		panic_end();
	}
	steps_left = 0;
	if (!world_stopped && cpu_count > 1) {
		/* Whoever is stopping us already lets go some day; do not wait for ever. */
		for (uint32_t i = 0; i < 1000000 && !smp_stop_begin(); i++)
			cpu_pause();
		smp_stop();
	}
	world_stopped = true;
	thread_info_mend(); /* whatever the panic is about */
	stack.info = *current_thread_info();
	if (on_monitor_stack())
		panic_session(f);
	else
		on_stack(panic_session, f, stack.bytes + sizeof(stack));
	panic_end();
}

/* Stop where we are, without a frame yet. */
static void trap_here(const char *why)
{
	trap_reason = why;
	asm volatile("int3");
}

bool monitor_enter(enum monitor_reason why, struct trapframe *f)
{
	switch (why) {
	case MON_BOOT:
		smp_on_resume = let_go;
		monitor_start();
	case MON_ATTENTION:
		prompt_attention();
		return true;
	case MON_STOP:
		if (!f) { /* while it waits for the kernel lock: a trap makes a frame */
			trap_here("Ctrl-] twice");
			return true;
		}
		debug_off();
		stopped(f, "Ctrl-] twice", true);
		debug_on();
		return true;
	case MON_DEBUG:
		return debug_trap(f);
	case MON_PANIC:
		panicked(f);
	}
	return false;
}

/* --- the commands -------------------------------------------------------------- */

int cmd_stop(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("stop");
	lines_load(); /* while the disk can be read */
	trap_here("by command");
	return 0;
}

static int leave(const char *name)
{
	if (!mon->stopped)
		return fail("%s: the world runs; stop it first", name);
	if (panic_message[0])
		return fail("%s: the kernel cannot go on after a panic; reboot or poweroff", name);
	leaving = true;
	return 0;
}

int cmd_go(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("go");
	steps_left = 0;
	return leave("go");
}

int cmd_step(int argc, char **argv)
{
	uint32_t n = 1;

	if (argc > 2)
		return usage("step");
	if (argc == 2 && (!arg_number(argv[1], &n) || !n))
		return 1;
	if (leave("step"))
		return 1;
	steps_left = n;
	return 0;
}
