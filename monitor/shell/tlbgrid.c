/*
 * tlbgrid.c - tlb: the sets and ways of the model, and what is in them.
 *
 * A 386 lets software ask for one linear address at a time (TR6, TR7); nobody ever saw all 32
 * entries at once.  Here they are, marked when they are new since the last look.  Lesson 3.
 */
#include "cpu/pda.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"

#define COLUMNS 4  /* entries in a row: 80 characters hold no more */
#define CELL	19 /* characters of one, with the blanks behind it */

/* By CPU: the model's count of fills when it was last shown. */
static uint32_t last_look[CPUS_MAX];

static bool is_new(uint32_t cpu, const struct telemetry_tlb_entry *e)
{
	return (int32_t)(e->filled - last_look[cpu]) > 0;
}

void tlb_forget_marks(void)
{
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		if (tlb_model(cpu))
			last_look[cpu] = tlb_model(cpu)->fills;
}

void tlb_out_record(uint32_t cpu, const struct telemetry_tlb *t, uint32_t part, uint32_t set,
		    uint32_t way)
{
	static const char *const causes[] = { "-", "first", "replaced", "flush" };
	const struct telemetry_tlb_entry *e =
		&t->entry[t->part[part].first + set * t->part[part].ways + way];
	const char *stale = e->flags ? tlb_stale(e) : NULL;
	char flags[TLB_FLAGS], owner[TLB_OWNER];
	bool valid = e->flags != 0;

	str_copy(owner, "-", sizeof(owner));
	if (valid)
		tlb_owner(e->vpn, e->space, owner);
	for (char *c = owner; *c; c++)
		*c = *c == ' ' ? '_' : *c;
	out("cpu=%u set=%u way=%u vpn=0x%05x pfn=0x%05x flags=%s valid=%u part=%s space=%u "
	    "new=%u cause=%s owner=%s stale=%s\n",
	    cpu, set, way, valid ? e->vpn : 0, valid ? e->pfn : 0, tlb_flags(e->flags, flags),
	    valid, tlb_part_name(t, part), valid ? e->space : 0, valid && is_new(cpu, e),
	    causes[valid ? e->cause & 3 : 0], owner, stale ? stale : "-");
}

/* --- the grid -------------------------------------------------------------------------- */

/* Numbers of `n` entries, and below each whose page that is. */
static void out_row(uint32_t cpu, const struct telemetry_tlb_entry *e, uint32_t n, const char *set)
{
	uint32_t valid = 0;
	char flags[TLB_FLAGS], owner[TLB_OWNER];

	out("%-4s", set);
	for (uint32_t i = 0; i < n; i++) {
		if (e[i].flags) {
			tlb_flags(e[i].flags, flags);
			out("%05x %05x %.4s%c", e[i].vpn, e[i].pfn, flags,
			    is_new(cpu, &e[i]) ? '*' : ' ');
			valid = i + 1;
		} else {
			out("%-17s", "    -");
		}
		out("%s", i + 1 < n ? "  " : "\n");
	}
	if (!valid)
		return;
	out("    ");
	for (uint32_t i = 0; i < valid; i++) {
		const char *stale = e[i].flags ? tlb_stale(&e[i]) : NULL;

		owner[0] = 0;
		if (stale)
			snprintf(owner, sizeof(owner), "stale: %s", stale);
		else if (e[i].flags)
			tlb_owner(e[i].vpn, e[i].space, owner);
		out("%-*.18s%s", i + 1 < valid ? CELL : 0, owner, i + 1 < valid ? "" : "\n");
	}
}

/* A set begins a row; small sets share one. */
static void out_part(uint32_t cpu, const struct telemetry_tlb *t, uint32_t part)
{
	const struct telemetry_tlb_entry *e = &t->entry[t->part[part].first];
	uint32_t ways = t->part[part].ways, entries = t->part[part].sets * ways, n;
	uint32_t columns = MIN(ways < 3 ? COLUMNS : ways, MIN(entries, COLUMNS));
	char set[12];

	if (t->parts > 1)
		out("%s: %u sets x %u ways\n", tlb_part_name(t, part), t->part[part].sets, ways);
	out("set ");
	for (uint32_t i = 0; i < columns; i++)
		out("page  frame VDUW%s", i + 1 < columns ? "   " : "\n");
	for (uint32_t i = 0; i < entries; i += n) {
		n = MIN(ways < 3 ? entries - i : ways - i % ways, COLUMNS);
		set[0] = 0;
		if (i % ways == 0)
			snprintf(set, sizeof(set), "%3u", i / ways);
		out_row(cpu, e + i, n, set);
	}
}

static void out_title(uint32_t cpu, const struct telemetry_tlb *t)
{
	char text[128], shape[32];

	shape[0] = 0;
	if (t->parts == 1)
		snprintf(shape, sizeof(shape), ", %u sets x %u ways", t->part[0].sets,
			 t->part[0].ways);
	snprintf(text, sizeof(text), "CPU %u: MODEL %.48s%s; not the processor's own (tlb probe)",
		 cpu, t->geometry, shape);
	out_wrapped(text, 0);
}

static void out_sum(uint32_t cpu, const struct telemetry_tlb *t)
{
	uint32_t entries = 0, valid = 0, fresh = 0, stale = 0;

	for (uint32_t i = 0; i < t->parts; i++)
		entries += t->part[i].sets * t->part[i].ways;
	for (uint32_t i = 0; i < entries; i++) {
		const struct telemetry_tlb_entry *e = &t->entry[i];

		if (!e->flags)
			continue;
		valid++;
		fresh += is_new(cpu, e);
		stale += tlb_stale(e) != NULL;
	}
	out("%u of %u valid; * %u new since the last look; %u stale\n", valid, entries, fresh,
	    stale);
}

static void show_cpu(uint32_t cpu, const struct telemetry_tlb *t)
{
	if (!mon->keys)
		out_title(cpu, t);
	for (uint32_t part = 0; part < t->parts; part++) {
		if (!mon->keys) {
			out_part(cpu, t, part);
			continue;
		}
		for (uint32_t i = 0; i < t->part[part].sets * t->part[part].ways; i++)
			tlb_out_record(cpu, t, part, i / t->part[part].ways,
				       i % t->part[part].ways);
	}
	if (!mon->keys)
		out_sum(cpu, t);
	last_look[cpu] = t->fills;
}

int tlb_grid(int argc, char **argv)
{
	uint32_t first = 0, last;

	if (argc > 2)
		return usage("tlb");
	if (argc == 2 && !arg_number(argv[1], &first))
		return 1;
	if (first >= cpu_count)
		return fail("cpu %u: there is none", first);
	last = argc == 1 && mon->keys ? cpu_count - 1 : first;
	for (uint32_t cpu = first; cpu <= last; cpu++) {
		const struct telemetry_tlb *t = tlb_look(cpu);

		if (!t)
			return tlb_no_model();
		show_cpu(cpu, t);
	}
	return 0;
}
