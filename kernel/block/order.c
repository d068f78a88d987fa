/*
 * order.c - what must reach the disk before what.
 *
 * A file system that is cut off in the middle can be repaired if its blocks have reached the disk
 * in a sensible order: what a pointer leads to before the pointer.  So who is about to put a
 * pointer into `then` says buffer_order(first, then), and flush.c leaves `then` alone until `first`
 * is on the disk.
 *
 * An edge of this graph is in two lists, that of what `then` waits for and that of who waits for
 * `first`.  Each end lets go of it in its own time, by setting its pointer to NULL, and the last
 * one frees it.
 *
 * What must stay true:
 * - there is no circle, or nothing in it could ever be written: an edge that would close one is
 *   not made, its `first` is written at once instead;
 * - a buffer that others wait for is dirty or on its way to the disk;
 * - `pending` of a buffer is how many of its edges have both ends.
 *
 * Tunable: cache.order.  Lesson 9.
 */
#include "block/cache.h"
#include "mm/kalloc.h"

#define TIDY_EVERY 64

struct order {
	struct buffer *first, *then; /* NULL: has let go */
	struct order *next_first;    /* of those that `then` waits for */
	struct order *next_waiting;  /* of those that wait for `first` */
};

int cache_order = 1;

static struct telemetry_cache *const count = &telemetry.cache;

/* Free the edges that hold `b` back no more. */
static void tidy(struct buffer *b)
{
	struct order **p = &b->firsts, *o;

	while ((o = *p)) {
		if (o->first) {
			p = &o->next_first;
			continue;
		}
		*p = o->next_first;
		kfree(o);
	}
}

void order_written(struct buffer *b)
{
	struct order *o = b->waiting, *next;

	b->waiting = NULL;
	for (; o; o = next) {
		next = o->next_waiting;
		o->first = NULL;
		if (!o->then)
			kfree(o);
		else if (--o->then->pending == 0)
			tidy(o->then);
	}
}

void order_forget(struct buffer *b)
{
	struct order *o = b->firsts, *next;

	order_written(b);
	b->firsts = NULL;
	b->pending = 0;
	for (; o; o = next) {
		next = o->next_first;
		o->then = NULL;
		if (!o->first)
			kfree(o);
	}
}

void order_firsts(struct buffer *b, void (*fn)(struct buffer *f, void *arg), void *arg)
{
	for (struct order *o = b->firsts; o; o = o->next_first)
		if (o->first)
			fn(o->first, arg);
}

static bool is_noted(const struct buffer *first, const struct buffer *then)
{
	for (const struct order *o = first->waiting; o; o = o->next_waiting)
		if (o->then == then)
			return true;
	return false;
}

/*
 * Does `b` wait for `what`, if only by way of others?  Those still to be looked at are linked
 * through `walk`, the last one to itself.  Most wait for nothing, as the blocks of a file, and are
 * passed over.
 */
static bool waits_for(struct buffer *b, const struct buffer *what)
{
	struct buffer *at = b, *last = b, *next;
	bool found = false;

	if (!b->pending)
		return false;
	b->walk = b;
	for (;;) {
		for (struct order *o = at->firsts; o && !found; o = o->next_first) {
			struct buffer *f = o->first;

			if (f == what) {
				found = true;
			} else if (f && f->pending && !f->walk) {
				last->walk = f;
				last = f->walk = f;
			}
		}
		if (found || at == last)
			break;
		at = at->walk;
	}
	for (at = b;; at = next) {
		next = at->walk;
		at->walk = NULL;
		if (next == at)
			return found;
	}
}

/* False: no memory for it. */
static bool note(struct buffer *first, struct buffer *then)
{
	struct order *o = then->pending < UINT16_MAX ? kmalloc(sizeof(*o)) : NULL;

	if (!o)
		return false;
	*o = (struct order){ .first = first,
			     .then = then,
			     .next_first = then->firsts,
			     .next_waiting = first->waiting };
	first->waiting = then->firsts = o;
	then->pending++;
	/* A buffer that always waits for something would keep all its edges. */
	if (++count->orders % TIDY_EVERY == 0)
		tidy(then);
	return true;
}

void buffer_order(struct buffer *first, struct buffer *then)
{
	bool on_its_way = first->locked && first->valid;

	if (!cache_order || first == then || (!first->dirty && !on_its_way) ||
	    is_noted(first, then))
		return;
	if (waits_for(first, then) || !note(first, then)) {
		count->forced++;
		flush_buffer(first, TELEMETRY_FLUSH_ORDER);
	}
}
