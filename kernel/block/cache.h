/*
 * cache.h - what the files of the buffer cache tell each other.
 *
 *	buffer.c  a block's buffer: found, or read
 *	pool.c    where buffers come from, and which one goes
 *	flush.c   when dirty ones are written, and how
 *	order.c   what must reach the disk before what
 */
#pragma once

#include "block/buffer.h"

/* --- buffer.c ----------------------------------------------------------------- */

/* The buffer that holds the block, or NULL. */
struct buffer *buffer_look(struct block_device *d, uint32_t block);

/* Take `b` off the block it holds. */
void buffer_forget(struct buffer *b);

/* Where to sleep until `b` is not locked.  Others are woken with it: look again. */
struct waitq *buffer_wait(const struct buffer *b);

/* A request of ours is made to fail (disk.fail), and counted with the device's errors. */
bool buffer_made_to_fail(struct block_device *d, bool write);

static inline bool buffer_idle(const struct buffer *b)
{
	return !b->refs && !b->dirty && !b->locked;
}

/* --- pool.c ------------------------------------------------------------------- */

/* Empty the pool and begin anew with that block size.  0, -EBUSY, -ENOMEM. */
int pool_init(uint32_t block_size);

/*
 * A buffer that holds nothing.  NULL: all are in use and there is no memory for more.  With `sleep`
 * it may write dirty ones first, else it does not sleep.
 */
struct buffer *pool_take(bool sleep);

/* `b` holds nothing and nobody uses it. */
void pool_put(struct buffer *b);

/* How many buffers there may be, as far as one can tell now. */
uint32_t pool_most(void);

/* --- flush.c ------------------------------------------------------------------ */

/* `b` need not be written any more. */
void flush_clean(struct buffer *b);

/* Write up to `most` of the buffers that have been dirty for longest. */
void flush_oldest(uint32_t most, enum telemetry_flush why);

/* For who is about to dirty a buffer: not too many at a time.  May sleep. */
void flush_pace(void);

/* Give up a buffer that cannot be written and that nobody uses.  False: there is none. */
bool flush_lose(void);

/* As buffer_write(). */
int flush_buffer(struct buffer *b, enum telemetry_flush why);

/* One round of the flusher(): it sleeps, or writes. */
void flusher_turn(void);

/* --- order.c ------------------------------------------------------------------ */

/* `b` has reached the disk: who waits for it waits no more. */
void order_written(struct buffer *b);

/* It need not reach it any more: nobody waits for it, and it for nobody. */
void order_forget(struct buffer *b);

/* Call fn(f, arg) for each f that `b` waits for. */
void order_firsts(struct buffer *b, void (*fn)(struct buffer *f, void *arg), void *arg);
