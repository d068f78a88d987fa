/*
 * debug.c - breakpoints and watchpoints, in the processor's debug registers.
 *
 * DR0 to DR3 hold linear addresses, DR7 says what to stop for, DR6 afterwards which one it was
 * (SDM 3B 18.2).  They change no code, so they work in read-only text and in programs
 * that share pages.  Every CPU has its own set: all are loaded from one table.
 *
 * Private spaces use the same linear addresses for different things, so a breakpoint in user
 * memory may name the process or program it is meant for; others pass it unnoticed.
 *
 * An instruction breakpoint is reported before the instruction: EFLAGS.RF lets it run once
 * afterwards.
 */
#include "cpu/pda.h"
#include "cpu/smp.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/debug.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

/* DR7 */
#define DR7_GLOBAL(i)	   (2u << ((i)*2)) /* enabled, whatever task runs */
#define DR7_KIND(i, kind)  ((uint32_t)(kind) << (16 + (i)*4))
#define DR7_LENGTH(i, len) ((uint32_t)((len)-1) << (18 + (i)*4))
#define DR7_GLOBAL_EXACT   (1u << 9) /* 386: report data accesses at once */
#define DR7_FIXED	   (1u << 10)

#define DEFINE_DR_WRITE(n)                                   \
	static void write_dr##n(uint32_t v)                  \
	{                                                    \
		asm volatile("movl %0, %%dr" #n : : "r"(v)); \
	}
DEFINE_DR_WRITE(0)
DEFINE_DR_WRITE(1)
DEFINE_DR_WRITE(2)
DEFINE_DR_WRITE(3)
DEFINE_DR_WRITE(6)
DEFINE_DR_WRITE(7)

struct breakpoint breakpoints[BREAKPOINTS];

static const char *const kind_name[] = {
	[BREAK_EXECUTE] = "x", [BREAK_WRITE] = "w", [BREAK_ACCESS] = "rw"
};

uint32_t debug_status(void)
{
	uint32_t v;

	asm volatile("movl %%dr6, %0" : "=r"(v));
	write_dr6(0); /* the processor only ever sets bits */
	return v;
}

void debug_off(void)
{
	write_dr7(0);
}

void debug_load(void)
{
	uint32_t control = 0;

	for (uint32_t i = 0; i < BREAKPOINTS; i++) {
		const struct breakpoint *b = &breakpoints[i];

		if (b->used)
			control |= DR7_GLOBAL(i) | DR7_KIND(i, b->kind) | DR7_LENGTH(i, b->length);
	}
	write_dr7(0);
	write_dr0(breakpoints[0].linear);
	write_dr1(breakpoints[1].linear);
	write_dr2(breakpoints[2].linear);
	write_dr3(breakpoints[3].linear);
	write_dr7(control ? control | DR7_GLOBAL_EXACT | DR7_FIXED : 0);
}

/* Stopped CPUs load the table when they are let go; so a change while all run is a short stop. */
static void debug_apply(void)
{
	if (mon->stopped)
		return;
	while (!smp_stop_begin())
		cpu_pause();
	smp_stop();
	debug_load();
	smp_resume();
}

bool debug_any(void)
{
	for (uint32_t i = 0; i < BREAKPOINTS; i++)
		if (breakpoints[i].used)
			return true;
	return false;
}

/* Is the running task one that `b` is meant for? */
static bool meant_for(const struct breakpoint *b)
{
	const struct task *t = current;

	if (b->linear >= KERNEL_BASE)
		return !b->pid || t->pid == b->pid;
	if (b->pid && t->pid != b->pid)
		return false;
	return !b->program[0] || !strcmp(b->program, t->name);
}

const char *debug_hit(uint32_t status)
{
	static char why[96];

	for (uint32_t i = 0; i < BREAKPOINTS; i++) {
		struct breakpoint *b = &breakpoints[i];

		if (!(status & (1u << i)) || !b->used || !meant_for(b))
			continue;
		b->hits++;
		if (b->kind == BREAK_EXECUTE)
			snprintf(why, sizeof(why), "breakpoint %u at %s", i + 1, b->text);
		else
			snprintf(why, sizeof(why), "watchpoint %u: %s %s (%u bytes)", i + 1,
				 b->text, b->kind == BREAK_WRITE ? "written" : "read or written",
				 b->length);
		return why;
	}
	return NULL;
}

/* --- the commands --------------------------------------------------------------- */

static struct breakpoint *free_slot(void)
{
	for (uint32_t i = 0; i < BREAKPOINTS; i++)
		if (!breakpoints[i].used)
			return &breakpoints[i];
	fail("all %u are in use: the processor has no more (see list, delete)", BREAKPOINTS);
	return NULL;
}

static const struct task *task_named(const char *name)
{
	struct task *t;

	list_for_each_entry (t, &task_list, all)
		if (t->space && !strcmp(t->name, name))
			return t;
	return NULL;
}

/* PROGRAM:SYMBOL or PROGRAM:ADDR. */
static bool program_place(struct breakpoint *b, char *word, char *colon)
{
	int error;

	*colon = 0;
	str_copy(b->program, word, sizeof(b->program));
	error = mon->stopped ? 0 : program_load(word);
	if (error) {
		fail("%s: cannot read its symbols (error %d)", word, -error);
		return false;
	}
	if (!program_symbol(colon + 1, &b->linear) &&
	    (colon[1] < '0' || colon[1] > '9' || !arg_hex(colon + 1, &b->linear))) {
		fail("%s:%s: no such symbol%s", word, colon + 1,
		     nearest(colon + 1, words_program_symbols));
		return false;
	}
	*colon = ':';
	return true;
}

/* Fill in the place that `word` names, and for whom. */
static bool place(struct breakpoint *b, char *word, const char *pid)
{
	const struct task *t = pid ? arg_user_task(pid) : NULL;
	char *colon = strchr(word, ':');

	if (pid && !t)
		return false;
	if (colon ? !program_place(b, word, colon) : !arg_address(word, &b->linear))
		return false;
	str_copy(b->text, word, sizeof(b->text));
	b->pid = t ? t->pid : 0;
	if (b->linear >= KERNEL_BASE)
		return true;
	if (!t && colon)
		t = task_named(b->program);
	if (!t && space_model == SPACE_SHARED) {
		fail("%s: in a shared space the address depends on its window: start it, then give "
		     "its PID",
		     word);
		return false;
	}
	if (t)
		b->linear += t->space->base;
	return true;
}

static int add(struct breakpoint *b, char *word, const char *pid)
{
	if (!place(b, word, pid))
		return 1;
	if (b->linear & (b->length - 1))
		return fail("%08x: not a multiple of its length %u", b->linear, b->length);
	b->used = true;
	b->hits = 0;
	if (!mon->stopped)
		lines_load(); /* while the disk can be read: stops are shown with their line */
	debug_apply();
	out("%u: %s %s ", (uint32_t)(b - breakpoints) + 1, kind_name[b->kind], b->text);
	out_place(b->linear, NULL);
	out("\n");
	return 0;
}

int cmd_break(int argc, char **argv)
{
	struct breakpoint *b;

	if (argc != 2 && argc != 3)
		return usage("break");
	b = free_slot();
	if (!b)
		return 1;
	*b = (struct breakpoint){ .kind = BREAK_EXECUTE, .length = 1 };
	return add(b, argv[1], argc == 3 ? argv[2] : NULL);
}

int cmd_watchpoint(int argc, char **argv)
{
	static const uint8_t kinds[] = { BREAK_WRITE, BREAK_ACCESS, BREAK_EXECUTE };
	struct breakpoint *b;
	uint32_t length = 4;
	int kind;

	if (argc < 3 || argc > 5)
		return usage("watchpoint");
	kind = choose("watchpoint", argv[2], "w rw x");
	if (kind < 0 || (argc > 3 && !arg_number(argv[3], &length)))
		return 1;
	if (length != 1 && length != 2 && length != 4)
		return fail("%u: a watchpoint is 1, 2 or 4 bytes long", length);
	b = free_slot();
	if (!b)
		return 1;
	*b = (struct breakpoint){ .kind = kinds[kind], .length = length };
	if (b->kind == BREAK_EXECUTE)
		b->length = 1;
	return add(b, argv[1], argc == 5 ? argv[4] : NULL);
}

int cmd_list(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("list");
	for (uint32_t i = 0; i < BREAKPOINTS; i++) {
		const struct breakpoint *b = &breakpoints[i];

		if (!b->used)
			continue;
		if (mon->keys) {
			out("nr=%u kind=%s linear=0x%08x length=%u pid=%u hits=%u text=%s\n", i + 1,
			    kind_name[b->kind], b->linear, b->length, b->pid, b->hits, b->text);
			continue;
		}
		out("%u: %-2s %s at linear %08x, %u byte%s, %u hit%s", i + 1, kind_name[b->kind],
		    b->text, b->linear, b->length, b->length == 1 ? "" : "s", b->hits,
		    b->hits == 1 ? "" : "s");
		if (b->pid)
			out(", only process %u", b->pid);
		out("\n");
	}
	if (!mon->keys && !debug_any())
		out("none; see explain break\n");
	return 0;
}

int cmd_delete(int argc, char **argv)
{
	uint32_t n;

	if (argc != 2)
		return usage("delete");
	if (!strcmp(argv[1], "all")) {
		memset(breakpoints, 0, sizeof(breakpoints));
	} else {
		if (!arg_number(argv[1], &n))
			return 1;
		if (n < 1 || n > BREAKPOINTS || !breakpoints[n - 1].used)
			return fail("%u: no such breakpoint (see list)", n);
		breakpoints[n - 1].used = false;
	}
	debug_apply();
	return 0;
}
