/*
 * model.h - a TLB, reference by reference.
 *
 * A model of the part of a processor that no program can look into.  Linear addresses and
 * flushes go in; hits, misses and their causes come out, and which pages are cached now.  It knows
 * no emulator and no kernel: the page tables are read through a function the caller hands in, so
 * the same code runs in QEMU's plugin and in unit tests.  Freestanding: no libc, no allocation.
 *
 * Why a miss happened.  Beside the model runs a *shadow*: the same geometry, fed the same
 * references, but CR3 loads do not touch it.  What it holds is what the TLB would hold had
 * nobody flushed.  User pages in it carry the generation of their space, since the same
 * linear address means other memory in another space; kernel pages carry 0.  A miss is charged to
 *
 *   flush     if the page was in the TLB when a flush emptied it, and the shadow still holds it:
 *             without the flush it would have been a hit.  Once an entry and flush, so one
 *             flush is never charged more misses than the TLB has entries;
 *   first     else if this translation (space, page and frame) was never cached before, or
 *             was invalidated by itself (INVLPG) since;
 *   replaced  else: it had been there, and others took its place.
 *
 * A page that maps another frame than before starts anew, in the shadow too.  What was cached
 * before is remembered in a table of the caller's (tlb_seen); should a bucket of it
 * overflow, its oldest page is forgotten, and counts as first touched when it comes back.
 *
 * A write that hits an entry whose DIRTY is clear makes the processor read the tables again, to
 * set the bit there.  Nothing is replaced, so it is a hit, counted as a rewalk besides.  Accesses
 * that the processor refuses (rights) are none of the model's: the fault comes instead of them.
 *
 * Of large pages (4 MB): a TLB with a part for them keeps them there; without one, or for
 * instructions in a split TLB (as the Pentium's), they are cached in pieces of 4 KB.
 *
 * Lessons 2 and 3.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/telemetry.h"

#define TLB_MOST_ENTRIES TELEMETRY_TLB_ENTRIES
#define TLB_MOST_WAYS	 64

enum tlb_kind {
	TLB_FETCH = TELEMETRY_TLB_FETCH,
	TLB_READ = TELEMETRY_TLB_READ,
	TLB_WRITE = TELEMETRY_TLB_WRITE,
};

/*
 * Which entry of a full set goes.  Everywhere an empty way is filled first, the lowest one.
 *
 * `pointer` is our guess at the 386, of which it is known only that it has a 2-bit pointer a set
 * and some algorithm after every hit: a hit or a fill of the way the pointer stands on
 * moves it to the next, so the victim is never the last one used.
 */
enum tlb_replacement { TLB_POINTER, TLB_PLRU, TLB_LRU, TLB_ROUND_ROBIN, TLB_RANDOM };

extern const char *const tlb_replacement_name[]; /* by enum tlb_replacement; ends with NULL */

struct tlb_geometry {
	uint32_t entries, ways; /* of the unified or the data part */
	uint32_t fetch_entries; /* of the instruction part; 0: unified */
	uint32_t large;		/* entries for 4 MB pages, 0: none; at most 4 ways */
	enum tlb_replacement replacement;
	uint32_t seed;	 /* of `random`, not 0 */
	bool has_global; /* heeds G once CR4.PGE is set */
};

/*
 * Read a geometry's text: NAME or NAME:key=value,...  with NAME 386, 486, pentium or custom and
 * keys entries, ways, replacement, seed, global, large, split.  NULL, or what is wrong with it: one
 * line, in `error`.
 */
const char *tlb_geometry(struct tlb_geometry *g, const char *text, char error[static 160]);

/* What a walk of the page tables found. */
struct tlb_walk {
	uint32_t pfn, flags; /* as in struct telemetry_tlb_entry; pfn of the 4 KB page itself */
	bool large;
	uint32_t reads;
};

/* Walk for `linear`; false: not mapped (any more). */
typedef bool (*tlb_walk_fn)(void *context, uint32_t linear, struct tlb_walk *found);

/* What a replacement policy remembers: of the model, and once more of the shadow. */
struct tlb_order {
	uint64_t set[TLB_MOST_ENTRIES];	 /* pointer, or the bits of a tree */
	uint64_t used[TLB_MOST_ENTRIES]; /* by entry, LRU: time of the last use */
	uint64_t clock;
	uint32_t random;
};

struct tlb_shadow_entry {
	uint32_t vpn, pfn, space;
	bool valid;
	bool flushed;	/* was in the TLB at flush `flush`, and not since */
	uint32_t flush; /* the caller's name for it */
};

#define TLB_SEEN_WAYS 8

struct tlb_seen {
	uint64_t (*bucket)[TLB_SEEN_WAYS]; /* zeroed by the caller */
	uint32_t bits;			   /* 1 << bits buckets */
};

struct tlb {
	struct telemetry_tlb *out; /* entries and counts live there */
	tlb_walk_fn walk;
	void *context;
	uint32_t parts, data_part; /* data_part: 0 when unified; behind it the large part, if any */
	bool has_large;
	struct tlb_part {
		uint32_t first, first_set, sets, ways;
		bool large;
	} part[TELEMETRY_TLB_PARTS];
	enum tlb_replacement replacement;
	bool has_global, keep_global;
	uint32_t space;	  /* the tag of user pages */
	uint32_t charged; /* after a miss by flush: the flush it was charged to */
	const struct telemetry_tlb_entry *last; /* used last, if of a 4 KB page; else NULL */
	struct tlb_order order, shadow_order;
	struct tlb_shadow_entry shadow[TLB_MOST_ENTRIES];
	struct tlb_seen seen;
};

enum tlb_result { TLB_HIT, TLB_MISS_FIRST, TLB_MISS_REPLACED, TLB_MISS_FLUSH };

/* An empty TLB.  `out` must be zeroed; `text` is for display. */
void tlb_init(struct tlb *t, const struct tlb_geometry *g, const char *text,
	      struct telemetry_tlb *out, tlb_walk_fn walk, void *context, struct tlb_seen seen);

/* One reference, not counted as one: a caller may count many at once. */
enum tlb_result tlb_access(struct tlb *t, uint32_t linear, enum tlb_kind kind);

/* One reference, counted. */
enum tlb_result tlb_reference(struct tlb *t, uint32_t linear, enum tlb_kind kind);

/* CR3 is loaded: all but global pages go.  `flush` names this load in `charged`. */
void tlb_flush(struct tlb *t, uint32_t flush);

/* Everything goes, global pages too (CR4.PGE or CR0.PG changed). */
void tlb_flush_global(struct tlb *t, uint32_t flush);

/* INVLPG. */
void tlb_flush_page(struct tlb *t, uint32_t linear);

/* CR4.PGE: from now on global pages survive tlb_flush(), if this TLB knows them. */
void tlb_globals(struct tlb *t, bool on);

/* The generation of the space that user pages belong to from now on. */
void tlb_space(struct tlb *t, uint32_t generation);

/*
 * Two pages of 4 KB in the same set, of which `first` was used last but one, and another one last.
 * True if using both once more, in that order, would change nothing.
 */
bool tlb_settled(struct tlb *t, uint32_t first, enum tlb_kind kind);
