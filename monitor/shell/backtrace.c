/*
 * backtrace.c - who called whom, and what was in the registers.
 *
 * The kernel and our programs keep frame pointers: %ebp points to the caller's %ebp, the return
 * address lies above it.  Nothing is followed that is not readable memory and further up the stack,
 * so a smashed stack ends the trace and nothing else.
 */
#include "cpu/pda.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

#define DEPTH 24

/* What schedule() leaves on the stack of a task that does not run: sched/switch.S. */
struct switch_frame {
	uint32_t edi, esi, ebx, ebp, eip;
};

/* One call, as a line or as a record; `put` says where to. */
static void put_call(uint32_t eip, const char *name, const char *line, const char *mode,
		     void (*put)(const char *fmt, ...))
{
	if (put == out && mon->keys)
		out("eip=0x%08x mode=%s symbol=%s line=%s\n", eip, mode, *name ? name : "-",
		    *line ? line : "-");
	else if (*line)
		put("  %08x %-32s %s\n", eip, name, line);
	else
		put("  %08x %s\n", eip, name);
}

void backtrace_kernel(uint32_t eip, uint32_t ebp, void (*put)(const char *fmt, ...))
{
	char name[SYM_TEXT], line[64];
	uint32_t frame[2];

	for (uint32_t i = 0; i < DEPTH; i++) {
		/* A return address may lie behind the last instruction of its function. */
		symbol_text(i ? eip - 1 : eip, name, sizeof(name));
		line_text(i ? eip - 1 : eip, line, sizeof(line));
		put_call(eip, name, line, "kernel", put);
		if (ebp % 4 || !peek_kernel(ebp, frame, sizeof(frame)))
			return;
		eip = frame[1];
		if (eip < KERNEL_BASE || (frame[0] && frame[0] <= ebp))
			return;
		ebp = frame[0];
	}
}

void backtrace_user(const struct task *t, uint32_t eip, uint32_t ebp)
{
	char name[SYM_TEXT], text[TASK_NAME + SYM_TEXT];
	uint32_t frame[2];

	for (uint32_t i = 0; i < DEPTH; i++) {
		program_text(t->name, i ? eip - 1 : eip, name, sizeof(name));
		snprintf(text, sizeof(text), "%s%s%s", t->name, *name ? ":" : "", name);
		put_call(eip, text, "", "user", out);
		if (ebp % 4 || !peek_user(t->space, ebp, frame, sizeof(frame)))
			return;
		eip = frame[1];
		if (!eip || frame[0] <= ebp)
			return;
		ebp = frame[0];
	}
}

/* A task whose registers are in `f`: kernel part if it was in the kernel, then user part. */
static void backtrace_frame(const struct task *t, const struct trapframe *f)
{
	if (!frame_from_user(f)) {
		backtrace_kernel(f->eip, f->ebp, out);
		if (!t->space)
			return;
		f = task_frame((struct task *)t);
	}
	if (!t->space)
		return;
	if (!mon->keys)
		out("  -- user mode --\n");
	if (!mon->stopped)
		program_load(t->name); /* without: addresses only */
	backtrace_user(t, f->eip, f->ebp);
}

static const struct trapframe *stopped_frame(const struct task *t)
{
	for (uint32_t i = 0; i < cpu_count; i++) {
		struct pda *p = pda_of[i];

		if (p && p->task == t)
			return p == this_pda() ? stop_frame : p->stopped;
	}
	return NULL;
}

int cmd_bt(int argc, char **argv)
{
	const struct trapframe *f;
	struct switch_frame saved;
	const struct task *t;

	if (argc > 2 || (argc == 1 && !mon->stopped))
		return usage("bt");
	if (argc == 1) {
		backtrace_frame(current, stop_frame);
		return 0;
	}
	t = arg_task(argv[1]);
	if (!t)
		return 1;
	if (t->on_cpu) {
		f = mon->stopped ? stopped_frame(t) : NULL;
		if (!f && t != monitor_task)
			return fail("%u: running on CPU %u; stop the world to see where", t->pid,
				    t->cpu);
		if (f)
			backtrace_frame(t, f);
		else
			backtrace_kernel((uint32_t)cmd_bt, (uint32_t)__builtin_frame_address(0),
					 out);
		return 0;
	}
	if (!peek_kernel(t->esp, &saved, sizeof(saved)))
		return fail("%u: its saved stack pointer %08x is not readable", t->pid, t->esp);
	backtrace_kernel(saved.eip, saved.ebp, out);
	if (t->space)
		backtrace_frame(t, task_frame((struct task *)t));
	return 0;
}

/* --- registers ---------------------------------------------------------------- */

/* Made by hand (panic), not by a trap: PUSHA would have stored where it stood. */
static bool frame_by_hand(const struct trapframe *f)
{
	return f->esp_unused != (uint32_t)&f->trap;
}

/* The stack pointer at the trap: the processor pushes it only when it came from user mode. */
static uint32_t frame_esp(const struct trapframe *f)
{
	if (frame_from_user(f))
		return f->esp;
	return frame_by_hand(f) ? f->esp_unused : (uint32_t)&f->esp;
}

static const char *flag_text(uint32_t eflags, char buf[32])
{
	static const struct {
		uint32_t bit;
		const char *name;
	} flags[] = {
		{ EFLAGS_CF, "CF" }, { 1u << 2, "PF" },	  { 1u << 6, "ZF" },   { 1u << 7, "SF" },
		{ EFLAGS_TF, "TF" }, { EFLAGS_IF, "IF" }, { EFLAGS_DF, "DF" }, { 1u << 11, "OF" },
		{ EFLAGS_NT, "NT" }, { EFLAGS_RF, "RF" },
	};
	uint32_t n = 0;

	buf[0] = 0;
	for (uint32_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (eflags & flags[i].bit)
			n += snprintf(buf + n, 32 - n, "%s%s", n ? " " : "", flags[i].name);
	return buf;
}

void show_frame(const struct trapframe *f, void (*put)(const char *fmt, ...))
{
	char name[SYM_TEXT], flags[32];
	uint32_t ss = frame_from_user(f) ? f->ss : KERNEL_DS;

	put("eax %08x  ebx %08x  ecx %08x  edx %08x\n", f->eax, f->ebx, f->ecx, f->edx);
	put("esi %08x  edi %08x  ebp %08x  esp %08x\n", f->esi, f->edi, f->ebp, frame_esp(f));
	put("eip %08x  eflags %08x (%s)\n", f->eip, f->eflags, flag_text(f->eflags, flags));
	put("cs %04x  ds %04x  es %04x  fs %04x  gs %04x  ss %04x\n", f->cs & 0xffff,
	    f->ds & 0xffff, f->es & 0xffff, f->fs & 0xffff, user_gs(f), ss & 0xffff);
	if (frame_from_user(f))
		return;
	put("in %s", symbol_text(f->eip, name, sizeof(name)));
	if (!frame_by_hand(f) || f->trap)
		put(", %s (trap %u), error code %x", trap_name(f->trap), f->trap, f->error);
	put("\n");
}

static void show_control(void)
{
	out("cr0 %08x  cr2 %08x  cr3 %08x  cr4 %08x\n", read_cr0(), read_cr2(), read_cr3(),
	    cpu_features ? read_cr4() : 0);
}

static void out_keys(uint32_t pid, uint32_t cpu, const struct trapframe *f)
{
	out("pid=%u cpu=%u eax=0x%08x ebx=0x%08x ecx=0x%08x edx=0x%08x esi=0x%08x edi=0x%08x "
	    "ebp=0x%08x esp=0x%08x eip=0x%08x eflags=0x%08x cs=0x%04x user=%u\n",
	    pid, cpu, f->eax, f->ebx, f->ecx, f->edx, f->esi, f->edi, f->ebp, frame_esp(f), f->eip,
	    f->eflags, f->cs & 0xffff, frame_from_user(f));
}

static int regs_of_cpu(uint32_t cpu)
{
	const struct pda *p = cpu < CPUS_MAX ? pda_of[cpu] : NULL;
	const struct trapframe *f;

	if (!p)
		return fail("cpu %u: there is none", cpu);
	if (!mon->stopped)
		return fail("a running CPU's registers change as one looks: stop, or regs PID");
	f = p == this_pda() ? stop_frame : p->stopped;
	if (!f)
		return fail("cpu %u did not answer the stop", cpu);
	if (mon->keys) {
		out_keys(p->task->pid, cpu, f);
		return 0;
	}
	out("CPU %u, %u %s, in %s mode\n", cpu, p->task->pid, p->task->name,
	    frame_from_user(f) ? "user" : "kernel");
	show_frame(f, out);
	if (p == this_pda())
		show_control();
	return 0;
}

int cmd_regs(int argc, char **argv)
{
	const struct task *t;
	uint32_t cpu;

	if (argc == 3 && !strcmp(argv[1], "cpu"))
		return arg_number(argv[2], &cpu) ? regs_of_cpu(cpu) : 1;
	if (argc == 1 && mon->stopped)
		return regs_of_cpu(pda_read(cpu));
	if (argc == 1) {
		show_control();
		return 0;
	}
	if (argc != 2)
		return usage("regs");
	t = arg_user_task(argv[1]);
	if (!t)
		return 1;
	if (t->on_cpu && !mon->stopped)
		return fail("%u: running on CPU %u; stop the world to see its registers", t->pid,
			    t->cpu);
	if (t->on_cpu && stopped_frame(t) && frame_from_user(stopped_frame(t))) {
		for (uint32_t i = 0; i < cpu_count; i++)
			if (pda_of[i] && pda_of[i]->task == t)
				return regs_of_cpu(i);
	}
	if (mon->keys) {
		out_keys(t->pid, t->cpu, task_frame((struct task *)t));
		return 0;
	}
	out("%u %s: user registers, as it entered the kernel\n", t->pid, t->name);
	show_frame(task_frame((struct task *)t), out);
	return 0;
}
