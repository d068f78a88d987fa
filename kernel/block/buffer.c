/*
 * buffer.c - the buffer cache: disk blocks kept in memory.
 *
 * A buffer holds one block, and is found by (device, block) through a hash.  The first who wants a
 * block that is not there reads it, others wait.  A file's reader who must wait for the disk anyway
 * has the blocks behind it come along: the arm is there already.
 *
 * What must stay true:
 * - a buffer in use (refs > 0) keeps its block and its place in memory;
 * - a buffer found in the hash is valid, or locked by the one reader that fills it.
 *
 * Tunables: cache.readahead, disk.fail.  Lesson 8.
 */
#include "block/cache.h"
#include "lib/errno.h"
#include "lib/string.h"

#define WAITS 8 /* a power of two */

static struct telemetry_cache *const count = &telemetry.cache;

int cache_readahead = 16, disk_fail;

/* One queue for several buffers is shorter than one in each, and few ever wait. */
static struct waitq waits[WAITS] = {
	WAITQ_INIT(waits[0]), WAITQ_INIT(waits[1]), WAITQ_INIT(waits[2]), WAITQ_INIT(waits[3]),
	WAITQ_INIT(waits[4]), WAITQ_INIT(waits[5]), WAITQ_INIT(waits[6]), WAITQ_INIT(waits[7]),
};

struct waitq *buffer_wait(const struct buffer *b)
{
	return &waits[b->block % WAITS];
}

static void unlock(struct buffer *b)
{
	b->locked = false;
	wake_all(buffer_wait(b));
}

static void wait_unlocked(struct buffer *b)
{
	while (b->locked)
		sleep_on(buffer_wait(b));
}

bool buffer_made_to_fail(struct block_device *d, bool write)
{
	if (likely(disk_fail != (write ? DISK_WRITE_FAILS : DISK_READ_FAILS)))
		return false;
	d->errors++;
	return true;
}

static int read_sectors(struct block_device *d, struct request *r)
{
	return buffer_made_to_fail(d, false) ? -EIO : block_do(d, r);
}

struct buffer *buffer_look(struct block_device *d, uint32_t block)
{
	struct buffer *b = *buffer_bucket(block);

	while (b && (b->block != block || b->dev != d))
		b = b->hash;
	return b;
}

void buffer_still_used(const struct buffer *b)
{
	assert((int16_t)b->refs > 0);
}

void buffer_forget(struct buffer *b)
{
	struct buffer **p = buffer_bucket(b->block);

	/* Who was to wait for others, and then was not changed, may still be noted as waiting. */
	order_forget(b);
	while (*p != b)
		p = &(*p)->hash;
	*p = b->hash;
	b->dev = NULL;
	b->valid = false;
}

/* Let go of a buffer whose filling failed.  Whoever comes later starts anew with another. */
static void give_up(struct buffer *b)
{
	if (b->dev)
		buffer_forget(b);
	if (--b->refs == 0)
		pool_put(b);
}

/* A buffer for a block that has none, referenced, not valid.  0, -EIO, -ENOMEM; -EAGAIN: somebody
 * else made one meanwhile.  Without `sleep` it does not. */
static int make(struct block_device *d, uint32_t block, bool sleep, struct buffer **out)
{
	struct buffer *b, **bk = buffer_bucket(block);

	if (block >= d->sectors / (buffer_size / SECTOR_SIZE))
		return -EIO;
	b = pool_take(sleep);
	if (!b)
		return -ENOMEM;
	if (buffer_look(d, block)) {
		pool_put(b);
		return -EAGAIN;
	}
	b->dev = d;
	b->block = block;
	b->refs = 1;
	b->ino = 0;
	b->hash = *bk;
	*bk = b;
	*out = b;
	return 0;
}

/* --- reading -------------------------------------------------------------------------- */

/* Buffers for up to `most` blocks from `block` on, to be filled along with the one before.  Returns
 * how many.  Does not sleep. */
static uint32_t make_ahead(struct block_device *d, uint32_t block, uint32_t most, uint32_t ino,
			   void **data)
{
	uint32_t n = 0;
	struct buffer *b;

	/* They should not drive each other out of a small cache. */
	most = MIN(most, pool_most() / 4);
	while (n < most && !buffer_look(d, block + n) && !make(d, block + n, false, &b)) {
		b->ino = ino;
		b->locked = b->ahead = true;
		data[n++] = b->data;
	}
	count->reads += n;
	count->readahead += n;
	return n;
}

static void end_ahead(struct block_device *d, uint32_t block, uint32_t n, bool valid)
{
	for (uint32_t i = 0; i < n; i++) {
		struct buffer *b = buffer_look(d, block + i);

		b->valid = valid;
		unlock(b);
		if (valid)
			buffer_put(b);
		else
			give_up(b);
	}
}

static int fill(struct block_device *d, uint32_t block, uint32_t n, uint32_t ino,
		struct buffer **out)
{
	uint32_t sectors = buffer_size / SECTOR_SIZE;
	struct request r = { .sector = block * sectors, .count = sectors, .part_sectors = sectors };
	void *data[READ_RUN_MAX];
	struct buffer *b;
	int err = make(d, block, true, &b);

	if (err)
		return err;
	count->misses++;
	count->reads++;
	b->ino = ino;
	b->locked = true;
	data[0] = b->data;
	r.parts = data;
	n = make_ahead(d, block + 1, MIN(n, READ_RUN_MAX) - 1, ino, data + 1);
	r.count += n * sectors;
	err = read_sectors(d, &r);
	end_ahead(d, block + 1, n, !err);
	if (err && n) {
		r.count = sectors;
		err = read_sectors(d, &r);
	}
	b->valid = !err;
	unlock(b);
	if (err) {
		give_up(b);
		return -EIO;
	}
	*out = b;
	return 0;
}

/*
 * `b`, on which we have a reference, once it is filled.  -EIO; -EAGAIN: it was to come along with
 * another, and that failed, maybe for a reason that is not its own.
 */
static int wait_filled(struct buffer *b, struct buffer **out)
{
	bool ahead = b->ahead;

	while (b->locked && !b->valid)
		sleep_on(buffer_wait(b));
	if (!b->valid) {
		give_up(b);
		return ahead ? -EAGAIN : -EIO;
	}
	b->ahead = false;
	count->hits++;
	*out = b;
	return 0;
}

int buffer_read_run(struct block_device *d, uint32_t block, uint32_t n, uint32_t ino,
		    struct buffer **out)
{
	struct buffer *b;
	int err;

	do {
		b = buffer_look(d, block);
		if (b) {
			b->refs++;
			err = wait_filled(b, out);
		} else {
			err = fill(d, block, n, ino, out);
		}
	} while (err == -EAGAIN);
	return err;
}

int buffer_read(struct block_device *d, uint32_t block, struct buffer **out)
{
	return buffer_read_run(d, block, 1, 0, out);
}

/* --- changing ------------------------------------------------------------------------- */

int buffer_new(struct block_device *d, uint32_t block, struct buffer **out)
{
	struct buffer *b;
	int err;

	flush_pace();
	do {
		err = 0;
		b = buffer_look(d, block);
		if (b) {
			b->refs++;
			wait_unlocked(b);
			if (!b->dev) { /* it could not be read */
				give_up(b);
				err = -EAGAIN;
			}
		} else {
			err = make(d, block, true, &b);
		}
	} while (err == -EAGAIN);
	if (err)
		return err;
	memset(b->data, 0, buffer_size);
	b->valid = true;
	*out = b;
	return 0;
}

void buffer_begin(struct buffer *b)
{
	flush_pace();
	wait_unlocked(b);
}

void buffer_cancel(struct block_device *d, uint32_t block)
{
	struct buffer *b = buffer_look(d, block);

	if (!b)
		return;
	b->refs++;
	wait_unlocked(b);
	if (!b->dev) {
		give_up(b);
		return;
	}
	flush_clean(b);
	if (b->refs == 1) { /* nobody reads it any more: the first to be had for another block */
		give_up(b);
		return;
	}
	order_forget(b);
	b->meta = false;
	b->ino = 0;
	buffer_put(b);
}
