/*
 * swapview.c - swap: what is on the disk, and what went there and came back.
 *
 * The counts are the telemetry block's; the map asks slot by slot.  Lesson 6.
 */
#include "mm/swap.h"
#include "monitor/shell/shell.h"
#include "telemetry.h"

#define MAP_COLUMNS 64
#define MAP_ROWS    12

/* Of the slots that share a cell, the first kind in this order that one of them is. */
static const char cell_letters[] = "*xs#.";

static uint32_t slot_kind(uint32_t slot)
{
	uint32_t users;

	switch (swap_slot_state(slot, &users)) {
	case SLOT_BUSY:
		return 0;
	case SLOT_BAD:
		return 1;
	case SLOT_USED:
		return users > 1 ? 2 : 3;
	default:
		return 4;
	}
}

static void out_map(uint32_t slots)
{
	uint32_t scale = 1;

	while (slots > MAP_COLUMNS * MAP_ROWS * scale)
		scale *= 2;
	for (uint32_t at = 0; at < slots; at += scale) {
		uint32_t cell = at / scale, kind = 4;

		for (uint32_t slot = at; slot < MIN(at + scale, slots); slot++)
			kind = MIN(kind, slot_kind(slot));
		if (cell % MAP_COLUMNS == 0)
			out("%s%6u ", cell ? "\n" : "", at);
		out("%c", cell_letters[kind]);
	}
	out("\na cell is %u slot%s:  . free  # used  s by several  * moving  x bad\n", scale,
	    scale == 1 ? "" : "s");
}

int cmd_swap(int argc, char **argv)
{
	const struct telemetry_swap *t = &telemetry.swap;
	uint32_t unused = t->slots - t->used - t->bad;

	(void)argv;
	if (argc > 1)
		return usage("swap");
	if (mon->keys) {
		out("slots=%u used=%u free=%u bad=%u pages=%u tables=%u data_in=%u data_out=%u "
		    "data_dropped=%u table_in=%u table_out=%u table_dropped=%u ",
		    t->slots, t->used, unused, t->bad, t->pages, t->tables, t->data_in, t->data_out,
		    t->data_dropped, t->table_in, t->table_out, t->table_dropped);
		out("reads=%u writes=%u errors=%u scanned=%u cleared=%u tables_swapped=%u\n",
		    t->reads, t->writes, t->errors, t->scanned, t->cleared, t->tables);
		return 0;
	}
	if (!t->slots) {
		out("no swap area; dropped, to be made again: %u pages, %u tables\n",
		    t->data_dropped, t->table_dropped);
		return 0;
	}
	out("%u slots of 4 KB: %u used (pages %u, tables %u), %u free, %u bad\n", t->slots, t->used,
	    t->used - MIN(t->tables, t->used), t->tables, unused, t->bad);
	out_map(t->slots);
	out_heading("         ON DISK       IN      OUT  DROPPED");
	out("pages   %8u %8u %8u %8u\n", t->pages, t->data_in, t->data_out, t->data_dropped);
	out("tables  %8u %8u %8u %8u\n", t->tables, t->table_in, t->table_out, t->table_dropped);
	out("requests: %u reads, %u writes, %u errors\n", t->reads, t->writes, t->errors);
	out("clock: %u pages looked at, %u of them in use\n", t->scanned, t->cleared);
	return 0;
}
