/*
 * buffer.c - the buffer cache: disk blocks kept in memory.
 *
 * A buffer holds one block.  It is found by (device, block) through a hash, and all buffers
 * stand in one line by when they were last put back.  A miss takes, in this order, a buffer that
 * holds nothing, a new frame's worth of buffers while memory is plentiful, or the longest unused
 * one.
 *
 * The cache has no size of its own: it grows into free frames until an eighth of memory is
 * left, and gives frames back when frame_alloc() runs dry.  Buffers come and go by the frame: 4 of
 * 1 KB, 2 of 2 KB or 1 of 4 KB, with their heads in one small object (struct cache_frame).
 *
 * What must stay true:
 * - a buffer in use (refs > 0) keeps its block and its place in memory;
 * - a buffer found in the hash is valid, or locked by the one reader that fills it;
 * - frame_alloc() and kmalloc() may come back here to reclaim, so no pointer to an unused
 *   buffer is kept across them.
 */
#include "block/buffer.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/kalloc.h"

#define KEEP_FREE   8 /* growing stops when less than one in this many frames is free */
#define HASH_FRAMES 16

struct cache_frame {
	struct list link;
	struct buffer buffers[];
};

uint32_t buffer_size;
void (*buffer_shrink_inodes)(void);

static struct list cache_frames = LIST_INIT(cache_frames);

struct list buffer_lru = LIST_INIT(buffer_lru);
struct buffer **buffer_hash[HASH_FRAMES];
uint32_t buffer_hash_mask;

static struct telemetry_cache *const count = &telemetry.cache;

int cache_order = 1, cache_write = CACHE_BACK;

static inline uint32_t per_frame(void)
{
	return PAGE_SIZE / buffer_size;
}

static struct cache_frame *frame_holding(struct buffer *b)
{
	uint32_t index = ((uintptr_t)b->data & (PAGE_SIZE - 1)) / buffer_size;

	return container_of(b - index, struct cache_frame, buffers[0]);
}

static bool idle(const struct buffer *b)
{
	return !b->refs && !b->dirty && !b->locked;
}

/* Take `b` off the block it holds. */
static void forget(struct buffer *b)
{
	struct buffer **p = buffer_bucket(b->block);

	while (*p != b)
		p = &(*p)->hash;
	*p = b->hash;
	b->dev = NULL;
	b->valid = false;
}

/* `b` is unused and holds nothing: the first to be taken. */
static void make_free(struct buffer *b)
{
	list_del(&b->lru);
	list_add(&b->lru, &buffer_lru);
	count->free++;
}

static bool grow(void)
{
	char *data = frame_alloc(FRAME_CACHE);
	struct cache_frame *f;

	if (!data)
		return false;
	f = kzalloc(sizeof(*f) + per_frame() * sizeof(struct buffer));
	if (!f) {
		frame_put(data);
		return false;
	}
	list_add_tail(&f->link, &cache_frames);
	for (uint32_t i = per_frame(); i-- > 0;) {
		struct buffer *b = &f->buffers[i];

		b->data = data + i * buffer_size;
		waitq_init(&b->wait);
		list_init(&b->lru);
		list_init(&b->firsts);
		list_init(&b->waiting);
		make_free(b);
	}
	count->buffers += per_frame();
	return true;
}

/* Give a frame of idle buffers back. */
static void shrink(struct cache_frame *f)
{
	for (uint32_t i = 0; i < per_frame(); i++) {
		struct buffer *b = &f->buffers[i];

		if (b->dev)
			forget(b);
		else
			count->free--;
		list_del(&b->lru);
	}
	count->buffers -= per_frame();
	list_del(&f->link);
	frame_put(f->buffers[0].data);
	kfree(f);
}

static bool all_idle(const struct cache_frame *f)
{
	for (uint32_t i = 0; i < per_frame(); i++)
		if (!idle(&f->buffers[i]))
			return false;
	return true;
}

/* Free up to `wanted` frames, those first that hold the longest unused buffers.  Returns how many.
 */
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
	uint32_t freed = reclaim_frames(wanted);

	if (freed < wanted && buffer_shrink_inodes) {
		uint32_t before = frames_of[FRAME_FREE];

		buffer_shrink_inodes();
		freed += frames_of[FRAME_FREE] - before;
	}
	return freed;
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
		frame_set_reclaim(reclaim);
	}
	reclaim_frames(UINT32_MAX); /* all of them, unless one is in use */
	if (!list_empty(&cache_frames))
		return -EBUSY;
	buffer_size = block_size;
	return 0;
}

/* The longest unused buffer, those that hold nothing before all. */
static struct buffer *victim(void)
{
	struct buffer *b;

	list_for_each_entry (b, &buffer_lru, lru)
		if (idle(b))
			return b;
	return NULL;
}

/* A buffer for another block, holding none; NULL: all are in use and there is no memory for more.
 * May sleep. */
static struct buffer *take(void)
{
	struct buffer *b = victim();

	if (!b || (b->dev && frames_of[FRAME_FREE] > frames_total / KEEP_FREE)) {
		grow();
		b = victim();
	}
	if (!b && count->dirty) {
		buffer_sync(BUFFER_ALL);
		b = victim();
	}
	if (!b)
		return NULL;
	if (b->dev)
		forget(b);
	else
		count->free--;
	return b;
}

/* Let go of a buffer whose filling failed.  Whoever comes later starts anew with another. */
static int give_up(struct buffer *b)
{
	if (b->dev)
		forget(b);
	if (--b->refs == 0)
		make_free(b);
	return -EIO;
}

static struct buffer *look(struct block_device *d, uint32_t block)
{
	struct buffer *b = *buffer_bucket(block);

	while (b && (b->block != block || b->dev != d))
		b = b->hash;
	return b;
}

/* A buffer for a block that has none, referenced, not valid.  0, -EIO, -ENOMEM; -EAGAIN: somebody
 * else made one meanwhile.  May sleep. */
static int make(struct block_device *d, uint32_t block, struct buffer **out)
{
	struct buffer *b, **bk = buffer_bucket(block);

	if (block >= d->sectors / (buffer_size / SECTOR_SIZE))
		return -EIO;
	b = take();
	if (!b)
		return -ENOMEM;
	if (look(d, block)) {
		make_free(b);
		return -EAGAIN;
	}
	b->dev = d;
	b->block = block;
	b->refs = 1;
	b->ino = 0;
	b->meta = false;
	b->hash = *bk;
	*bk = b;
	*out = b;
	return 0;
}

static int fill(struct block_device *d, uint32_t block, struct buffer **out)
{
	uint32_t sectors = buffer_size / SECTOR_SIZE;
	struct request r = { .sector = block * sectors, .count = sectors };
	struct buffer *b;
	int err = make(d, block, &b);

	if (err)
		return err;
	count->misses++;
	count->reads++;

	r.data = b->data;
	b->locked = true;
	b->valid = !block_do(d, &r);
	b->locked = false;
	wake_all(&b->wait);
	if (!b->valid)
		return give_up(b);
	*out = b;
	return 0;
}

/* `b`, on which we have a reference, once it is filled. */
static int wait_filled(struct buffer *b, struct buffer **out)
{
	while (b->locked && !b->valid)
		sleep_on(&b->wait);
	if (!b->valid)
		return give_up(b);
	count->hits++;
	*out = b;
	return 0;
}

int buffer_read(struct block_device *d, uint32_t block, struct buffer **out)
{
	struct buffer *b;
	int err;

	do {
		b = look(d, block);
		if (b) {
			b->refs++;
			return wait_filled(b, out);
		}
		err = fill(d, block, out);
	} while (err == -EAGAIN);
	return err;
}

int buffer_new(struct block_device *d, uint32_t block, struct buffer **out)
{
	struct buffer *b;
	int err = 0;

	do {
		b = look(d, block);
		if (b)
			b->refs++;
		else
			err = make(d, block, &b);
	} while (err == -EAGAIN);
	if (err)
		return err;
	buffer_begin(b);
	memset(b->data, 0, buffer_size);
	b->valid = true;
	*out = b;
	return 0;
}

void buffer_begin(struct buffer *b)
{
	while (b->locked)
		sleep_on(&b->wait);
}

void buffer_dirty(struct buffer *b)
{
	if (!b->dirty) {
		b->dirty = true;
		count->dirty++;
	}
}

void buffer_order(struct buffer *first, struct buffer *then)
{
	(void)first;
	(void)then;
}

void buffer_cancel(struct block_device *d, uint32_t block)
{
	struct buffer *b = look(d, block);

	if (!b)
		return;
	b->refs++;
	buffer_begin(b);
	if (b->dirty) {
		b->dirty = false;
		count->dirty--;
	}
	buffer_put(b);
}

int buffer_write(struct buffer *b)
{
	uint32_t sectors = buffer_size / SECTOR_SIZE;
	struct request r = { .sector = b->block * sectors, .count = sectors, .write = true };
	int err;

	buffer_begin(b);
	if (!b->dirty)
		return 0;
	b->dirty = false;
	count->dirty--;
	b->locked = true;
	r.data = b->data;
	err = block_do(b->dev, &r);
	b->locked = false;
	b->written++;
	count->writes++;
	wake_all(&b->wait);
	if (err)
		buffer_dirty(b);
	return err;
}

int buffer_sync(uint32_t ino)
{
	struct buffer *b;
	int err = 0;

again:
	list_for_each_entry (b, &buffer_lru, lru) {
		if (!b->dirty || (ino != BUFFER_ALL && !b->meta && b->ino != ino))
			continue;
		b->refs++;
		err = buffer_write(b);
		buffer_put(b);
		if (err)
			return err;
		goto again;
	}
	return 0;
}

uint32_t buffer_drop(void)
{
	struct buffer *b, *next;
	uint32_t dropped = 0;

	list_for_each_entry_safe (b, next, &buffer_lru, lru) {
		if (!b->dev || !idle(b))
			continue;
		forget(b);
		make_free(b);
		dropped++;
	}
	reclaim_frames(UINT32_MAX);
	return dropped;
}

struct buffer *buffer_next(struct buffer *b)
{
	struct list *f = &cache_frames;

	if (b) {
		f = &frame_holding(b)->link;
		if (((uintptr_t)b->data & (PAGE_SIZE - 1)) + buffer_size < PAGE_SIZE)
			return b + 1;
	}
	return f->next == &cache_frames ? NULL
					: list_entry(f->next, struct cache_frame, link)->buffers;
}
