/*
 * model.c - a TLB, reference by reference.
 *
 * Two arrays of the same geometry: the TLB itself, whose entries and counts lie in a struct
 * telemetry_tlb that others may look at, and its shadow, which explains the misses.  The
 * rules are in model.h; here each is a few lines.
 *
 * A reference to the page last used in its set changes nothing, under any of the policies.
 * feed.h lives on that: it skips most references without asking.
 *
 * Lessons 2 and 3.
 */
#include "monitor/tlb/model.h"

#define PTE_P 0x001u
#define PTE_D 0x040u
#define PTE_G 0x100u

_Static_assert(TLB_MISS_FIRST == (int)TELEMETRY_TLB_FIRST &&
		       TLB_MISS_REPLACED == (int)TELEMETRY_TLB_REPLACED &&
		       TLB_MISS_FLUSH == (int)TELEMETRY_TLB_FLUSH,
	       "a miss and its cause are the same number");

#define KERNEL_FIRST_VPN 0xC0000u /* kernel pages: the same in every space */
#define LARGE_PAGES	 1024u	  /* of 4 KB in one of 4 MB */
#define LARGE_WAYS	 4u

const char *const tlb_replacement_name[] = { "pointer", "plru", "lru", "rr", "random", NULL };

/* --- which way goes ---------------------------------------------------------- */

static uint32_t next_random(struct tlb_order *o)
{
	/* Marsaglia's xorshift: repeatable, and good enough to choose among a few ways */
	o->random ^= o->random << 13;
	o->random ^= o->random >> 17;
	o->random ^= o->random << 5;
	return o->random;
}

/*
 * The tree of pseudo-LRU: ways are its leaves, bit n of `bits` is node n (the root is 1, below n
 * are 2n and 2n + 1) and says which half was *not* used last.  With four ways that is the
 * 486's three bits.
 */
static uint64_t tree_use(uint64_t bits, uint32_t ways, uint32_t way)
{
	uint32_t node = 1;

	for (uint32_t half = ways / 2; half; half /= 2) {
		uint32_t right = (way & half) != 0;

		bits &= ~(1ull << node);
		bits |= (uint64_t)!right << node;
		node = 2 * node + right;
	}
	return bits;
}

static uint32_t tree_victim(uint64_t bits, uint32_t ways)
{
	uint32_t node = 1;

	while (node < ways)
		node = 2 * node + (bits >> node & 1);
	return node - ways;
}

/* The way to give up in set `s`, all of whose ways are taken. */
static uint32_t victim(struct tlb *t, struct tlb_order *o, const struct tlb_part *p, uint32_t s)
{
	const uint64_t *used = &o->used[p->first + s * p->ways];
	uint32_t oldest = 0;

	switch (t->replacement) {
	case TLB_POINTER:
	case TLB_ROUND_ROBIN:
		return o->set[p->first_set + s];
	case TLB_PLRU:
		return tree_victim(o->set[p->first_set + s], p->ways);
	case TLB_LRU:
		for (uint32_t way = 1; way < p->ways; way++)
			if (used[way] < used[oldest])
				oldest = way;
		return oldest;
	case TLB_RANDOM:
		break;
	}
	return next_random(o) % p->ways;
}

/*
 * `way` was used: tell which is the next victim of set `s`.  The least recently used way stays that
 * until it is used itself.
 */
static void publish_victim(struct tlb *t, const struct tlb_part *p, uint32_t s, uint32_t way)
{
	uint8_t *out = &t->out->victim[p->first_set + s];

	if (t->replacement == TLB_RANDOM || (t->replacement == TLB_LRU && *out != way))
		return;
	*out = victim(t, &t->order, p, s);
}

/* `way` of set `s` was used; `filled`: by bringing it in. */
static void use(struct tlb *t, struct tlb_order *o, const struct tlb_part *p, uint32_t s,
		uint32_t way, bool filled)
{
	uint64_t *state = &o->set[p->first_set + s];

	switch (t->replacement) {
	case TLB_POINTER:
		if (*state == way)
			*state = (way + 1) % p->ways;
		break;
	case TLB_PLRU:
		*state = tree_use(*state, p->ways, way);
		break;
	case TLB_LRU:
		o->used[p->first + s * p->ways + way] = ++o->clock;
		break;
	case TLB_ROUND_ROBIN:
		if (filled)
			*state = (way + 1) % p->ways;
		break;
	case TLB_RANDOM:
		break;
	}
	if (o == &t->order)
		publish_victim(t, p, s, way);
}

/* --- the TLB itself ---------------------------------------------------------- */

static uint32_t set_of(const struct tlb_part *p, uint32_t vpn)
{
	return (p->large ? vpn / LARGE_PAGES : vpn) & (p->sets - 1);
}

static uint32_t large_vpn(uint32_t vpn)
{
	return vpn & ~(LARGE_PAGES - 1);
}

/* The part for 4 KB pages that serves such an access. */
static const struct tlb_part *small_part(const struct tlb *t, enum tlb_kind kind)
{
	return &t->part[kind == TLB_FETCH ? 0 : t->data_part];
}

/* The part for 4 MB pages that serves such an access, or NULL. */
static const struct tlb_part *large_part(const struct tlb *t, enum tlb_kind kind)
{
	bool split = t->data_part != 0;

	return t->has_large && !(split && kind == TLB_FETCH) ? &t->part[t->data_part + 1] : NULL;
}

/* The way of `p` that holds `vpn` (as that part counts pages), or -1. */
static int find(const struct tlb *t, const struct tlb_part *p, uint32_t vpn)
{
	const struct telemetry_tlb_entry *e = &t->out->entry[p->first + set_of(p, vpn) * p->ways];

	for (uint32_t way = 0; way < p->ways; way++)
		if (e[way].vpn == vpn && e[way].flags)
			return way;
	return -1;
}

static struct telemetry_tlb_entry *entry_of(const struct tlb *t, const struct tlb_part *p,
					    uint32_t vpn, uint32_t way)
{
	return &t->out->entry[p->first + set_of(p, vpn) * p->ways + way];
}

static uint32_t tag_of(const struct tlb *t, uint32_t vpn)
{
	return vpn >= KERNEL_FIRST_VPN ? 0 : t->space;
}

static struct telemetry_tlb_entry *fill(struct tlb *t, const struct tlb_part *p, uint32_t vpn,
					const struct tlb_walk *w)
{
	uint32_t s = set_of(p, vpn), way = 0;
	struct telemetry_tlb_entry *e = &t->out->entry[p->first + s * p->ways];

	while (way < p->ways && e[way].flags)
		way++;
	if (way == p->ways)
		way = victim(t, &t->order, p, s);
	e[way] = (struct telemetry_tlb_entry){
		.vpn = vpn,
		.pfn = p->large ? large_vpn(w->pfn) : w->pfn,
		.flags = w->flags | PTE_P,
		.space = tag_of(t, vpn),
		.filled = ++t->out->fills,
	};
	t->out->part[p - t->part].misses++;
	t->last = p->large ? NULL : &e[way];
	use(t, &t->order, p, s, way, true);
	return &e[way];
}

/* --- what was ever cached ------------------------------------------------------ */

#define SEEN_KEY_SHIFT 20
#define SEEN_SPACES    0xFFFFFFu

/* Space and page, never 0. */
static uint64_t seen_key(uint32_t space, uint32_t vpn)
{
	return ((uint64_t)(space & SEEN_SPACES) << 20 | vpn) + 1;
}

static uint64_t *seen_bucket(struct tlb *t, uint64_t key)
{
	/* Fibonacci hashing: 2^64 over the golden ratio spreads neighbours apart */
	return t->seen.bucket[key * 0x9E3779B97F4A7C15ull >> (64 - t->seen.bits)];
}

/* Remember the translation; true if it is the one remembered. */
static bool seen_before(struct tlb *t, uint32_t space, uint32_t vpn, uint32_t pfn)
{
	uint64_t key = seen_key(space, vpn), slot = key << SEEN_KEY_SHIFT | pfn;
	uint64_t *bucket = seen_bucket(t, key);

	for (uint32_t i = 0; i < TLB_SEEN_WAYS; i++) {
		bool same = bucket[i] == slot;

		if (bucket[i] >> SEEN_KEY_SHIFT == key) {
			bucket[i] = slot;
			return same;
		}
	}
	for (uint32_t i = TLB_SEEN_WAYS - 1; i; i--)
		bucket[i] = bucket[i - 1];
	bucket[0] = slot;
	return false;
}

static void seen_forget(struct tlb *t, uint32_t space, uint32_t vpn)
{
	uint64_t key = seen_key(space, vpn);
	uint64_t *bucket = seen_bucket(t, key);

	for (uint32_t i = 0; i < TLB_SEEN_WAYS; i++)
		if (bucket[i] >> SEEN_KEY_SHIFT == key)
			bucket[i] = 0;
}

/* --- the shadow ---------------------------------------------------------------- */

static struct tlb_shadow_entry *shadow_find(struct tlb *t, const struct tlb_part *p, uint32_t vpn,
					    uint32_t space)
{
	struct tlb_shadow_entry *e = &t->shadow[p->first + set_of(p, vpn) * p->ways];

	for (uint32_t way = 0; way < p->ways; way++)
		if (e[way].vpn == vpn && e[way].space == space && e[way].valid)
			return &e[way];
	return NULL;
}

/* The page was used, be it a hit of the model or not.  Returns its entry as it was, with `valid`
 * saying whether there was one. */
static struct tlb_shadow_entry shadow_use(struct tlb *t, const struct tlb_part *p, uint32_t vpn,
					  uint32_t pfn)
{
	uint32_t space = tag_of(t, vpn), s = set_of(p, vpn), way = 0;
	struct tlb_shadow_entry *set = &t->shadow[p->first + s * p->ways];
	struct tlb_shadow_entry *e = shadow_find(t, p, vpn, space), old = { .valid = false };

	if (e && e->pfn != pfn) { /* it maps something else now: starts anew */
		e->valid = false;
		e = NULL;
	}
	if (e) {
		old = *e;
		e->flushed = false;
		use(t, &t->shadow_order, p, s, e - set, false);
		return old;
	}
	while (way < p->ways && set[way].valid)
		way++;
	if (way == p->ways)
		way = victim(t, &t->shadow_order, p, s);
	set[way] =
		(struct tlb_shadow_entry){ .vpn = vpn, .pfn = pfn, .space = space, .valid = true };
	use(t, &t->shadow_order, p, s, way, true);
	return old;
}

/* The last flush took `vpn`, and now it is missed. */
static void note_charged(struct tlb *t, const struct tlb_part *p, uint32_t vpn)
{
	uint32_t *held = &t->out->held[p->first + set_of(p, vpn) * p->ways];

	for (uint32_t way = 0; way < p->ways; way++)
		if (held[way] == (vpn | TELEMETRY_TLB_HELD))
			held[way] |= TELEMETRY_TLB_CHARGED;
}

static enum tlb_result explain(struct tlb *t, const struct tlb_part *p, uint32_t vpn, uint32_t pfn)
{
	struct tlb_shadow_entry was = shadow_use(t, p, vpn, pfn);
	bool seen = seen_before(t, tag_of(t, vpn), vpn, pfn);

	if (was.valid && was.flushed) {
		t->charged = was.flush;
		t->out->miss_flush++;
		if (was.flush == t->out->last_flush)
			note_charged(t, p, vpn);
		return TLB_MISS_FLUSH;
	}
	if (was.valid || seen) {
		t->out->miss_replaced++;
		return TLB_MISS_REPLACED;
	}
	t->out->miss_first++;
	return TLB_MISS_FIRST;
}

/* --- references ------------------------------------------------------------------ */

static void hit(struct tlb *t, const struct tlb_part *p, uint32_t vpn, uint32_t way, bool write,
		uint32_t linear)
{
	struct telemetry_tlb_entry *e = entry_of(t, p, vpn, way);

	t->last = p->large ? NULL : e;
	use(t, &t->order, p, set_of(p, vpn), way, false);
	if (write && !(e->flags & PTE_D)) {
		struct tlb_walk w = { 0 };

		t->walk(t->context, linear, &w);
		t->out->walk_reads += w.reads;
		t->out->rewalks++;
		e->flags |= PTE_D;
	}
	shadow_use(t, p, vpn, e->pfn);
}

static enum tlb_result miss(struct tlb *t, uint32_t linear, enum tlb_kind kind)
{
	const struct tlb_part *p = small_part(t, kind), *large = large_part(t, kind);
	struct telemetry_tlb_entry *e;
	struct tlb_walk w = { 0 };
	uint32_t vpn = linear >> 12;
	bool mapped = t->walk(t->context, linear, &w);

	t->out->misses++;
	t->out->walk_reads += w.reads;
	if (!mapped) { /* another processor was quicker: nothing to cache */
		t->last = NULL;
		t->out->miss_first++;
		return TLB_MISS_FIRST;
	}
	if (w.large && large) {
		p = large;
		vpn = large_vpn(vpn);
		w.pfn = large_vpn(w.pfn);
	}
	if (kind == TLB_WRITE)
		w.flags |= PTE_D;
	e = fill(t, p, vpn, &w);
	e->cause = explain(t, p, vpn, w.pfn);
	if (e->cause == TELEMETRY_TLB_FLUSH)
		e->flush = t->charged;
	return e->cause;
}

enum tlb_result tlb_access(struct tlb *t, uint32_t linear, enum tlb_kind kind)
{
	const struct tlb_part *p = small_part(t, kind), *large = large_part(t, kind);
	uint32_t vpn = linear >> 12;
	int way = find(t, p, vpn);

	if (way < 0 && large) {
		way = find(t, large, large_vpn(vpn));
		if (way >= 0) {
			p = large;
			vpn = large_vpn(vpn);
		}
	}
	if (way < 0)
		return miss(t, linear, kind);
	hit(t, p, vpn, way, kind == TLB_WRITE, linear);
	return TLB_HIT;
}

enum tlb_result tlb_reference(struct tlb *t, uint32_t linear, enum tlb_kind kind)
{
	t->out->references[kind]++;
	return tlb_access(t, linear, kind);
}

bool tlb_settled(struct tlb *t, uint32_t first, enum tlb_kind kind)
{
	const struct tlb_part *p = small_part(t, kind);
	uint32_t vpn = first >> 12, s = set_of(p, vpn);
	const struct tlb_shadow_entry *in_shadow = shadow_find(t, p, vpn, tag_of(t, vpn));
	int way = find(t, p, vpn);

	if (way < 0 || !in_shadow)
		return false;
	if (t->replacement != TLB_POINTER)
		return true;
	/* The pointer moves by a hit, but only if it stands there. */
	return t->order.set[p->first_set + s] != (uint32_t)way &&
	       &t->shadow[p->first + s * p->ways + t->shadow_order.set[p->first_set + s]] !=
		       in_shadow;
}

/* --- flushes ----------------------------------------------------------------------- */

static void flush(struct tlb *t, uint32_t name, bool keep_global)
{
	t->out->flushes++;
	t->out->last_flush = name;
	for (uint32_t i = 0; i < t->parts; i++) {
		const struct tlb_part *p = &t->part[i];

		for (uint32_t n = 0; n < p->sets * p->ways; n++) {
			struct telemetry_tlb_entry *e = &t->out->entry[p->first + n];
			struct tlb_shadow_entry *s;

			t->out->held[p->first + n] = 0;
			if (!e->flags || (keep_global && e->flags & PTE_G))
				continue;
			t->out->held[p->first + n] = e->vpn | TELEMETRY_TLB_HELD;
			e->flags = 0;
			s = shadow_find(t, p, e->vpn, e->space);
			if (s) {
				s->flushed = true;
				s->flush = name;
			}
		}
	}
}

void tlb_flush(struct tlb *t, uint32_t name)
{
	flush(t, name, t->keep_global);
}

void tlb_flush_global(struct tlb *t, uint32_t name)
{
	flush(t, name, false);
}

void tlb_flush_page(struct tlb *t, uint32_t linear)
{
	t->out->page_flushes++;
	for (uint32_t i = 0; i < t->parts; i++) {
		const struct tlb_part *p = &t->part[i];
		uint32_t vpn = p->large ? large_vpn(linear >> 12) : linear >> 12;
		struct tlb_shadow_entry *s = shadow_find(t, p, vpn, tag_of(t, vpn));
		int way = find(t, p, vpn);

		if (way >= 0)
			entry_of(t, p, vpn, way)->flags = 0;
		if (s)
			s->valid = false;
		seen_forget(t, tag_of(t, vpn), vpn);
	}
}

void tlb_globals(struct tlb *t, bool on)
{
	t->keep_global = on && t->has_global;
}

void tlb_space(struct tlb *t, uint32_t generation)
{
	t->space = generation;
}

/* --- the beginning ------------------------------------------------------------------ */

static void add_part(struct tlb *t, uint32_t role, uint32_t entries, uint32_t ways)
{
	struct tlb_part *p = &t->part[t->parts], *before = p - 1;
	struct telemetry_tlb *out = t->out;

	*p = (struct tlb_part){ .sets = entries / ways, .ways = ways };
	p->large = role == TELEMETRY_TLB_LARGE;
	if (t->parts) {
		p->first = before->first + before->sets * before->ways;
		p->first_set = before->first_set + before->sets;
	}
	out->part[t->parts].first = p->first;
	out->part[t->parts].first_set = p->first_set;
	out->part[t->parts].sets = p->sets;
	out->part[t->parts].ways = ways;
	out->part[t->parts].role = role;
	out->part[t->parts].replacement = t->replacement;
	for (uint32_t s = 0; s < p->sets; s++)
		out->victim[p->first_set + s] =
			t->replacement == TLB_RANDOM ? TELEMETRY_TLB_ANY : 0;
	out->parts = ++t->parts;
}

void tlb_init(struct tlb *t, const struct tlb_geometry *g, const char *text,
	      struct telemetry_tlb *out, tlb_walk_fn walk, void *context, struct tlb_seen seen)
{
	*t = (struct tlb){
		.out = out,
		.walk = walk,
		.context = context,
		.replacement = g->replacement,
		.has_global = g->has_global,
		.seen = seen,
	};
	t->order.random = t->shadow_order.random = g->seed;
	if (g->fetch_entries)
		add_part(t, TELEMETRY_TLB_INSTRUCTIONS, g->fetch_entries, g->ways);
	t->data_part = t->parts;
	add_part(t, t->parts ? TELEMETRY_TLB_DATA : TELEMETRY_TLB_UNIFIED, g->entries, g->ways);
	t->has_large = g->large != 0;
	if (t->has_large)
		add_part(t, TELEMETRY_TLB_LARGE, g->large,
			 g->large < LARGE_WAYS ? g->large : LARGE_WAYS);
	for (uint32_t i = 0; i < sizeof(out->geometry) - 1 && text[i]; i++)
		out->geometry[i] = text[i];
	out->attached = 1;
}
