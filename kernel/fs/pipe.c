/*
 * pipe.c - a pipe is one frame that two files share.
 *
 * The one idea: bytes go straight from the writer's memory into the frame and from there into
 * the reader's, and a sleeper is woken only when there is something for it.  A copy may
 * sleep (the user's page may have to be read from disk), so `busy` keeps everybody else out of
 * the frame meanwhile.
 *
 * A write of up to PIPE_SIZE bytes is never mixed with another's (POSIX PIPE_BUF).
 */

#include "fs/file.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "mm/kalloc.h"
#include "mm/usercopy.h"

#define PIPE_SIZE PAGE_SIZE

struct pipe {
	char *data;
	uint32_t start, length;	   /* what waits to be read; wraps round at PIPE_SIZE */
	uint32_t readers, writers; /* open ends */
	uint32_t room_wanted;	   /* the least that a sleeping writer asks for */
	bool busy;		   /* somebody copies */
	struct waitq to_read, to_write, to_copy;
};

static bool is_write_end(const struct file *f)
{
	return (f->flags & O_ACCMODE) == O_WRONLY;
}

/* Mostly nobody sleeps: then it costs a comparison. */
static inline void wake(struct waitq *w)
{
	if (unlikely(!list_empty(&w->waiters)))
		wake_all(w);
}

static void pipe_lock(struct pipe *p)
{
	while (p->busy)
		sleep_on(&p->to_copy);
	p->busy = true;
}

static void pipe_unlock(struct pipe *p)
{
	p->busy = false;
	wake(&p->to_copy);
}

/* Bytes that wrap round at the frame's end move in two pieces. */
static noinline int put_around(struct pipe *p, struct io *io, uint32_t n)
{
	uint32_t first = PIPE_SIZE - p->start;
	int err = io_put(io, p->data + p->start, first);

	return err ? err : io_put(io, p->data, n - first);
}

static noinline int get_around(struct pipe *p, struct io *io, uint32_t at, uint32_t n)
{
	uint32_t first = PIPE_SIZE - at;
	int err = io_get(io, p->data + at, first);

	return err ? err : io_get(io, p->data, n - first);
}

/* Move n bytes, all there, from the pipe to io.  0 or -EFAULT. */
static int take(struct pipe *p, struct io *io, uint32_t n)
{
	int err = likely(n <= PIPE_SIZE - p->start) ? io_put(io, p->data + p->start, n)
						    : put_around(p, io, n);

	if (err)
		return err;
	p->length -= n;
	p->start = p->length ? (p->start + n) % PIPE_SIZE : 0;
	return 0;
}

/* The other way: n bytes for which there is room. */
static int give(struct pipe *p, struct io *io, uint32_t n)
{
	uint32_t at = (p->start + p->length) % PIPE_SIZE;
	int err = likely(n <= PIPE_SIZE - at) ? io_get(io, p->data + at, n)
					      : get_around(p, io, at, n);

	if (err)
		return err;
	p->length += n;
	return 0;
}

static ssize_t pipe_read(struct file *f, struct io *io)
{
	struct pipe *p = f->private;
	uint32_t n;
	int err;

	if (!io->left)
		return 0;
	while (p->busy || !p->length) {
		if (p->busy) {
			sleep_on(&p->to_copy);
			continue;
		}
		if (!p->writers)
			return 0;
		if (f->flags & O_NONBLOCK)
			return -EAGAIN;
		if (sleep_on_interruptible(&p->to_read))
			return -ERESTARTSYS;
	}
	p->busy = true;
	n = MIN(p->length, io->left);
	err = take(p, io, n);
	pipe_unlock(p);
	if (err)
		return err;
	if (PIPE_SIZE - p->length >= p->room_wanted)
		wake(&p->to_write);
	return n;
}

/* Sleep until `wanted` bytes fit.  The pipe is locked before and, when it returns 0, after. */
static int wait_for_room(struct file *f, struct pipe *p, uint32_t wanted)
{
	while (PIPE_SIZE - p->length < wanted) {
		pipe_unlock(p);
		if (!p->readers)
			return -EPIPE;
		if (f->flags & O_NONBLOCK)
			return -EAGAIN;
		if (list_empty(&p->to_write.waiters) || wanted < p->room_wanted)
			p->room_wanted = wanted;
		if (sleep_on_interruptible(&p->to_write))
			return -ERESTARTSYS;
		pipe_lock(p);
	}
	if (p->readers)
		return 0;
	pipe_unlock(p);
	return -EPIPE;
}

static ssize_t pipe_write(struct file *f, struct io *io)
{
	struct pipe *p = f->private;
	bool whole = io->left <= PIPE_SIZE;
	ssize_t done = 0;
	int err;

	while (io->left) {
		uint32_t n;

		pipe_lock(p);
		err = wait_for_room(f, p, whole ? io->left : 1);
		if (err)
			return done ? done : err;
		n = MIN(io->left, PIPE_SIZE - p->length);
		err = give(p, io, n);
		pipe_unlock(p);
		if (err)
			return done ? done : err;
		done += n;
		wake(&p->to_read);
	}
	return done;
}

static void pipe_release(struct file *f)
{
	struct pipe *p = f->private;

	if (is_write_end(f)) {
		if (!--p->writers)
			wake_all(&p->to_read);
	} else if (!--p->readers) {
		wake_all(&p->to_write);
	}
	if (!p->readers && !p->writers) {
		frame_put(p->data);
		kfree(p);
	}
}

static uint32_t pipe_ready(struct file *f)
{
	struct pipe *p = f->private;
	uint32_t can = 0;

	if (is_write_end(f)) {
		if (p->length < PIPE_SIZE)
			can |= POLLOUT;
		if (!p->readers)
			can |= POLLERR;
	} else {
		if (p->length)
			can |= POLLIN;
		if (!p->writers)
			can |= POLLHUP;
	}
	return can;
}

static int pipe_ioctl(struct file *f, uint32_t request, uaddr_t arg)
{
	struct pipe *p = f->private;

	return request == FIONREAD ? put_user32(arg, p->length) : -ENOTTY;
}

const struct file_ops pipe_ops = {
	.read = pipe_read,
	.write = pipe_write,
	.ioctl = pipe_ioctl,
	.ready = pipe_ready,
	.release = pipe_release,
};

static struct pipe *pipe_new(void)
{
	struct pipe *p = kzalloc(sizeof(*p));

	if (!p)
		return NULL;
	p->data = frame_alloc(FRAME_KERNEL);
	if (!p->data) {
		kfree(p);
		return NULL;
	}
	p->readers = p->writers = 1;
	waitq_init(&p->to_read);
	waitq_init(&p->to_write);
	waitq_init(&p->to_copy);
	return p;
}

int pipe_open(uint32_t flags, struct file *ends[2])
{
	struct pipe *p = pipe_new();

	if (!p)
		return -ENOMEM;
	flags &= O_NONBLOCK;
	ends[0] = file_new(&pipe_ops, flags | O_RDONLY, p);
	ends[1] = file_new(&pipe_ops, flags | O_WRONLY, p);
	if (ends[0] && ends[1])
		return 0;
	kfree(ends[0]);
	kfree(ends[1]);
	frame_put(p->data);
	kfree(p);
	return -ENOMEM;
}
