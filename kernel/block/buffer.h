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

struct buffer {
	struct block_device *dev; /* NULL: holds no block */
	uint32_t block;		  /* in units of the cache's block size */
	uint32_t refs;
	bool valid, dirty, locked; /* locked: somebody is filling or writing it */
	char *data;
	struct buffer *hash; /* the next in its bucket */
	struct list lru;     /* all buffers, the longest unused first */
	struct waitq wait;
	uint32_t ino; /* for display: the inode whose block it is; 0: metadata */
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

static inline void buffer_put(struct buffer *b)
{
	if (unlikely(--b->refs)) {
		assert((int32_t)b->refs > 0);
		return;
	}
	list_move_tail(&b->lru, &buffer_lru);
}

/* Forget clean unused buffers (`drop`).  Returns how many. */
uint32_t buffer_drop(void);

/* For display: all buffers, those that share a frame together.  NULL: the first; returns NULL after
 * the last. */
struct buffer *buffer_next(struct buffer *b);

/* Handed down by fs: under pressure, forget unused inodes. */
extern void (*buffer_shrink_inodes)(void);
