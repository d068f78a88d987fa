/*
 * buffer.h - the buffer cache.
 *
 * Every disk access but the request layer's own goes through it.  Counts are in telemetry.cache;
 * a buffer is `free` there while it holds no block.
 */
#pragma once

#include "block/block.h"
#include "lib/list.h"
#include "lib/panic.h"
#include "mm/frame.h"
#include "telemetry.h"

struct order; /* order.c */

struct buffer {
	struct block_device *dev; /* NULL: holds no block */
	uint32_t block;		  /* in units of the cache's block size */
	uint16_t refs;
	uint16_t pending; /* buffers that must reach the disk before it and have not yet */
	bool valid, dirty;
	bool locked;	 /* somebody is filling or writing it */
	bool meta : 1;	 /* a map, an inode table, a directory: not what is in a file */
	bool used : 1;	 /* since the clock came by */
	bool ahead : 1;	 /* read along with another, before anybody wanted it */
	bool wanted : 1; /* somebody who is to be written waits for it */
	bool alone : 1;	 /* a request that wrote it failed: next time, nothing else is in it */
	bool failed : 1; /* even so */
	char *data;
	struct buffer *hash;   /* the next in its bucket */
	struct list lru;       /* all buffers, the first to go first: pool.c */
	struct list dirties;   /* dirty buffers, the longest dirty first */
	uint32_t ino;	       /* the inode whose block it is; 0: the file system's own */
	uint32_t written;      /* how often it reached the disk */
	struct order *firsts;  /* what must reach the disk before it */
	struct order *waiting; /* what must not before it has */
	struct buffer *walk;   /* order.c's, while it looks for a circle */
};

/* Set the block size (1024, 2048, 4096).  0, -EBUSY (a buffer is in use), -ENOMEM, -EINVAL. */
int buffer_init(uint32_t block_size);
extern uint32_t buffer_size;

/*
 * The block's buffer, valid, with one reference more.  One reader fills it while others wait.
 * 0, -EIO, -ENOMEM.  May sleep.
 */
int buffer_read(struct block_device *d, uint32_t block, struct buffer **out);

/*
 * As buffer_read(), and if that takes the disk, the `n` - 1 blocks behind it come along in the same
 * request, as far as they are not cached and there is room (READ_RUN_MAX).  They become file
 * `ino`'s.  What is wrong with one of those does not matter.
 */
#define READ_RUN_MAX 17u
int buffer_read_run(struct block_device *d, uint32_t block, uint32_t n, uint32_t ino,
		    struct buffer **out);

/*
 * The block's buffer as buffer_read() gives it, without reading: all zeros, for a block that had no
 * owner.  0, -EIO, -ENOMEM.  May sleep.
 */
int buffer_new(struct block_device *d, uint32_t block, struct buffer **out);

/*
 * Changing a block: buffer_begin(), change its bytes, buffer_dirty(), and no sleep between.  What
 * is on its way to the disk must not change under way, so buffer_begin() may sleep.
 */
void buffer_begin(struct buffer *b);
void buffer_dirty(struct buffer *b);

/*
 * `then`, which is about to be changed, must not reach the disk before `first`, which was changed
 * already.  Where that would close a circle (or memory for noting it is short) `first` is written
 * at once instead.  Does nothing with cache.order=off.  Both are referenced.  May sleep.
 */
void buffer_order(struct buffer *first, struct buffer *then);

/* A block was freed: what its buffer has need not reach the disk any more.  May sleep. */
void buffer_cancel(struct block_device *d, uint32_t block);

/* Write a referenced buffer now, after what must go before it, and wait.  0, -EIO. */
int buffer_write(struct buffer *b);

/*
 * Write what is dirty: the blocks of file `ino` and all metadata, or everything (BUFFER_ALL).
 * Returns when what was dirty at the call is on the disk.  Allocates nothing.  0, -EIO.  May sleep.
 */
#define BUFFER_ALL UINT32_MAX
int buffer_sync(uint32_t ino);

/*
 * Writes what has been dirty for cache.flush seconds, for ever: a kernel task.  Handed down: what
 * makes it, called when a buffer is dirty for the first time; false: not now.  Does not sleep.
 */
void flusher(void *arg);
extern bool (*flusher_start)(void);

/* The tunables. */
extern int cache_order, cache_write, cache_flush, cache_size, cache_policy, cache_sparse;
extern int cache_readahead, disk_fail;
enum { CACHE_BACK, CACHE_THROUGH };
enum { CACHE_LRU, CACHE_CLOCK, CACHE_FIFO };
enum { CACHE_DYNAMIC = -1, CACHE_096C = -2 }; /* cache.size, else in KB */
enum { DISK_WORKS, DISK_READ_FAILS, DISK_WRITE_FAILS };
void cache_flush_changed(void);
void cache_size_changed(void); /* may sleep */

/*
 * What follows is inline because a reread of a file is little else: find the buffer, copy, put it
 * back.
 */

/* The hash: frames full of buckets. */
#define BUFFER_BUCKETS ((uint32_t)(PAGE_SIZE / sizeof(struct buffer *))) /* in a frame */
extern struct buffer **buffer_hash[];
extern uint32_t buffer_hash_mask;
extern struct list buffer_lru;

/*
 * Neighbouring blocks fall into neighbouring buckets: the best spread for files read in order.  The
 * device is compared, but not hashed: nearly always there is only one.
 */
static inline struct buffer **buffer_bucket(uint32_t block)
{
	uint32_t h = block & buffer_hash_mask;

	return &buffer_hash[h / BUFFER_BUCKETS][h % BUFFER_BUCKETS];
}

/* As buffer_read(), if that is possible without the disk; else NULL.  Does not sleep. */
static inline struct buffer *buffer_hit(struct block_device *d, uint32_t block)
{
	struct buffer *b = *buffer_bucket(block);

	while (b && (b->block != block || b->dev != d))
		b = b->hash;
	if (unlikely(!b || !b->valid))
		return NULL;
	b->refs++;
	telemetry.cache.hits++;
	return b;
}

/* Somebody else uses it, too.  Apart, so that the usual way is short. */
void buffer_still_used(const struct buffer *b);

static inline void buffer_put(struct buffer *b)
{
	b->refs--;
	if (unlikely(b->refs))
		buffer_still_used(b);
	else if (likely(cache_policy == CACHE_LRU))
		list_move_tail(&b->lru, &buffer_lru);
	else
		b->used = true;
}

/* Forget clean unused buffers (`drop`).  Returns how many. */
uint32_t buffer_drop(void);

/* For display: all buffers, those that share a frame together.  NULL: the first; returns NULL after
 * the last. */
struct buffer *buffer_next(struct buffer *b);

/* Handed down by fs: under pressure, forget unused inodes. */
extern void (*buffer_shrink_inodes)(void);
