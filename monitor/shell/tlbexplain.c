/*
 * tlbexplain.c - tlb explain: what the TLB model would do with one address.
 *
 * A hit or a miss is decided in one set, among few entries; which of them goes is what the
 * model published, not a second guess at its policy.  And a flush costs a page nothing until that
 * page is used again: so the last one is looked at, too.  Lesson 3.
 */
#include "cpu/cr3.h"
#include "cpu/pda.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"
#include "sched/task.h"

struct question {
	const struct telemetry_tlb *t;
	uint32_t cpu;
	uint32_t linear;
	const struct space *space; /* whose page; NULL: the kernel's */
	bool mapped, swapped;
	bool large;	   /* in a page of 4 MB */
	const char *flush; /* why the TLB will be emptied before; NULL: it will not be */
};

/* What one part says. */
struct answer {
	uint32_t set, vpn;
	int way;	 /* where it is cached; -1: nowhere */
	uint32_t victim; /* the way it would take, or TELEMETRY_TLB_ANY */
	bool full;	 /* no way is empty */
	bool dropped;	 /* by the last flush */
	bool charged;	 /* and missed since */
};

/* --- the last flush ------------------------------------------------------------------- */

/* The last load of CR3, or NULL when it is too long ago to be in the log. */
static const struct telemetry_event *last_flush(const struct telemetry_tlb *t)
{
	if (!t->flushes || telemetry.events - t->last_flush > TELEMETRY_EVENTS)
		return NULL;
	return &telemetry.event[t->last_flush % TELEMETRY_EVENTS];
}

/* Was user memory, before that flush, the memory of the space we are asked about? */
static bool same_space_then(const struct question *q)
{
	const struct telemetry_event *e = last_flush(q->t);

	return !q->space || (e && e->from == virt_to_phys(q->space->dir));
}

/* --- one part ---------------------------------------------------------------------------- */

static bool serves(const struct question *q, uint32_t part)
{
	uint32_t role = q->t->part[part].role;
	bool has_large = q->t->part[q->t->parts - 1].role == TELEMETRY_TLB_LARGE;

	if (role == TELEMETRY_TLB_INSTRUCTIONS)
		return true;
	return (role == TELEMETRY_TLB_LARGE) == (q->large && has_large);
}

static struct answer ask(const struct question *q, uint32_t part)
{
	const struct telemetry_tlb *t = q->t;
	uint32_t vpn = q->linear >> PAGE_SHIFT, ways = t->part[part].ways, first;
	bool large = t->part[part].role == TELEMETRY_TLB_LARGE;
	struct answer a = { .way = -1, .full = true };

	a.set = (large ? vpn / PTES : vpn) & (t->part[part].sets - 1);
	a.vpn = large ? vpn & ~(PTES - 1) : vpn;
	a.victim = t->victim[t->part[part].first_set + a.set];
	first = t->part[part].first + a.set * ways;
	for (uint32_t way = ways; way-- > 0;) {
		const struct telemetry_tlb_entry *e = &t->entry[first + way];
		uint32_t held = t->held[first + way];

		if (!e->flags || q->flush) {
			a.full = false;
			a.victim = way; /* the lowest empty one, as we come down */
		} else if (e->vpn == a.vpn) {
			a.way = way;
		}
		if ((held & ~TELEMETRY_TLB_CHARGED) != (a.vpn | TELEMETRY_TLB_HELD) ||
		    !same_space_then(q))
			continue;
		a.dropped = true;
		a.charged = held & TELEMETRY_TLB_CHARGED;
	}
	return a;
}

static void out_way(const struct question *q, uint32_t part, const struct answer *a, uint32_t way)
{
	static const char *const causes[] = { "", "first touch", "replaced", "flush" };
	const struct telemetry_tlb_entry *e =
		&q->t->entry[q->t->part[part].first + a->set * q->t->part[part].ways + way];
	char flags[TLB_FLAGS], owner[TLB_OWNER];
	const char *stale;

	if (!e->flags) {
		out("  way %2u  empty%s\n", way, way == a->victim ? ": filled next" : "");
		return;
	}
	stale = tlb_stale(e);
	out("  way %2u  %05x %05x %.4s %-11s %s%s%s%s%s\n", way, e->vpn, e->pfn,
	    tlb_flags(e->flags, flags), causes[e->cause & 3], tlb_owner(e->vpn, e->space, owner),
	    e->vpn == a->vpn ? ", this page" : "",
	    way == a->victim && a->full ? ", next to go" : "", stale ? ", stale: " : "",
	    stale ? stale : "");
}

static void out_part(const struct question *q, uint32_t part, const struct answer *a)
{
	const struct telemetry_tlb *t = q->t;

	out("%s, set %u of %u: ", tlb_part_name(t, part), a->set, t->part[part].sets);
	if (a->way >= 0)
		out("HIT in way %d\n", a->way);
	else if (q->flush)
		out("MISS: %s\n", q->flush);
	else if (a->full && a->victim == TELEMETRY_TLB_ANY)
		out("MISS: one of the ways goes for it, at random\n");
	else
		out("MISS: %s way %u\n", a->full ? "it would replace" : "it would fill empty",
		    a->victim);
	for (uint32_t way = 0; way < t->part[part].ways; way++)
		out_way(q, part, a, way);
}

static void out_last_flush(const struct question *q, uint32_t dropped, uint32_t charged)
{
	const struct telemetry_event *e = last_flush(q->t);

	if (!q->t->flushes) {
		out("Never flushed so far.\n");
		return;
	}
	if (!e) {
		out("The last flush of CPU %u is too long ago to be in the log.\n", q->cpu);
		return;
	}
	out("The last flush of CPU %u, at %llu us (%s, pid %u to %u), ", q->cpu, e->t / 1000,
	    e->reason < CR3_REASONS ? cr3_reason_name[e->reason] : "?", e->pid_from, e->pid_to);
	if (!dropped)
		out("did\nnot find this page cached: it cost it nothing.\n");
	else if (charged)
		out("dropped\nthis page: %u miss%s since, charged to it.\n", charged,
		    charged > 1 ? "es" : "");
	else
		out("dropped\nthis page, not missed since: it cost it nothing so far.\n");
}

/* --- the question --------------------------------------------------------------------------- */

/* Where the process would use the address, and what happens before. */
static void ask_for_task(struct question *q, const struct task *task)
{
	int cpu = tlb_standing_cpu(task);
	const struct pda *pda;

	q->cpu = cpu < 0 ? task->cpu : (uint32_t)cpu;
	pda = pda_of[q->cpu];
	if (cpu < 0)
		q->flush = "its next turn loads CR3, which empties it";
	else if (pda->stale && pda->task != task)
		q->flush = "its tables changed, so its next turn flushes";
}

static bool parse(struct question *q, int argc, char **argv)
{
	const pte_t *dir = common_dir;
	const struct task *task;
	uint32_t slot;
	pte_t pte;

	if (argc == 3) {
		if (!arg_address(argv[2], &q->linear))
			return false;
		if (q->linear < KERNEL_BASE) {
			fail("%s: whose? tlb explain PID ADDR for user memory", argv[2]);
			return false;
		}
		q->cpu = pda_read(cpu);
	} else {
		task = arg_user_task(argv[2]);
		if (!task || !arg_address(argv[3], &q->linear))
			return false;
		dir = task->space->dir;
		if (q->linear < KERNEL_BASE) {
			if (q->linear >= task->space->limit) {
				fail("%08x: beyond the window of %u", q->linear, task->pid);
				return false;
			}
			q->space = task->space;
			q->linear += task->space->base;
		}
		ask_for_task(q, task);
	}
	q->mapped = tlb_translate(dir, q->linear, &pte);
	q->swapped = peek_swapped(dir, q->linear, &slot) != NULL;
	q->large = q->mapped && pte & PTE_PS;
	return true;
}

static void out_records(const struct question *q, uint32_t part, const struct answer *a)
{
	char way[12], victim[12];

	snprintf(way, sizeof(way), "%d", a->way);
	snprintf(victim, sizeof(victim), "%u", a->victim);
	out("cpu=%u part=%s set=%u hit=%u way=%s victim=%s full=%u mapped=%u flushed_before=%u "
	    "dropped=%u charged=%u linear=0x%08x vpn=0x%05x\n",
	    q->cpu, tlb_part_name(q->t, part), a->set, a->way >= 0, a->way < 0 ? "-" : way,
	    a->victim == TELEMETRY_TLB_ANY ? "any" : victim, a->full, q->mapped, q->flush != NULL,
	    a->dropped, a->charged, q->linear, a->vpn);
	for (uint32_t i = 0; i < q->t->part[part].ways; i++)
		tlb_out_record(q->cpu, q->t, part, a->set, i);
}

/* A kernel page may be cached by every CPU. */
static void out_other_cpus(struct question *q)
{
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
		bool hit = false;

		q->t = cpu == pda_read(cpu) ? NULL : tlb_look(cpu);
		if (!q->t)
			continue;
		for (uint32_t part = 0; part < q->t->parts; part++)
			hit |= serves(q, part) && ask(q, part).way >= 0;
		out("CPU %u: %s.\n", cpu, hit ? "hit" : "miss");
	}
}

static void out_title(const struct question *q)
{
	uint32_t generation = q->space ? q->space->generation : 0;
	char owner[TLB_OWNER], symbol[24];

	tlb_owner(q->linear >> PAGE_SHIFT, generation, owner);
	symbol_text(q->linear, symbol, sizeof(symbol));
	out("MODEL %.20s, CPU %u: linear %08x, %s\n", q->t->geometry, q->cpu, q->linear,
	    q->linear >= KERNEL_BASE && symbol[0] ? symbol : owner);
	if (q->swapped)
		out("On the disk: a page fault comes first, and brings it back.\n");
	else if (!q->mapped)
		out("Not in the page tables: a page fault comes first, and caches nothing.\n");
}

int tlb_explain(int argc, char **argv)
{
	struct question q = { 0 };
	uint32_t dropped = 0, charged = 0;

	if (argc < 3 || argc > 4)
		return usage("tlb");
	if (!tlb_model(0))
		return tlb_no_model();
	if (!parse(&q, argc, argv))
		return 1;
	q.t = tlb_look(q.cpu);
	if (!q.t)
		return tlb_no_model();
	if (!mon->keys)
		out_title(&q);
	for (uint32_t part = 0; part < q.t->parts; part++) {
		struct answer a;

		if (!serves(&q, part))
			continue;
		a = ask(&q, part);
		dropped += a.dropped;
		charged += a.charged;
		if (mon->keys)
			out_records(&q, part, &a);
		else
			out_part(&q, part, &a);
	}
	if (mon->keys)
		return 0;
	out_last_flush(&q, dropped, charged);
	if (!q.space && argc == 3)
		out_other_cpus(&q);
	return 0;
}
