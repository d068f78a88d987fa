/*
 * tlb.c - the tlb command: what is cached, as far as it can be known.
 *
 * Two views that must not be confused: a *model* of some processor's TLB (tlbview.h), which may
 * run beside the machine or not, and the *probe* of the one that runs us (probe.c), asked
 * here.  Lesson 3.
 */
#include "cpu/pda.h"
#include "cpu/smp.h"
#include "cpu/tlb.h"
#include "cpu/x86.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/probe.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"
#include "sched/task.h"

/* Put the present pages of [first, last] on the list.  False: there were more than fit. */
static bool collect(const struct space *s, uint32_t first, uint32_t last)
{
	uint32_t pages = ((last - first) >> PAGE_SHIFT) + 1;

	probe_page.count = 0;
	for (uint32_t i = 0; i < pages; i++) {
		uint32_t linear = s->base + first + (i << PAGE_SHIFT);
		const pte_t *table = peek_table(s->dir[DIR_INDEX(linear)]);

		if (!table) { /* on to what the next table maps */
			i += PTES - 1 - TBL_INDEX(linear);
			continue;
		}
		if ((table[TBL_INDEX(linear)] & (PTE_P | PTE_U)) != (PTE_P | PTE_U))
			continue;
		if (probe_page.count == PROBE_MAX)
			return false;
		probe_page.addr[probe_page.count++] = linear;
	}
	return true;
}

int tlb_standing_cpu(const struct task *t)
{
	const struct space *s = t->space;

	if (pda_of[t->cpu] && pda_of[t->cpu]->space->dir == s->dir)
		return t->cpu;
	for (uint32_t i = 0; i < cpu_count; i++)
		if (pda_of[i]->space->dir == s->dir)
			return i;
	return -1;
}

/* Have `cpu` do it: another CPU is stopped, and does it on its way on. */
static bool carry_out(uint32_t cpu, const struct space *s)
{
	probe.cpu = cpu;
	probe.dir = s->dir;
	probe.done = false;
	probe.wanted = true;
	if (cpu == pda_read(cpu)) {
		probe_here();
	} else {
		while (!smp_stop_begin())
			cpu_pause();
		smp_stop();
		smp_resume(); /* runs probe_here() there, and waits for it */
	}
	probe.wanted = false;
	return probe.done;
}

static void show(const struct space *s, uint32_t cpu)
{
	uint32_t cached = 0, column = 0;
	uint32_t start = 0;

	for (uint32_t i = 0; i < probe_page.count; i++) {
		uint32_t addr = probe_page.addr[i] - s->base;

		bool is_cached = probe.state[i] & PROBE_CACHED;

		cached += is_cached;
		if (mon->keys) {
			out("vpn=0x%05x cached=%u\n", addr >> PAGE_SHIFT, is_cached);
			continue;
		}
		/* A row of 64 pages; a gap in the addresses starts a new one. */
		if (!column || addr != start + (column << PAGE_SHIFT) || column == 64) {
			out("%s%08x ", column ? "\n" : "", addr);
			start = addr;
			column = 0;
		}
		out("%c", is_cached ? '#' : '.');
		column++;
	}
	if (mon->keys)
		return;
	out("%sThe processor itself, not a model: CPU %u had %u of %u pages cached (#).\n",
	    column ? "\n" : "", cpu, cached, probe_page.count);
	out_wrapped("Now all of them are, and what they or the probe's own page replaced is not: "
		    "let it run "
		    "before you ask again.",
		    0);
}

int tlb_probe(int argc, char **argv)
{
	uint32_t first = 0, last;
	const struct task *t;
	const struct space *s;
	bool all;
	int cpu;

	if (argc != 3 && argc != 4)
		return usage("tlb");
	t = arg_user_task(argv[2]);
	if (!t)
		return 1;
	s = t->space;
	last = s->limit - 1;
	if (argc == 4 && !arg_range(argv[3], &first, &last))
		return 1;
	last = MIN(last, s->limit - 1);
	first &= PAGE_MASK;
	if (first > last)
		return fail("%08x: beyond the window of %u", first, t->pid);
	if (!cpu_has_invlpg)
		return fail(
			"no INVLPG: this processor cannot drop one page, only all it has cached");
	cpu = tlb_standing_cpu(t);
	if (cpu < 0)
		return fail("no CPU stands on the directory of %u, so nothing of it is cached now",
			    t->pid);
	if (mon->stopped && (uint32_t)cpu != pda_read(cpu))
		return fail(
			"CPU %d stands on the directory of %u, and it is stopped; go, then probe",
			cpu, t->pid);
	all = collect(s, first, last);
	if (!probe_page.count)
		return fail("no page of %u is present there", t->pid);
	if (!carry_out(cpu, s))
		return fail("CPU %d left the directory of %u before it could be asked; try again",
			    cpu, t->pid);
	show(s, cpu);
	if (!all && !mon->keys)
		out("(the first %u pages; give a range for others)\n", PROBE_MAX);
	return 0;
}

/* Who asked others to forget translations, who was asked, and who need not be. */
static int tlb_shootdowns(void)
{
	if (!mon->keys)
		out_heading("CPU     SENT ANSWERED  NOT SENT: IDLE ELSEWHERE");
	for (uint32_t i = 0; i < telemetry.cpus; i++) {
		const struct telemetry_cpu *s = &telemetry.cpu[i];

		out(mon->keys ? "cpu=%u sent=%u answered=%u lazy=%u elsewhere=%u\n"
			      : "%3u %8u %8u %15u %9u\n",
		    i, s->shootdowns_sent, s->shootdowns_answered, s->shootdowns_lazy,
		    s->shootdowns_elsewhere);
	}
	return 0;
}

int cmd_tlb(int argc, char **argv)
{
	if (argc > 1 && (argv[1][0] < '0' || argv[1][0] > '9'))
		switch (choose("tlb", argv[1], "stats explain clear probe shootdown")) {
		case 0:
			return argc == 2 ? tlb_stats() : usage("tlb");
		case 1:
			return tlb_explain(argc, argv);
		case 2:
			return argc == 2 ? tlb_clear() : usage("tlb");
		case 3:
			return tlb_probe(argc, argv);
		case 4:
			return argc == 2 ? tlb_shootdowns() : usage("tlb");
		default:
			return 1;
		}
	if (mon->keys || tlb_model(0))
		return tlb_grid(argc, argv);
	out_wrapped("No TLB model is attached, and no processor shows its TLB. TLB=386 with make "
		    "run or make batch attaches one. tlb probe PID [FIRST-LAST] asks the processor "
		    "itself: it clears ACCESSED bits, touches the pages from user mode, and sees "
		    "for which ones the tables were read again.",
		    0);
	return 0;
}
