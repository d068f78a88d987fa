/*
 * tlbstats.c - tlb stats: hits, misses and why; tlb clear.
 *
 * The model only ever counts up.  To clear is to remember where it stood: what is shown is
 * the difference, and no other reader of the block is disturbed.  Lessons 2 and 3.
 */
#include "cpu/pda.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"

/* The counters of struct telemetry_tlb, in its order, then those of the parts. */
enum {
	FETCHES,
	READS,
	WRITES,
	STRADDLES,
	MISSES,
	FIRST,
	REPLACED,
	FLUSH,
	REWALKS,
	WALK_READS,
	FLUSHES,
	PAGE_FLUSHES,
	WP_WRITES,
	PART_MISSES,
	COUNTS = PART_MISSES + TELEMETRY_TLB_PARTS
};

#define PLACE(field) \
	(offsetof(struct telemetry_tlb, field) - offsetof(struct telemetry_tlb, references))

_Static_assert(PLACE(misses) == MISSES * 8 && PLACE(rewalks) == REWALKS * 8 &&
		       PLACE(wp_writes) == WP_WRITES * 8,
	       "enum and struct have the same order");

struct counts {
	uint64_t n[COUNTS];
};

/* By CPU: the counts at the last tlb clear. */
static struct counts cleared[CPUS_MAX];
static bool was_cleared;

#define TRIES 8

/* As they are now.  Reading may itself miss, and then the counts do not agree with each other: but
 * that warmed what it needs, so again.  First to the stack, lest a small TLB has no room for yet
 * another page. */
static void read_counts(struct counts *c, const struct telemetry_tlb *t)
{
	struct counts now;
	uint64_t missed;

	for (uint32_t try = 0; try < TRIES; try++) {
		memcpy(now.n, &t->references, PART_MISSES * sizeof(now.n[0]));
		missed = 0;
		for (uint32_t i = 0; i < TELEMETRY_TLB_PARTS; i++)
			missed += now.n[PART_MISSES + i] = t->part[i].misses;
		if (missed == now.n[MISSES] && try)
			break;
	}
	*c = now;
}

static uint64_t references(const struct counts *c)
{
	return c->n[FETCHES] + c->n[READS] + c->n[WRITES];
}

/* Valid entries of a part. */
static uint32_t valid_entries(const struct telemetry_tlb *t, uint32_t part)
{
	const struct telemetry_tlb_entry *e = &t->entry[t->part[part].first];
	uint32_t valid = 0;

	for (uint32_t i = 0; i < t->part[part].sets * t->part[part].ways; i++)
		valid += e[i].flags != 0;
	return valid;
}

/* --- records ------------------------------------------------------------------------------ */

static void out_record(const char *cpu, const struct counts *c, const struct telemetry_tlb *t,
		       const uint32_t *valid)
{
	static const struct {
		const char *key;
		uint32_t count;
	} keys[] = {
		{ "misses", MISSES },
		{ "flushes", FLUSHES },
		{ "miss_flush", FLUSH },
		{ "miss_first", FIRST },
		{ "miss_replaced", REPLACED },
		{ "fetches", FETCHES },
		{ "reads", READS },
		{ "writes", WRITES },
		{ "rewalks", REWALKS },
		{ "walk_reads", WALK_READS },
		{ "page_flushes", PAGE_FLUSHES },
		{ "wp_writes", WP_WRITES },
	};

	out("cpu=%s hits=%llu", cpu, references(c) - c->n[MISSES]);
	for (uint32_t i = 0; i < ARRAY_SIZE(keys); i++)
		out(" %s=%llu", keys[i].key, c->n[keys[i].count]);
	out(" references=%llu instructions=%llu geometry=%s", references(c),
	    c->n[FETCHES] - c->n[STRADDLES], t->geometry);
	for (uint32_t i = 0; i < t->parts; i++) {
		const char *part = tlb_part_name(t, i);

		out(" %s_misses=%llu %s_valid=%u", part, c->n[PART_MISSES + i], part, valid[i]);
	}
	out("\n");
}

/* --- prose ---------------------------------------------------------------------------------- */

/* `n` for each `of`, with two digits behind the point. */
static void out_rate(uint64_t n, uint64_t of, int width)
{
	uint64_t hundredths = of ? n * 100 / of : 0;

	out(" %*llu.%02u", width - 4, hundredths / 100, (uint32_t)(hundredths % 100));
}

static void out_counts(const char *cpu, const struct counts *c)
{
	out("%3s %12llu %9llu", cpu, references(c), c->n[MISSES]);
	out_rate(c->n[MISSES] * 1000, references(c), 9);
	out(" %8llu %8llu %8llu %7llu", c->n[FIRST], c->n[REPLACED], c->n[FLUSH], c->n[FLUSHES]);
	out_rate(c->n[FLUSH], c->n[FLUSHES], 7);
	out("\n");
}

static void out_parts(const struct counts *c, const struct telemetry_tlb *t, const uint32_t *valid)
{
	out("\nPART         SETS x WAYS  VALID   REFERENCES    MISSES PER 1000\n");
	for (uint32_t i = 0; i < t->parts; i++) {
		uint64_t served = t->part[i].role == TELEMETRY_TLB_UNIFIED ? references(c)
				  : t->part[i].role == TELEMETRY_TLB_INSTRUCTIONS
					  ? c->n[FETCHES]
					  : c->n[READS] + c->n[WRITES];

		out("%-12s %4u x %-4u %6u", tlb_part_name(t, i), t->part[i].sets, t->part[i].ways,
		    valid[i]);
		if (t->part[i].role == TELEMETRY_TLB_LARGE) {
			out("   (4 MB pages) %9llu\n", c->n[PART_MISSES + i]);
			continue;
		}
		out(" %12llu %9llu", served, c->n[PART_MISSES + i]);
		out_rate(c->n[PART_MISSES + i] * 1000, served, 9);
		out("\n");
	}
}

static void out_rest(const struct counts *c)
{
	out("\n%llu instructions, %llu fetches, %llu reads, %llu writes\n",
	    c->n[FETCHES] - c->n[STRADDLES], c->n[FETCHES], c->n[READS], c->n[WRITES]);
	out("%llu words of page tables read; %llu writes set DIRTY in a cached page\n",
	    c->n[WALK_READS], c->n[REWALKS]);
	out("%llu pages dropped by INVLPG, %llu writes of CR0 with WP (a 386: none)\n",
	    c->n[PAGE_FLUSHES], c->n[WP_WRITES]);
}

/* --- the commands ------------------------------------------------------------------------------
 */

int tlb_stats(void)
{
	static struct counts sum, one; /* static: together too big for a kernel stack's frame */
	const struct telemetry_tlb *t = tlb_model(0);
	uint32_t valid[TELEMETRY_TLB_PARTS], all_valid[TELEMETRY_TLB_PARTS] = { 0 };
	char cpu[4], text[128];

	if (!t)
		return tlb_no_model();
	memset(&sum, 0, sizeof(sum));
	if (!mon->keys) {
		snprintf(text, sizeof(text), "TLB model %.90s; counts since %s", t->geometry,
			 was_cleared ? "tlb clear" : "boot");
		out_wrapped(text, 0);
		out("CPU   REFERENCES    MISSES PER 1000    FIRST REPLACED BY FLUSH FLUSHES    "
		    "EACH\n");
	}
	for (uint32_t i = 0; i < cpu_count; i++) {
		t = tlb_model(i);
		if (!t)
			continue; /* it had no memory for one */
		read_counts(&one, t);
		t = tlb_look(i); /* the entries that tlb shows */
		for (uint32_t n = 0; n < COUNTS; n++) {
			one.n[n] -= cleared[i].n[n];
			sum.n[n] += one.n[n];
		}
		for (uint32_t part = 0; part < t->parts; part++) {
			valid[part] = valid_entries(t, part);
			all_valid[part] += valid[part];
		}
		snprintf(cpu, sizeof(cpu), "%u", i);
		if (mon->keys)
			out_record(cpu, &one, t, valid);
		else
			out_counts(cpu, &one);
	}
	t = tlb_model(0); /* for its shape */
	if (mon->keys) {
		out_record("all", &sum, t, all_valid);
		return 0;
	}
	if (cpu_count > 1)
		out_counts("all", &sum);
	out_parts(&sum, t, all_valid);
	out_rest(&sum);
	return 0;
}

int tlb_clear(void)
{
	if (!tlb_model(0))
		return tlb_no_model();
	for (uint32_t i = 0; i < cpu_count; i++)
		if (tlb_model(i))
			read_counts(&cleared[i], tlb_model(i));
	was_cleared = true;
	tlb_forget_marks();
	return 0;
}
