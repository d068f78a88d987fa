/*
 * flush.c - writing back: when dirty buffers go to the disk, and how.
 *
 * All writing is draining: a mark is put into the line of dirty buffers, which is in the order in
 * which they became dirty, and what stands before the mark is written until nothing is left there.
 * What becomes dirty meanwhile, or again, stands behind it; so a drain ends however busy others
 * are. Neighbours on the disk go in one request, several requests at a time, so that the elevator
 * has something to choose from.  The requests are those below and no others, so writing needs no
 * memory, and whoever is short of memory can wait for it.
 *
 * A buffer that waits for others (order.c) is passed over; those are called to the front of the
 * line, wherever they stood, and the next pass finds them.
 *
 * A write that fails loses nothing: its buffers stay dirty and are tried again, one by one, since
 * only one of them may be bad; that one stays dirty, too, and the next sync tries once more.
 *
 * What must stay true:
 * - a buffer is locked while it is on its way, and not dirty unless it was dirtied again;
 * - a pass does not sleep;
 * - nothing here takes a lock of the file system's, or memory.
 *
 * Tunables: cache.flush, cache.write (fs/ acts on it).  Lesson 9.
 */
#include "block/cache.h"
#include "cpu/timer.h"
#include "lib/errno.h"
#include "lib/printf.h"

#define SLOTS	  8		   /* requests at a time */
#define RUN	  16		   /* blocks in one */
#define PACE	  64		   /* blocks that who dirties too many writes at a time */
#define PATIENCE  64		   /* rounds; then who dirties waits for the end of the drain */
#define NO_BLOCKS (BUFFER_ALL - 1) /* in place of a file: none but those that are wanted */

struct drain {
	uint32_t file; /* whose blocks, beside metadata; BUFFER_ALL, NO_BLOCKS */
	enum telemetry_flush why;
	uint32_t under_way; /* its requests */
	bool failed;	    /* a block could not be written: call nobody to the front any more */
	/* Of a pass: */
	bool started, called, full;
	bool waits; /* there was a buffer that could not be written yet */
	struct buffer mark;
};

static struct slot {
	struct request r;
	struct block_device *dev;
	uint32_t block, n; /* n 0: free */
	uint32_t number;
	struct drain *drain;
	void *data[RUN];
} slots[SLOTS];

static uint32_t slots_begun; /* the number of the latest */
static struct waitq slot_end = WAITQ_INIT(slot_end);

static struct list dirty_buffers = LIST_INIT(dirty_buffers);

int cache_flush = 5, cache_write = CACHE_BACK;

static uint32_t dirty_since; /* the tick at which the flusher's clock began */
static struct waitq flusher_wait = WAITQ_INIT(flusher_wait);
bool (*flusher_start)(void);

static uint32_t drains_out_of_patience;
static struct waitq patience_end = WAITQ_INIT(patience_end);

static struct telemetry_cache *const count = &telemetry.cache;

/* --- the line of dirty buffers ------------------------------------------------------- */

static void join_line(struct buffer *b, struct list *behind)
{
	if (b->dirty)
		return;
	b->dirty = true;
	list_add(&b->dirties, behind);
	if (count->dirty++ == 0) {
		dirty_since = timer_ticks;
		if (flusher_start && flusher_start())
			flusher_start = NULL;
		if (cache_flush)
			wake_all(&flusher_wait);
	}
}

static void leave_line(struct buffer *b)
{
	if (!b->dirty)
		return;
	b->dirty = b->wanted = false;
	list_del(&b->dirties);
	count->dirty--;
}

static void move_to_front(struct buffer *b)
{
	b->wanted = true;
	list_del(&b->dirties);
	list_add(&b->dirties, &dirty_buffers);
}

static void forgive(struct buffer *b)
{
	count->failed -= b->failed;
	b->alone = b->failed = false;
}

void buffer_dirty(struct buffer *b)
{
	join_line(b, dirty_buffers.prev);
}

void flush_clean(struct buffer *b)
{
	leave_line(b);
	forgive(b);
}

/* --- one request ------------------------------------------------------------------ */

static void failed(struct buffer *b, bool was_alone)
{
	b->alone = true;
	if (!was_alone) { /* whosever it is: one of them can be told from the others */
		join_line(b, &dirty_buffers);
		move_to_front(b);
		return;
	}
	join_line(b, dirty_buffers.prev);
	if (!b->failed) {
		b->failed = true;
		count->failed++;
		klog("%s: block %u cannot be written: kept in memory\n", b->dev->name, b->block);
	}
}

static void reached_the_disk(struct buffer *b)
{
	b->written++;
	count->writes++;
	forgive(b);
	if (!b->dirty) /* again: then what was written may be older than what others wait for */
		order_written(b);
}

/* Any context. */
static void end(struct request *r)
{
	struct slot *s = container_of(r, struct slot, r);

	for (uint32_t i = 0; i < s->n; i++) {
		struct buffer *b = buffer_look(s->dev, s->block + i);

		b->locked = false;
		if (r->error)
			failed(b, s->n == 1);
		else
			reached_the_disk(b);
		wake_all(buffer_wait(b));
	}
	if (r->error && s->n == 1)
		s->drain->failed = true;
	s->drain->under_way--;
	s->n = 0;
	wake_all(&slot_end);
}

static bool belongs(const struct buffer *b, uint32_t file)
{
	return file == BUFFER_ALL || b->wanted ||
	       (file != NO_BLOCKS && (b->meta || b->ino == file));
}

/* Can the block go into the same request as its neighbour? */
static bool goes_along(const struct drain *dr, struct block_device *dev, uint32_t block)
{
	const struct buffer *b = buffer_look(dev, block);

	return b && b->dirty && !b->locked && !b->pending && !b->alone && belongs(b, dr->file);
}

static struct slot *free_slot(void)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (!slots[i].n)
			return &slots[i];
	return NULL;
}

/* Write `b` and its neighbours.  False: no slot is free. */
static bool start(struct drain *dr, struct buffer *b)
{
	uint32_t first = b->block, n = 1, sectors = buffer_size / SECTOR_SIZE;
	struct block_device *dev = b->dev;
	struct slot *s = free_slot();

	if (!s)
		return false;
	while (!b->alone && n < RUN && goes_along(dr, dev, first - 1))
		first--, n++;
	while (!b->alone && n < RUN && goes_along(dr, dev, first + n))
		n++;
	for (uint32_t i = 0; i < n; i++) {
		b = buffer_look(dev, first + i);
		leave_line(b);
		b->locked = true;
		s->data[i] = b->data;
	}
	s->dev = dev;
	s->block = first;
	s->n = n;
	s->number = ++slots_begun;
	s->drain = dr;
	s->r = (struct request){ .sector = first * sectors,
				 .count = n * sectors,
				 .parts = s->data,
				 .part_sectors = sectors,
				 .write = true,
				 .end = end };
	dr->under_way++;
	count->write_requests++;
	count->written[dr->why] += n;
	if (buffer_made_to_fail(dev, true) || block_submit(dev, &s->r)) {
		s->r.error = -EIO;
		end(&s->r);
	}
	return true;
}

/* --- draining ----------------------------------------------------------------------- */

/* Something that is to be written waits for `b`. */
static void call(struct buffer *b, void *drain)
{
	struct drain *dr = drain;

	if (!b->dirty || b->wanted)
		return;
	move_to_front(b);
	dr->called = true;
}

/*
 * Start what may be started before the mark.  A disk that answers at once takes more than `b` out
 * of the line before start() returns, and puts back what failed: so the pass goes on where it was
 * only if that place is still there.
 */
static void pass(struct drain *dr)
{
	struct list *l = dirty_buffers.next, *before;

	dr->started = dr->called = dr->full = dr->waits = false;
	while (l != &dr->mark.dirties && l != &dirty_buffers) {
		struct buffer *b = list_entry(l, struct buffer, dirties);
		bool mark = !b->dev;

		if (!mark && belongs(b, dr->file)) {
			if (!b->locked && !b->pending) {
				before = l->prev;
				dr->full = !start(dr, b);
				if (dr->full)
					return;
				dr->started = true;
				l = list_empty(before) ? dirty_buffers.next : before->next;
				continue;
			}
			dr->waits = true;
			if (!dr->failed)
				order_firsts(b, call, dr);
		}
		l = l->next;
	}
}

/* Is a request under way that was begun when `number` was the latest, or before? */
static bool under_way(uint32_t number)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (slots[i].n && (int32_t)(slots[i].number - number) <= 0)
			return true;
	return false;
}

/* Wait for what others had begun. */
static bool wait_for_others(void)
{
	uint32_t number = slots_begun;
	bool waited = false;

	for (; under_way(number); waited = true)
		block_sleep(&slot_end);
	return waited;
}

/*
 * Write what belongs to the drain and stands before its mark.  0; -EIO: something stays there that
 * waits for what cannot be written.
 */
static int drain(struct drain *dr)
{
	uint32_t rounds = 0;
	bool settled = false;

	for (;;) {
		pass(dr);
		if (dr->started && ++rounds == PATIENCE)
			drains_out_of_patience++;
		while (dr->under_way)
			block_sleep(&slot_end);
		if (dr->started || dr->called) {
			settled = false;
		} else if ((dr->full || dr->waits) && under_way(slots_begun)) {
			block_sleep(&slot_end);
		} else {
			/* What others had begun of ours may have failed, and be back. */
			if (settled || !wait_for_others())
				break;
			settled = true;
		}
	}
	list_del(&dr->mark.dirties);
	if (rounds >= PATIENCE && --drains_out_of_patience == 0)
		wake_all(&patience_end);
	return dr->waits ? -EIO : 0;
}

/*
 * Put the mark behind the `most` longest dirty, and behind all who were called: they are in front,
 * and whoever waits for one of them finds it before his mark.
 */
static void put_mark(struct drain *dr, uint32_t most)
{
	struct buffer *b;

	list_for_each_entry (b, &dirty_buffers, dirties) {
		if (!b->dev || b->wanted)
			continue;
		if (!most--)
			break;
	}
	list_add_tail(&dr->mark.dirties, &b->dirties);
}

void flush_oldest(uint32_t most, enum telemetry_flush why)
{
	struct drain dr = { .file = BUFFER_ALL, .why = why };

	put_mark(&dr, most);
	drain(&dr);
}

int flush_buffer(struct buffer *b, enum telemetry_flush why)
{
	struct drain dr = { .file = NO_BLOCKS, .why = why };
	int err;

	while (b->locked)
		sleep_on(buffer_wait(b));
	if (!b->dirty)
		return 0;
	move_to_front(b);
	put_mark(&dr, 0);
	err = drain(&dr);
	return b->dirty && b->failed ? -EIO : err;
}

int buffer_write(struct buffer *b)
{
	return flush_buffer(b, TELEMETRY_FLUSH_SYNC);
}

static int sync(uint32_t file, enum telemetry_flush why)
{
	struct drain dr = { .file = file, .why = why };
	struct buffer *b;
	int err;

	list_add_tail(&dr.mark.dirties, &dirty_buffers);
	err = drain(&dr);
	if (count->failed)
		list_for_each_entry (b, &dirty_buffers, dirties)
			if (b->dev && b->failed && belongs(b, file))
				err = -EIO;
	return err;
}

int buffer_sync(uint32_t ino)
{
	return sync(ino, TELEMETRY_FLUSH_SYNC);
}

bool flush_lose(void)
{
	struct buffer *b;

	list_for_each_entry (b, &dirty_buffers, dirties) {
		if (!b->dev || !b->failed || b->refs || b->locked)
			continue;
		klog("%s: block %u lost\n", b->dev->name, b->block);
		count->lost++;
		flush_clean(b);
		order_forget(b);
		buffer_forget(b);
		pool_put(b);
		return true;
	}
	return false;
}

/* --- when ----------------------------------------------------------------------------- */

void flush_pace(void)
{
	while (drains_out_of_patience)
		sleep_on(&patience_end);
	if (count->dirty - count->failed > pool_most() / 2)
		flush_oldest(PACE, TELEMETRY_FLUSH_PACE);
}

void cache_flush_changed(void)
{
	wake_all(&flusher_wait);
}

/* Nothing wakes it while nothing is dirty: who only reads does not notice that it exists. */
void flusher_turn(void)
{
	uint32_t age = timer_ticks - dirty_since, limit = cache_flush * timer_hz;

	if (!count->dirty || !cache_flush) {
		sleep_on(&flusher_wait);
	} else if (age < limit) {
		sleep_on_limit(&flusher_wait, limit - age);
	} else {
		dirty_since = timer_ticks; /* of what is dirtied meanwhile, or cannot be written */
		sync(BUFFER_ALL, TELEMETRY_FLUSH_AGE);
	}
}

void flusher(void *arg)
{
	(void)arg;
	for (;;)
		flusher_turn();
}
