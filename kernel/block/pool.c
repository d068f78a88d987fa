/*
 * pool.c - where buffers come from, and which one goes.
 *
 * Buffers come and go by the frame: 4 of 1 KB, 2 of 2 KB or 1 of 4 KB, with their heads in one
 *small object (struct cache_frame).  A miss takes, in this order, a buffer that holds nothing, a
 *new frame's worth of buffers while memory is plentiful, or the one that is to go.
 *
 * All buffers stand in one line, and the first goes first:
 *
 *	lru	who is used goes to the end of the line
 *	clock	who is used is marked; a marked one that is to go loses the mark, and goes to the
 *end fifo	nothing but a new block brings it there
 *
 * How large the cache is: dynamic, it grows into free frames until an eighth of memory is left, and
 * gives frames back when frame_alloc() runs dry; else it has its frames from the beginning, and
 * keeps them.
 *
 * frame_alloc() and kmalloc() may come back here to reclaim, so no pointer to an unused buffer is
 * kept across them.
 *
 * Tunables: cache.size, cache.policy, cache.density.  Lesson 8.
 */
#include "block/cache.h"
#include "lib/errno.h"
#include "mm/kalloc.h"

#define KEEP_FREE   8 /* growing stops when less than one in this many frames is free */
#define HASH_FRAMES 16

struct cache_frame {
	struct list link;
	uint32_t n;
	struct buffer buffers[];
};

uint32_t buffer_size;
void (*buffer_shrink_inodes)(void);

int cache_size = CACHE_DYNAMIC, cache_policy, cache_sparse;

static struct list cache_frames = LIST_INIT(cache_frames);
static bool has_its_size; /* it neither grows nor gives back */

struct list buffer_lru = LIST_INIT(buffer_lru);
struct buffer **buffer_hash[HASH_FRAMES];
uint32_t buffer_hash_mask;

static struct telemetry_cache *const count = &telemetry.cache;

/* 0.97 went over a new page in steps of two buffers, and so used every other one only. */
static uint32_t per_frame(void)
{
	uint32_t n = PAGE_SIZE / buffer_size;

	return cache_sparse && n > 1 ? n / 2 : n;
}

static struct cache_frame *frame_holding(struct buffer *b)
{
	uint32_t index = ((uintptr_t)b->data & (PAGE_SIZE - 1)) / buffer_size;

	return container_of(b - index, struct cache_frame, buffers[0]);
}

void pool_put(struct buffer *b)
{
	list_del(&b->lru);
	list_add(&b->lru, &buffer_lru);
	count->free++;
}

static bool memory_is_plentiful(void)
{
	return frames_of[FRAME_FREE] > frames_total / KEEP_FREE;
}

static bool grow(void)
{
	uint32_t n = per_frame();
	char *data = frame_alloc(FRAME_CACHE);
	struct cache_frame *f;

	if (!data)
		return false;
	f = kzalloc(sizeof(*f) + n * sizeof(struct buffer));
	if (!f) {
		frame_put(data);
		return false;
	}
	f->n = n;
	list_add_tail(&f->link, &cache_frames);
	while (n-- > 0) {
		struct buffer *b = &f->buffers[n];

		b->data = data + n * buffer_size;
		list_init(&b->lru);
		list_init(&b->dirties);
		pool_put(b);
	}
	count->buffers += f->n;
	return true;
}

/* Give a frame of idle buffers back. */
static void shrink(struct cache_frame *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		struct buffer *b = &f->buffers[i];

		if (b->dev)
			buffer_forget(b);
		else
			count->free--;
		list_del(&b->lru);
	}
	count->buffers -= f->n;
	list_del(&f->link);
	frame_put(f->buffers[0].data);
	kfree(f);
}

static bool all_idle(const struct cache_frame *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!buffer_idle(&f->buffers[i]))
			return false;
	return true;
}

/* Free up to `wanted` frames, those first that hold the first to go.  Returns how many. */
static uint32_t reclaim_frames(uint32_t wanted)
{
	struct list *l = buffer_lru.next;
	uint32_t freed = 0;

	while (l != &buffer_lru && freed < wanted) {
		struct cache_frame *f = frame_holding(list_entry(l, struct buffer, lru));

		l = l->next;
		if (!all_idle(f))
			continue;
		/* l must not be one of those that go. */
		while (l != &buffer_lru && frame_holding(list_entry(l, struct buffer, lru)) == f)
			l = l->next;
		shrink(f);
		freed++;
	}
	return freed;
}

/* For frame_alloc(): memory is short. */
static uint32_t reclaim(uint32_t wanted)
{
	uint32_t had = count->buffers - count->free, freed = 0;

	if (!has_its_size)
		freed = reclaim_frames(wanted);
	count->reclaimed += had - (count->buffers - count->free);
	if (freed < wanted && buffer_shrink_inodes) {
		uint32_t before = frames_of[FRAME_FREE];

		buffer_shrink_inodes();
		freed += frames_of[FRAME_FREE] - before;
	}
	return freed;
}

/* For who may sleep.  As a last resort what cannot be written is lost, but never as long as it can
 * be. */
static bool write_back(bool last_resort)
{
	if (has_its_size || !count->dirty)
		return false;
	if (last_resort)
		return flush_lose();
	flush_oldest(UINT32_MAX, TELEMETRY_FLUSH_ROOM);
	return reclaim_frames(1);
}

/* --- its size ------------------------------------------------------------------------- */

/*
 * The fixed sizes of 0.96c, by how much memory there was.  It did not run in less than 4 MB to
 * speak of; the quarter is ours.
 */
static uint32_t frames_096c(void)
{
	static const struct {
		uint32_t memory, cache; /* KB */
	} sizes[] = { { 12 * 1024, 4096 }, { 6 * 1024, 2048 }, { 4 * 1024, 1536 } };

	for (uint32_t i = 0; i < ARRAY_SIZE(sizes); i++)
		if (frames_end >= sizes[i].memory / (PAGE_SIZE / 1024))
			return sizes[i].cache / (PAGE_SIZE / 1024);
	return frames_end / 4;
}

void cache_size_changed(void)
{
	uint32_t frames = cache_size == CACHE_096C ? frames_096c()
						   : (uint32_t)cache_size / (PAGE_SIZE / 1024);

	has_its_size = buffer_size && cache_size != CACHE_DYNAMIC;
	if (!has_its_size)
		return;
	if (frames_of[FRAME_CACHE] > frames) {
		buffer_sync(BUFFER_ALL);
		reclaim_frames(frames_of[FRAME_CACHE] - frames);
	}
	while (frames_of[FRAME_CACHE] < frames && memory_is_plentiful() && grow())
		;
}

uint32_t pool_most(void)
{
	uint32_t more = 0;

	if (!has_its_size && memory_is_plentiful())
		more = frames_of[FRAME_FREE] - frames_total / KEEP_FREE;
	return count->buffers + more * per_frame();
}

/* A bucket for each frame of RAM, so that even a cache of all memory has chains of a few buffers.
 */
static bool make_hash(void)
{
	uint32_t n = 1;

	while (n < HASH_FRAMES && n * BUFFER_BUCKETS < frames_total)
		n *= 2;
	for (uint32_t i = 0; i < n; i++) {
		buffer_hash[i] = frame_alloc_zeroed(FRAME_KERNEL);
		if (!buffer_hash[i]) {
			while (i-- > 0)
				frame_put(buffer_hash[i]);
			return false;
		}
	}
	buffer_hash_mask = n * BUFFER_BUCKETS - 1;
	return true;
}

int buffer_init(uint32_t block_size)
{
	if (block_size != 1024 && block_size != 2048 && block_size != 4096)
		return -EINVAL;
	if (!buffer_hash_mask) {
		if (!make_hash())
			return -ENOMEM;
		frame_set_reclaim(reclaim, write_back);
	}
	reclaim_frames(UINT32_MAX); /* all of them, unless one is in use */
	if (!list_empty(&cache_frames))
		return -EBUSY;
	buffer_size = block_size;
	cache_size_changed();
	return 0;
}

/* --- who goes ------------------------------------------------------------------------- */

/*
 * The one to go.  Who cannot go now moves to the end of the line, and does not stand in the way of
 * the next search.
 */
static struct buffer *victim(void)
{
	for (uint32_t n = 2 * count->buffers; n-- > 0;) {
		struct buffer *b = list_first(&buffer_lru, struct buffer, lru);

		if (buffer_idle(b) && !(b->used && cache_policy == CACHE_CLOCK))
			return b;
		b->used = b->used && !buffer_idle(b);
		list_move_tail(&b->lru, &buffer_lru);
	}
	return NULL;
}

static struct buffer *first_free(void)
{
	struct buffer *b = list_first(&buffer_lru, struct buffer, lru);

	return !list_empty(&buffer_lru) && !b->dev && buffer_idle(b) ? b : NULL;
}

struct buffer *pool_take(bool sleep)
{
	struct buffer *b = first_free();

	if (!b && !has_its_size && memory_is_plentiful() && grow())
		b = first_free();
	if (!b)
		b = victim();
	if (!b && !has_its_size && grow())
		b = first_free();
	if (!b && sleep && count->dirty) {
		flush_oldest(UINT32_MAX, TELEMETRY_FLUSH_ROOM);
		b = victim();
		if (!b && flush_lose())
			b = first_free();
	}
	if (!b)
		return NULL;
	if (b->dev) {
		count->evicted++;
		buffer_forget(b);
	} else {
		count->free--;
	}
	b->used = b->ahead = b->meta = false;
	list_move_tail(&b->lru, &buffer_lru);
	return b;
}

uint32_t buffer_drop(void)
{
	struct buffer *b, *next;
	uint32_t dropped = 0;

	list_for_each_entry_safe (b, next, &buffer_lru, lru) {
		if (!b->dev || !buffer_idle(b))
			continue;
		buffer_forget(b);
		pool_put(b);
		dropped++;
	}
	if (!has_its_size)
		reclaim_frames(UINT32_MAX);
	return dropped;
}

struct buffer *buffer_next(struct buffer *b)
{
	struct list *f = &cache_frames;

	if (b) {
		struct cache_frame *own = frame_holding(b);

		if (b + 1 < own->buffers + own->n)
			return b + 1;
		f = &own->link;
	}
	return f->next == &cache_frames ? NULL
					: list_entry(f->next, struct cache_frame, link)->buffers;
}
