/*
 * files.c - system calls on open files: thin, since what a file can do is in its operations.
 */

#include "cpu/pda.h"
#include "cpu/timer.h"
#include "lib/errno.h"
#include "mm/paging.h"
#include "mm/usercopy.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sched/sched.h"
#include "sys/sys.h"

/* The most one call moves, as in Linux: so that a count is never taken for an error. */
#define COUNT_MAX 0x7ffff000u

/* The most that is read from a file (or /dev/zero), or written to it, in one breath. */
#define BREATH 0x40000u

static inline struct file *get_file(uint32_t fd)
{
	return files_get(current->files, fd);
}

static ssize_t read_once(struct file *file, uaddr_t at, uint32_t n)
{
	struct io io;

	io_user(&io, at, n);
	return file->ops->read(file, &io);
}

static ssize_t in_breaths(struct file *file, uaddr_t at, uint32_t n,
			  ssize_t (*once)(struct file *, uaddr_t, uint32_t))
{
	ssize_t done = 0, got;

	do {
		uint32_t part = MIN(n - done, BREATH);

		got = once(file, at + done, part);
		if (got < 0)
			return done ? done : got;
		done += got;
		if ((uint32_t)got < part)
			break;
	} while ((uint32_t)done < n && !breathe());
	return done;
}

/* What is no file gives what it has: its reads are short. */
static noinline ssize_t read_long(struct file *file, uaddr_t at, uint32_t n)
{
	n = MIN(n, COUNT_MAX);
	return file->ops->seekable ? in_breaths(file, at, n, read_once) : read_once(file, at, n);
}

static inline ssize_t read_some(struct file *file, uaddr_t at, uint32_t n)
{
	return unlikely(n > BREATH) ? read_long(file, at, n) : read_once(file, at, n);
}

static always_inline ssize_t write_once(struct file *file, uaddr_t at, uint32_t n)
{
	struct io io;
	ssize_t done;

	io_user(&io, at, n);
	done = file->ops->write(file, &io);
	if (unlikely(done == -EPIPE))
		signal_send(current, SIGPIPE);
	return done;
}

/* A pipe or a terminal takes breath by itself. */
static noinline ssize_t write_long(struct file *file, uaddr_t at, uint32_t n)
{
	n = MIN(n, COUNT_MAX);
	return file->ops->seekable ? in_breaths(file, at, n, write_once) : write_once(file, at, n);
}

static inline ssize_t write_some(struct file *file, uaddr_t at, uint32_t n)
{
	return unlikely(n > BREATH) ? write_long(file, at, n) : write_once(file, at, n);
}

int32_t sys_read(struct trapframe *f)
{
	struct file *file = get_file(f->ebx);

	if (unlikely(!may_read(file)))
		return -EBADF;
	return file->ops->read ? read_some(file, f->ecx, f->edx) : -EINVAL;
}

int32_t sys_write(struct trapframe *f)
{
	struct file *file = get_file(f->ebx);

	if (unlikely(!may_write(file)))
		return -EBADF;
	return file->ops->write ? write_some(file, f->ecx, f->edx) : -EINVAL;
}

/*
 * At an offset of their own: on a copy of the open file, whose offset then nobody sees.  Beyond
 * what an offset can be there is nothing to read, and no writing.
 */
static int copy_at(struct file *copy, const struct file *file, uint32_t low, uint32_t high)
{
	if ((int32_t)high < 0)
		return -EINVAL;
	if (!file->ops->seekable)
		return -ESPIPE;
	*copy = *file;
	copy->offset = high || low > OFFSET_MAX ? OFFSET_MAX + 1u : low;
	return 0;
}

int32_t sys_pread64(struct trapframe *f)
{
	struct file *file = get_file(f->ebx), copy;
	int err;

	if (!may_read(file))
		return -EBADF;
	err = copy_at(&copy, file, f->esi, f->edi);
	return err ? err : read_long(&copy, f->ecx, f->edx);
}

int32_t sys_pwrite64(struct trapframe *f)
{
	struct file *file = get_file(f->ebx), copy;
	int err;

	if (!may_write(file))
		return -EBADF;
	err = copy_at(&copy, file, f->esi, f->edi);
	return err ? err : write_long(&copy, f->ecx, f->edx);
}

struct iovec {
	uaddr_t base;
	uint32_t length;
};

#define IOVEC_MAX 1024u

/* No piece may have a negative length; as in Linux, that is found out before the first byte moves.
 */
static int check_vector(uaddr_t at, uint32_t count)
{
	struct iovec v;

	if (count > IOVEC_MAX)
		return -EINVAL;
	for (; count--; at += sizeof(v)) {
		if (copy_from_user(&v, at, sizeof(v)))
			return -EFAULT;
		if ((int32_t)v.length < 0)
			return -EINVAL;
	}
	return 0;
}

/* One piece after the other, until one comes out short. */
static int32_t vector(struct trapframe *f, struct file *file,
		      ssize_t (*move)(struct file *, uaddr_t, uint32_t))
{
	uint32_t i, done = 0;
	struct iovec v;
	int32_t n = check_vector(f->ecx, f->edx);

	for (i = 0; i < f->edx && n >= 0; i++) {
		if (copy_from_user(&v, f->ecx + i * sizeof(v), sizeof(v)))
			n = -EFAULT;
		else if (v.length)
			n = move(file, v.base, MIN(v.length, COUNT_MAX - done));
		else
			continue;
		if (n > 0)
			done += n;
		if (n != (int32_t)v.length)
			break;
		if (v.length >= PAGE_SIZE && breathe()) /* a thousand of them take long */
			break;
	}
	return done ? (int32_t)done : n;
}

int32_t sys_readv(struct trapframe *f)
{
	struct file *file = get_file(f->ebx);

	if (!may_read(file))
		return -EBADF;
	return file->ops->read ? vector(f, file, read_some) : -EINVAL;
}

int32_t sys_writev(struct trapframe *f)
{
	struct file *file = get_file(f->ebx);

	if (!may_write(file))
		return -EBADF;
	return file->ops->write ? vector(f, file, write_some) : -EINVAL;
}

int32_t sys_close(struct trapframe *f)
{
	return files_close(current->files, f->ebx);
}

/* --- offsets -------------------------------------------------------------- */

enum { SEEK_SET, SEEK_CUR, SEEK_END };

static int32_t seek(struct file *file, int64_t offset, uint32_t whence)
{
	if (!file)
		return -EBADF;
	if (!file->ops->seekable)
		return -ESPIPE;
	if (whence > SEEK_END)
		return -EINVAL;
	if (whence == SEEK_CUR)
		offset += file->offset;
	else if (whence == SEEK_END)
		offset += file->inode->size;
	if (offset < 0)
		return -EINVAL;
	if (offset > OFFSET_MAX)
		return -EOVERFLOW;
	file->offset = offset;
	return offset;
}

int32_t sys_lseek(struct trapframe *f)
{
	return seek(get_file(f->ebx), (int32_t)f->ecx, f->edx);
}

int32_t sys_llseek(struct trapframe *f)
{
	int64_t offset = (int64_t)((uint64_t)f->ecx << 32 | f->edx);
	int32_t at = seek(get_file(f->ebx), offset, f->edi);
	uint32_t result[2] = { at, 0 };

	return at < 0 ? at : copy_to_user(f->esi, result, sizeof(result));
}

/* --- descriptors ---------------------------------------------------------- */

int32_t sys_dup(struct trapframe *f)
{
	struct file *file = get_file(f->ebx);

	if (!file)
		return -EBADF;
	file->refs++;
	return files_add(current->files, file, 0, false);
}

static int32_t dup_to(uint32_t from, uint32_t to, bool close_on_exec)
{
	struct files *files = current->files;
	struct file *file = get_file(from);

	if (!file || to >= FILES_MAX)
		return -EBADF;
	file->refs++;
	files_close(files, to);
	files_set(files, to, file, close_on_exec);
	return to;
}

int32_t sys_dup2(struct trapframe *f)
{
	if (f->ebx == f->ecx)
		return get_file(f->ebx) ? (int32_t)f->ebx : -EBADF;
	return dup_to(f->ebx, f->ecx, false);
}

int32_t sys_dup3(struct trapframe *f)
{
	if (f->ebx == f->ecx || (f->edx & ~O_CLOEXEC))
		return -EINVAL;
	return dup_to(f->ebx, f->ecx, f->edx & O_CLOEXEC);
}

static int32_t make_pipe(uaddr_t at, uint32_t flags)
{
	struct files *files = current->files;
	bool cloexec = flags & O_CLOEXEC;
	struct file *ends[2];
	int32_t fd[2];
	int err;

	if (flags & ~(O_CLOEXEC | O_NONBLOCK))
		return -EINVAL;
	err = pipe_open(flags, ends);
	if (err)
		return err;
	fd[0] = files_add(files, ends[0], 0, cloexec);
	if (fd[0] < 0) {
		file_put(ends[1]);
		return fd[0];
	}
	fd[1] = files_add(files, ends[1], 0, cloexec);
	err = fd[1] < 0 ? fd[1] : copy_to_user(at, fd, sizeof(fd));
	if (err) {
		files_close(files, fd[0]);
		if (fd[1] >= 0)
			files_close(files, fd[1]);
	}
	return err;
}

int32_t sys_pipe(struct trapframe *f)
{
	return make_pipe(f->ebx, 0);
}

int32_t sys_pipe2(struct trapframe *f)
{
	return make_pipe(f->ebx, f->ecx);
}

int32_t sys_ioctl(struct trapframe *f)
{
	struct file *file = get_file(f->ebx);

	if (!file)
		return -EBADF;
	return file->ops->ioctl ? file->ops->ioctl(file, f->ecx, f->edx) : -ENOTTY;
}

enum { F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC = 1030 };
#define FD_CLOEXEC 1u

static int32_t duplicate_from(struct file *file, uint32_t first, bool cloexec)
{
	if (first >= FILES_MAX)
		return -EINVAL;
	file->refs++;
	return files_add(current->files, file, first, cloexec);
}

int32_t sys_fcntl(struct trapframe *f)
{
	struct file *file = get_file(f->ebx);

	if (!file)
		return -EBADF;
	switch (f->ecx) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		return duplicate_from(file, f->edx, f->ecx == F_DUPFD_CLOEXEC);
	case F_GETFD:
		return files_closes_on_exec(current->files, f->ebx) ? FD_CLOEXEC : 0;
	case F_SETFD:
		files_mark(current->files, f->ebx, f->edx & FD_CLOEXEC);
		return 0;
	case F_GETFL:
		return file->flags;
	case F_SETFL:
		file->flags = (file->flags & ~O_SETTABLE) | (f->edx & O_SETTABLE);
		return 0;
	default:
		return -EINVAL;
	}
}

/* --- poll ----------------------------------------------------------------- */

struct pollfd {
	int32_t fd;
	uint16_t events, revents;
};

/* One look at all descriptors: how many have something to say. */
static int32_t look(uaddr_t at, uint32_t count)
{
	int32_t ready = 0;
	struct pollfd p;
	uint32_t i;

	for (i = 0; i < count; i++, at += sizeof(p)) {
		struct file *file;

		if (copy_from_user(&p, at, sizeof(p)))
			return -EFAULT;
		file = get_file(p.fd);
		p.revents = 0;
		if (p.fd >= 0)
			p.revents =
				file ? file_ready(file) & (p.events | POLLERR | POLLHUP) : POLLNVAL;
		if (copy_to_user(at, &p, sizeof(p)))
			return -EFAULT;
		if (p.revents)
			ready++;
	}
	return ready;
}

/*
 * A task can sleep on one queue only, so poll() looks again at every tick.  Fit for a shell that
 * waits for a key with a time limit, not for a server.
 */
int32_t sys_poll(struct trapframe *f)
{
	int32_t ms = f->edx, ready;
	uint64_t end = time_ns() + (uint64_t)(uint32_t)ms * 1000000;

	if (f->ecx > FILES_MAX)
		return -EINVAL;
	for (;;) {
		ready = look(f->ebx, f->ecx);
		if (ready || !ms || (ms > 0 && time_ns() >= end))
			return ready;
		if (sleep_on_timeout(NULL, 1) == -EINTR)
			return -EINTR;
	}
}
