/*
 * feed.c - the slow half of feed.h.
 */
#include "monitor/tlb/feed.h"

#define PTE_D 0x040u

static void forget(struct feed_recent *r)
{
	r->page[0] = r->page[1] = FEED_NOWHERE;
}

static void forget_all(struct feed *f)
{
	for (uint32_t i = 0; i < TLB_MOST_ENTRIES; i++) {
		forget(&f->recent[i]);
		forget(&f->recent_code[i]);
	}
}

void feed_init(struct feed *f)
{
	f->nowhere = (struct telemetry_tlb){ 0 };
	f->out = &f->nowhere;
	f->fetch_recent = f->recent_code;
	f->block = NULL;
	f->owes = true;
	f->attached = false;
	forget_all(f);
}

void feed_attach(struct feed *f, const struct tlb_geometry *g, const char *text,
		 struct telemetry_tlb *out, const volatile uint32_t *space, tlb_walk_fn walk,
		 void *context, struct tlb_seen seen)
{
	tlb_init(&f->tlb, g, text, out, walk, context, seen);
	f->out = out;
	f->space = space;
	f->fetch_recent = f->tlb.data_part ? f->recent_code : f->recent;
	f->fetch_mask = f->tlb.part[0].sets - 1;
	f->data_mask = f->tlb.part[f->tlb.data_part].sets - 1;
	forget_all(f);
	f->block = NULL;
	f->owes = false;
	f->attached = true;
}

static bool is_unified(const struct feed *f)
{
	return f->fetch_recent == f->recent;
}

/* Let the model have a reference, and note what is now the page last used in its set. */
static void access(struct feed *f, uint32_t linear, enum tlb_kind kind)
{
	uint32_t vpn = linear >> 12;
	struct feed_recent *r = kind == TLB_FETCH ? &f->fetch_recent[vpn & f->fetch_mask]
						  : &f->recent[vpn & f->data_mask];
	const struct telemetry_tlb_entry *e;

	f->tlb.space = *f->space;
	if (tlb_access(&f->tlb, linear, kind) == TLB_MISS_FLUSH && f->charge)
		f->charge(f, f->tlb.charged);
	e = f->tlb.last;
	if (!e)
		return; /* in no set of 4 KB pages did anything change */
	r->page[0] = linear & ~4095u;
	r->page[1] = e->flags & PTE_D ? r->page[0] : FEED_NOWHERE;
}

/* The page of the running code. */
static uint32_t code_vpn(const struct feed *f)
{
	return f->block && !f->block->careful ? f->block->vpn : f->fetch_vpn;
}

/* The last instruction of the running block that runs. */
static const struct feed_site *last_site(const struct feed *f)
{
	return f->end ? f->end : feed_last(f->block);
}

static void fetch_again(struct feed *f)
{
	f->owes = false;
	access(f, code_vpn(f) << 12, TLB_FETCH);
}

/* The instruction whose data came last into the set of the running code. */
static const struct feed_site *last_in_set(const struct feed *f)
{
	return f->fetch_recent[code_vpn(f) & f->fetch_mask].site;
}

/* The running block is over: fetch what its instructions after the last data would have. */
static void pay(struct feed *f)
{
	if (f->owes && f->block && last_in_set(f) < last_site(f))
		fetch_again(f);
	f->owes = false;
}

void feed_block(struct feed *f, const struct feed_block *b)
{
	if (!f->attached)
		return;
	pay(f);
	f->block = b;
	f->end = NULL;
	f->out->references[TLB_FETCH] += b->n;
	access(f, b->vpn << 12, TLB_FETCH);
}

void feed_fetch(struct feed *f, const struct feed_block *b, const struct feed_site *site)
{
	uint32_t linear = feed_linear(site), last = (linear + site->bytes - 1) >> 12;

	if (!f->attached)
		return;
	if (f->owes && (f->block != b || !site->index))
		pay(f);
	f->owes = false;
	f->block = b;
	f->end = site;
	f->fetch_vpn = last;
	f->out->references[TLB_FETCH]++;
	access(f, linear, TLB_FETCH);
	if (last != linear >> 12) {
		f->out->references[TLB_FETCH]++;
		f->out->straddles++;
		access(f, last << 12, TLB_FETCH);
	}
}

static void data_on_page(struct feed *f, uint32_t linear, enum tlb_kind kind,
			 const struct feed_site *site)
{
	uint32_t vpn = linear >> 12;
	struct feed_recent *r = &f->recent[vpn & f->data_mask];
	uint32_t code = code_vpn(f);
	bool in_set = is_unified(f) && !((vpn ^ code) & f->fetch_mask);
	bool after_fetch;

	f->out->references[kind]++;
	if (f->owes && last_in_set(f) < site)
		fetch_again(f);
	after_fetch = r->page[0] == (uint64_t)code << 12;
	access(f, linear, kind);
	r->site = site;
	if (!in_set)
		return;
	f->owes = vpn != code;
	if (f->owes && (!after_fetch || !tlb_settled(&f->tlb, code << 12, TLB_FETCH)))
		forget(r);
}

void feed_data_slowly(struct feed *f, uint32_t linear, uint32_t bytes, bool write,
		      const struct feed_site *site)
{
	enum tlb_kind kind = write ? TLB_WRITE : TLB_READ;
	uint32_t last = linear + bytes - 1;

	if (!f->attached)
		return;
	data_on_page(f, linear, kind, site);
	if (last >> 12 != linear >> 12)
		data_on_page(f, last & ~4095u, kind, site);
}

/* The running block gets no further than the instruction at `linear`, if that is one of it. */
static void ends_at(struct feed *f, uint32_t linear)
{
	const struct feed_block *b = f->block;

	if (b->careful || b->vpn != linear >> 12)
		return;
	for (const struct feed_site *site = b->site; site < last_site(f); site++)
		if (site->offset == (linear & 4095)) {
			f->out->references[TLB_FETCH] -= last_site(f) - site;
			f->end = site;
		}
}

const struct feed_site *feed_alone(struct feed *f, const struct feed_site *site)
{
	const struct feed_block *b = f->block;

	if (!b || (site >= b->site && site <= feed_last(b)))
		return site;
	ends_at(f, feed_linear(site));
	return last_site(f);
}

void feed_trap(struct feed *f, uint32_t fault_at)
{
	if (!f->attached)
		return;
	if (f->block && fault_at != FEED_ALL_DONE)
		ends_at(f, fault_at);
	pay(f);
	f->block = NULL;
}

void feed_plain(struct feed *f, uint32_t linear, enum tlb_kind kind)
{
	if (!f->attached)
		return;
	f->out->references[kind]++;
	access(f, linear, kind);
}

/* What the running instruction does next must come after all that was before it. */
static void before(struct feed *f, const struct feed_site *site)
{
	if (f->owes && last_in_set(f) < site)
		fetch_again(f);
}

/* ... and what comes after it is fetched again, since its page may be gone. */
static void after(struct feed *f, const struct feed_site *site)
{
	struct feed_recent *r = &f->fetch_recent[code_vpn(f) & f->fetch_mask];

	forget(r);
	r->site = site;
	f->owes = true;
}

void feed_flush(struct feed *f, const struct feed_site *site, uint32_t name, bool global)
{
	if (!f->attached)
		return;
	before(f, site);
	if (global)
		tlb_flush_global(&f->tlb, name);
	else
		tlb_flush(&f->tlb, name);
	forget_all(f);
	after(f, site);
}

void feed_flush_page(struct feed *f, const struct feed_site *site, uint32_t linear)
{
	if (!f->attached)
		return;
	before(f, site);
	tlb_flush_page(&f->tlb, linear);
	forget_all(f);
	after(f, site);
}
