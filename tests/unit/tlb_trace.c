/*
 * tlb_trace.c - the model's half of the comparison that tlb_reference.py makes.
 *
 * Reads operations, three words each, from standard input and says, a word each, what came of every
 * reference; a dump asks for all entries and counts.  Page tables are a formula that both
 * sides know.
 */
#include <stdio.h>
#include <stdlib.h>

#include "monitor/tlb/model.h"

enum { FETCH, READ, WRITE, LOAD, LOAD_GLOBAL, PAGE, GLOBALS, REMAP, DUMP };

#define P    0x001u
#define D    0x040u
#define G    0x100u
#define BITS 14

static struct tlb tlb;
static struct telemetry_tlb out;
static uint64_t buckets[1 << BITS][TLB_SEEN_WAYS];
static uint32_t moved;
static uint8_t dirty[1 << 20];

static bool walk(void *context, uint32_t linear, struct tlb_walk *w)
{
	uint32_t vpn = linear >> 12;

	(void)context;
	w->large = vpn >= 0xC0800;
	w->reads = w->large ? 1 : 2;
	w->pfn = (vpn + (vpn < 0xC0000 ? moved + (tlb.space << 10) : 0)) & 0xfffff;
	w->flags = P | (vpn % 5 && !w->large ? D : dirty[vpn] ? D : 0) | (vpn % 3 ? 0 : G);
	return vpn % 97 != 0;
}

static void put(uint32_t word)
{
	fwrite(&word, 4, 1, stdout);
}

static void dump(void)
{
	for (uint32_t i = 0; i < TELEMETRY_TLB_ENTRIES; i++) {
		const struct telemetry_tlb_entry *e = &out.entry[i];

		put(e->flags ? e->vpn : UINT32_MAX);
		put(e->flags ? e->pfn : 0);
		put(e->flags);
		put(e->flags ? e->space : 0);
	}
	put(out.misses);
	put(out.miss_first);
	put(out.miss_replaced);
	put(out.miss_flush);
	put(out.rewalks);
	put(out.walk_reads);
	put(telemetry_tlb_hits(&out));
}

int main(int argc, char **argv)
{
	struct tlb_geometry g;
	char error[160];
	const char *why =
		argc == 2 ? tlb_geometry(&g, argv[1], error) : "usage: tlb_trace GEOMETRY";
	uint32_t op[3];
	enum tlb_result r;

	if (why) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	tlb_init(&tlb, &g, argv[1], &out, walk, NULL, (struct tlb_seen){ buckets, BITS });
	while (fread(op, sizeof(op), 1, stdin) == 1) {
		switch (op[0]) {
		case FETCH:
		case READ:
		case WRITE:
			r = tlb_reference(&tlb, op[1], (enum tlb_kind)op[0]);
			put(r | (r == TLB_MISS_FLUSH ? tlb.charged << 2 : 0));
			dirty[op[1] >> 12] |= op[0] == WRITE;
			break;
		case LOAD:
			tlb_flush(&tlb, op[2]);
			tlb_space(&tlb, op[1]);
			break;
		case LOAD_GLOBAL:
			tlb_flush_global(&tlb, op[2]);
			break;
		case PAGE:
			tlb_flush_page(&tlb, op[1]);
			break;
		case GLOBALS:
			tlb_globals(&tlb, op[1]);
			break;
		case REMAP:
			moved = op[1];
			break;
		case DUMP:
			dump();
			break;
		}
	}
	return 0;
}
