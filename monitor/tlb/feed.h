/*
 * feed.h - every reference of a processor into its TLB, without asking at every one.
 *
 * An emulator runs code a block at a time: n instructions in a row.  The model wants each
 * instruction's fetch, then its data, in order.  Calling it for each would cost more than the
 * emulation itself, so this leaves out what cannot make a difference, and nothing else:
 *
 *  - A reference to the page last used in its set is a hit and changes nothing.  For each set that
 *    page is kept in a table (struct feed_recent); such a reference is one compare and one count.
 *  - The fetches of a block on one page are counted at its start and made once.  Making one again
 *    matters only when data on another page came into the same set since; it is then
 *    owed, and made before the next data reference that is not a hit of the first kind, or at the
 *    block's end.  Data, code, data, code on two pages of one set leaves the set as data,
 *    code does (tlb_settled() says when even that is not so), hence owing it once is enough.
 *
 * A block may end early.  At a fault, feed_trap() takes back what was counted too much; when the
 * emulator restarts an instruction alone (device memory under an instruction clock), feed_alone()
 * does.
 *
 * The result is exactly that of one call an instruction: tests/unit/test_tlb.c compares the two.
 */
#pragma once

#include "monitor/tlb/model.h"

struct feed_site { /* an instruction of a block */
	uint16_t index;
	uint16_t offset; /* of its first byte in the page */
	uint16_t bytes;
};

/*
 * Instructions in a row.  `careful`: on two pages, fetched one by one with feed_fetch(); `vpn` is
 * then the first.
 */
struct feed_block {
	uint32_t vpn;
	uint16_t n;
	bool careful;
	uint8_t vector; /* of a trap's entry stub */
	struct feed_site site[];
};

/* The block a site is of: sites are numbered from its beginning. */
static inline const struct feed_block *feed_block_of(const struct feed_site *site)
{
	return (const void *)((const char *)(site - site->index) -
			      offsetof(struct feed_block, site));
}

/* Addresses ascend in a block: an offset below that of its beginning is on its second page. */
static inline uint32_t feed_linear(const struct feed_site *site)
{
	const struct feed_block *b = feed_block_of(site);

	return (b->vpn + (site->offset < b->site[0].offset)) << 12 | site->offset;
}

static inline const struct feed_site *feed_last(const struct feed_block *b)
{
	return &b->site[b->n - 1];
}

/*
 * What was last used in a set, as far as going on using it changes nothing: addresses of
 * pages.  [1] is for writes: the same page if its DIRTY is cached.
 */
struct feed_recent {
	uint64_t page[2];
	const struct feed_site *site; /* the last instruction whose data it was */
	uint64_t unused;	      /* a size that is a power of two is indexed by a shift */
};

#define FEED_NOWHERE (1ull << 40) /* no page: beyond all addresses */

struct feed {
	const struct feed_block *block; /* running now; NULL: none known */
	const struct feed_site *end;	/* where it ended early, or NULL */
	/*
	 * What keeps blocks from beginning quickly: data came into the set of the running code
	 * since that was fetched; or nobody is attached yet.
	 */
	bool owes;
	bool attached;
	uint32_t fetch_vpn; /* page of the running instruction, in a careful block */
	uint32_t fetch_mask, data_mask;
	struct feed_recent *fetch_recent; /* of data: `recent`; the same when unified */
	struct telemetry_tlb *out;
	const volatile uint32_t *space;
	void (*charge)(struct feed *f, uint32_t flush); /* a miss was charged to that flush */
	struct feed_recent recent[TLB_MOST_ENTRIES];
	struct feed_recent recent_code[TLB_MOST_ENTRIES];
	struct tlb tlb;
	struct telemetry_tlb nowhere; /* what is counted before anybody is attached */
};

/*
 * From feed_init() to feed_attach() references lead nowhere.  `space`: where the generation of the
 * space is published, which changes only together with CR3, or between pages of different
 * addresses.
 */
void feed_init(struct feed *f);
void feed_attach(struct feed *f, const struct tlb_geometry *g, const char *text,
		 struct telemetry_tlb *out, const volatile uint32_t *space, tlb_walk_fn walk,
		 void *context, struct tlb_seen seen);

/* A block that is not careful begins.  False: that needs feed_block(), nothing was done. */
static inline bool feed_block_quickly(struct feed *f, const struct feed_block *b)
{
	if (f->owes || f->fetch_recent[b->vpn & f->fetch_mask].page[0] != (uint64_t)b->vpn << 12)
		return false;
	f->block = b;
	f->end = NULL;
	f->out->references[TLB_FETCH] += b->n;
	return true;
}

void feed_block(struct feed *f, const struct feed_block *b);

/* An instruction of a careful block begins. */
void feed_fetch(struct feed *f, const struct feed_block *b, const struct feed_site *site);

#define FEED_WIDEST 64 /* bytes of a data access, at most */

/*
 * The running instruction, `site` of the running block, read (0) or wrote (1) `linear`.  False:
 * that needs feed_data_slowly(), nothing was done.
 */
static inline bool feed_data_quickly(struct feed *f, uint32_t linear, size_t write,
				     const struct feed_site *site)
{
	struct feed_recent *r = &f->recent[linear >> 12 & f->data_mask];
	telemetry_u64 *count = &f->out->references[TLB_READ];

	if (linear - r->page[write] > 4096 - FEED_WIDEST)
		return false;
	count[write]++;
	r->site = site;
	return true;
}

void feed_data_slowly(struct feed *f, uint32_t linear, uint32_t bytes, bool write,
		      const struct feed_site *site);

/*
 * Data of the instruction `site`, which may be one that the emulator took out of the running
 * block to run it again alone: then that block ended with it.  Returns the site to use.
 */
const struct feed_site *feed_alone(struct feed *f, const struct feed_site *site);

/*
 * The processor delivers a trap: first of all, `fault_at` is the linear address of the instruction
 * that did not complete, or FEED_ALL_DONE.  Then feed_plain() for its own references.
 */
#define FEED_ALL_DONE 0xFFFFFFFFu

void feed_trap(struct feed *f, uint32_t fault_at);
void feed_plain(struct feed *f, uint32_t linear, enum tlb_kind kind);

/* The running instruction loads CR3 (`name` it), changes what pages are global, drops a page. */
void feed_flush(struct feed *f, const struct feed_site *site, uint32_t name, bool global);
void feed_flush_page(struct feed *f, const struct feed_site *site, uint32_t linear);
