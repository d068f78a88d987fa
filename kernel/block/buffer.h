/*
 * buffer.h - the buffer cache.
 *
 * Every disk access but the request layer's own goes through it.  Counts are in telemetry.cache;
 * a buffer is `free` there while it holds no block.
 */
#pragma once

#include "block/block.h"
#include "lib/list.h"

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
void buffer_put(struct buffer *b);

/* Forget clean unused buffers (`drop`).  Returns how many. */
uint32_t buffer_drop(void);

/* For display: all buffers, those that share a frame together.  NULL: the first; returns NULL after
 * the last. */
struct buffer *buffer_next(struct buffer *b);

/* Handed down by fs: under pressure, forget unused inodes. */
extern void (*buffer_shrink_inodes)(void);
