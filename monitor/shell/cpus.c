/*
 * cpus.c - the processors: their data areas (pda), what they can and did (cpu), interrupts (irq).
 *
 * Lessons 10 to 12.
 */
#include "cpu/pda.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "sched/sched.h"
#include "sched/task.h"
#include "telemetry.h"

static const struct {
	const char *name;
	uint32_t offset;
} fields[] = {
	{ "task", offsetof(struct pda, task) },
	{ "space", offsetof(struct pda, space) },
	{ "need_resched", offsetof(struct pda, need_resched) },
	{ "idle", offsetof(struct pda, idle) },
	{ "apic_id", offsetof(struct pda, apic_id) },
	{ "window_base", offsetof(struct pda, window_base) },
	{ "window_limit", offsetof(struct pda, window_limit) },
	{ "slice", offsetof(struct pda, slice) },
	{ "flush_pending", offsetof(struct pda, flush_pending) },
};

static const struct pda *pda_present(uint32_t cpu)
{
	const struct pda *p = cpu < CPUS_MAX ? pda_of[cpu] : NULL;

	return p && p->online ? p : NULL;
}

/* "7 switchers", or "kernel". */
static void out_standing(const struct space *s)
{
	if (!s || s == &kernel_space)
		out("%s", "kernel");
	else
		out("%u %s%s", s->pid, s->name, s->users ? "" : " (dead)");
}

int cmd_pda(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("pda");
	for (uint32_t i = 0; i < CPUS_MAX; i++) {
		const struct pda *p = pda_present(i);

		if (!p)
			continue;
		if (mon->keys) {
			out("cpu=%u addr=%p current=%u space=%u kind=%s size=%u\n", i, p,
			    p->task->pid, p->space && p->space != &kernel_space ? p->space->pid : 0,
			    PDA_KIND, (uint32_t)sizeof(*p));
			continue;
		}
		out("CPU %u: PDA at %p, %u bytes, reached by %s\n", i, p, (uint32_t)sizeof(*p),
		    PDA_KIND);
		out("  runs %u %s, stands on ", p->task->pid, p->task->name);
		out_standing(p->space);
		out("\n");
		for (uint32_t f = 0; f < ARRAY_SIZE(fields); f++)
			out("  +%-3x %-14s %08x%s", fields[f].offset, fields[f].name,
			    *(const uint32_t *)((const char *)p + fields[f].offset),
			    f % 2 || f + 1 == ARRAY_SIZE(fields) ? "\n" : "    ");
	}
	return 0;
}

/* --- cpu --------------------------------------------------------------------- */

static void out_features(void)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} features[] = {
		{ CPUID_FPU, "fpu" },	{ CPUID_PSE, "4M-pages" }, { CPUID_TSC, "tsc" },
		{ CPUID_APIC, "apic" }, { CPUID_SEP, "sysenter" }, { CPUID_PGE, "global-pages" },
		{ CPUID_FXSR, "fxsr" }, { CPUID_SSE, "sse" },
	};
	uint32_t id[4] = { 0 }, vendor[4];

	if (!cpu_features) {
		out("a processor without CPUID\n");
		return;
	}
	cpuid(0, id);
	vendor[0] = id[1];
	vendor[1] = id[3];
	vendor[2] = id[2];
	vendor[3] = 0;
	cpuid(1, id);
	out("%s family %u model %u stepping %u\n ", (const char *)vendor, (id[0] >> 8) & 15,
	    (id[0] >> 4) & 15, id[0] & 15);
	for (uint32_t i = 0; i < ARRAY_SIZE(features); i++)
		if (cpu_features & features[i].bit)
			out(" %s", features[i].name);
	out("\n");
}

int cmd_cpu(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("cpu");
	if (!mon->keys) {
		out_features();
		out_heading("CPU APIC   TICKS    IDLE SWITCHES   CALLS  FAULTS SENT ANSWERED RUNS");
	}
	for (uint32_t i = 0; i < CPUS_MAX; i++) {
		const struct pda *p = pda_present(i);
		const struct telemetry_cpu *s = &telemetry.cpu[i];

		if (!p)
			continue;
		if (mon->keys)
			out("cpu=%u apic=%u ticks=%u idle=%u switches=%u syscalls=%u faults=%u "
			    "flushes=%u shootdowns_sent=%u shootdowns_answered=%u current=%u\n",
			    i, p->apic_id, s->ticks, s->ticks_idle, s->switches, s->syscalls,
			    s->page_faults, s->page_flushes, s->shootdowns_sent,
			    s->shootdowns_answered, p->task->pid);
		else
			out("%3u %4u %7u %7u %8u %7u %7u %4u %8u %u %s\n", i, p->apic_id, s->ticks,
			    s->ticks_idle, s->switches, s->syscalls, s->page_faults,
			    s->shootdowns_sent, s->shootdowns_answered, p->task->pid,
			    p->task->name);
	}
	if (!mon->keys)
		out("%u runnable tasks wait for a CPU\n", run_queue_length);
	return 0;
}

/* --- irq ---------------------------------------------------------------------- */

int cmd_irq(int argc, char **argv)
{
	static const char *const lines[16] = {
		[0] = "clock (8254)", [1] = "keyboard", [2] = "second 8259",  [4] = "COM1",
		[8] = "clock (RTC)",  [14] = "disk",	[15] = "second disk",
	};

	(void)argv;
	if (argc > 1)
		return usage("irq");
	for (uint32_t i = 0; i < 16; i++) {
		if (!irq_count[i] && (mon->keys || !lines[i]))
			continue;
		if (mon->keys)
			out("line=%u count=%u\n", i, irq_count[i]);
		else
			out("line %2u %9u  %s\n", i, irq_count[i], lines[i] ? lines[i] : "");
	}
	for (uint32_t i = 0; i < telemetry.cpus; i++)
		out(mon->keys ? "cpu=%u interrupts=%u ticks=%u\n"
			      : "CPU %u: %u interrupts in all, %u of them timer ticks\n",
		    i, telemetry.cpu[i].interrupts, telemetry.cpu[i].ticks);
	return 0;
}
