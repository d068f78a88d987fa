/*
 * debug.c - breakpoints and watchpoints, in the processor's debug registers.
 *
 * DR0 to DR3 hold linear addresses, DR7 says what to stop for, DR6 afterwards which one it was
 * (SDM 3B 18.2).  They change no code, so they work in read-only text and in programs
 * that share pages.  Every CPU has its own set: all are loaded from one table.
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
#include "mm/paging.h"
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
	debug_control = control ? control | DR7_GLOBAL_EXACT | DR7_FIXED : 0;
	write_dr7(0);
	write_dr0(breakpoints[0].linear);
	write_dr1(breakpoints[1].linear);
	write_dr2(breakpoints[2].linear);
	write_dr3(breakpoints[3].linear);
}

void debug_on(void)
{
	write_dr7(debug_control);
}

/* Stopped CPUs load the table when they are let go; so a change while all run is a short stop. */
void debug_apply(void)
{
	if (mon->stopped)
		return;
	while (!smp_stop_begin())
		cpu_pause();
	smp_stop();
	debug_load();
	smp_resume();
	debug_on();
}

bool debug_any(void)
{
	for (uint32_t i = 0; i < BREAKPOINTS; i++)
		if (breakpoints[i].used)
			return true;
	return false;
}

const char *debug_program(void)
{
	for (uint32_t i = 0; i < BREAKPOINTS; i++)
		if (breakpoints[i].used && breakpoints[i].program[0])
			return breakpoints[i].program;
	return NULL;
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

/* The first of the breakpoints in DR6 that is meant for the running task, or NULL. */
static struct breakpoint *hit(uint32_t status)
{
	for (uint32_t i = 0; i < BREAKPOINTS; i++) {
		struct breakpoint *b = &breakpoints[i];

		if (b->helps)
			b = &breakpoints[b->helps - 1];
		if ((status & (1u << i)) && b->used && meant_for(b))
			return b;
	}
	return NULL;
}

bool debug_is_hit(uint32_t status)
{
	return hit(status);
}

const char *debug_hit(uint32_t status)
{
	static char why[96];
	struct breakpoint *b = hit(status);

	if (!b)
		return NULL;
	b->hits++;
	if (b->kind == BREAK_EXECUTE)
		snprintf(why, sizeof(why), "breakpoint %u at %s", breakpoint_number(b), b->text);
	else
		snprintf(why, sizeof(why), "watchpoint %u: %s %s (%u bytes)", breakpoint_number(b),
			 b->text, b->kind == BREAK_WRITE ? "written" : "read or written",
			 b->length);
	return why;
}
