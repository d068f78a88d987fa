/*
 * cr3view.c - every load of CR3, counted by reason, and the last of them one by one.
 *
 * Reads the telemetry block, the same bytes that a host program sees.  What a load cost, in misses,
 * is known while a model of the TLB runs beside the machine, and only then.  Lessons 1 to 4.
 */
#include "cpu/cr3.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"

/* Misses that the model charged to loads of `cpu`. */
static uint64_t charged(uint32_t cpu)
{
	const struct telemetry_tlb *t = tlb_model(cpu);

	return t ? t->miss_flush : 0;
}

static void out_counts(const char *cpu, const struct telemetry_cpu *c, uint64_t misses)
{
	uint32_t loads = 0;

	for (uint32_t i = 0; i < CR3_REASONS; i++)
		loads += c->loads[i];
	out(mon->keys ? "cpu=%s loads=%u avoided=%u switches=%u" : "%3s %5u %7u %8u", cpu, loads,
	    c->avoided, c->switches);
	for (uint32_t i = 0; i < CR3_REASONS; i++) {
		if (mon->keys)
			out(" %s=%u", cr3_reason_name[i], c->loads[i]);
		else
			out(" %*u", MAX((int)strlen(cr3_reason_name[i]), 5), c->loads[i]);
	}
	if (mon->keys)
		out(" misses=%llu\n", misses);
	else if (tlb_model(0))
		out(" %6llu\n", misses);
	else
		out("      -\n");
}

static void show_counts(void)
{
	static struct telemetry_cpu sum; /* static: too big for a kernel stack's frame */
	uint64_t misses = 0;
	char cpu[4];

	memset(&sum, 0, sizeof(sum));
	if (!mon->keys) {
		out("CPU LOADS AVOIDED SWITCHES");
		for (uint32_t i = 0; i < CR3_REASONS; i++)
			out(" %5s", cr3_reason_name[i]);
		out_heading(" MISSES");
	}
	for (uint32_t i = 0; i < telemetry.cpus; i++) {
		const struct telemetry_cpu *c = &telemetry.cpu[i];

		snprintf(cpu, sizeof(cpu), "%u", i);
		out_counts(cpu, c, charged(i));
		for (uint32_t r = 0; r < CR3_REASONS; r++)
			sum.loads[r] += c->loads[r];
		sum.avoided += c->avoided;
		sum.switches += c->switches;
		misses += charged(i);
	}
	out_counts("all", &sum, misses);
}

static void out_event(const struct telemetry_event *e)
{
	const char *reason = e->reason < CR3_REASONS ? cr3_reason_name[e->reason] : "?";

	if (mon->keys) {
		out("t=%llu cpu=%u from=0x%08x to=0x%08x pid_from=%u pid_to=%u reason=%s loaded=%u "
		    "misses=%u\n",
		    e->t, e->cpu, e->from, e->to, e->pid_from, e->pid_to, reason, e->loaded,
		    e->misses);
		return;
	}
	out("%12llu %3u %08x %08x %5u %5u %-9s %-7s", e->t / 1000, e->cpu, e->from, e->to,
	    e->pid_from, e->pid_to, reason, e->loaded ? "loaded" : "avoided");
	if (e->loaded && tlb_model(e->cpu))
		out(" %6u\n", e->misses);
	else
		out("      -\n");
}

static int show_log(uint32_t n)
{
	uint32_t events = telemetry.events, kept = MIN(events, TELEMETRY_EVENTS);

	n = MIN(n, kept);
	if (!mon->keys)
		out_heading(
			"        T us CPU FROM     TO       PID-> PID   REASON            MISSES");
	for (uint32_t i = events - n; i != events; i++)
		out_event(&telemetry.event[i % TELEMETRY_EVENTS]);
	if (!mon->keys)
		out("%u of %u events (the last %u are kept)\n", n, events, TELEMETRY_EVENTS);
	return 0;
}

int cmd_cr3(int argc, char **argv)
{
	uint32_t n = mon->keys ? TELEMETRY_EVENTS : 20;

	if (argc == 1) {
		show_counts();
		return 0;
	}
	if (choose("cr3", argv[1], "log") < 0)
		return 1;
	if (argc > 3)
		return usage("cr3");
	if (argc == 3 && !arg_number(argv[2], &n))
		return 1;
	return show_log(n);
}
