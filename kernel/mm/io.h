/*
 * io.h - where the bytes of a read or write go.
 *
 * A file's read moves bytes to a user buffer (read) or to the kernel (exec, a
 * fault); the file system should not care which.  A struct io names the other
 * side and advances as it is used.
 *
 * A user buffer is looked at once, when its io is made.  Nearly always all of it lies in the
 * user's window, and then moving a block is the copy and little else, inline.
 */
#pragma once

#include "lib/errno.h"
#include "lib/types.h"
#ifdef KLAAVA_HOST
#include "lib/string.h"
#endif

struct io {
	char *at;    /* the next byte */
	size_t left; /* bytes still wanted */
	bool safe;   /* any of them may be touched; else each piece is looked at: io_check() */
};

#define IO_KERNEL(p, n) ((struct io){ .at = (char *)(p), .left = (n), .safe = true })

/* n bytes at `addr` of the current task, whatever addr is. */
void io_user(struct io *io, uaddr_t addr, size_t n);

/* May the next n bytes be touched, and written to if `write`?  0 or -EFAULT.  May sleep. */
int io_check(const struct io *io, size_t n, bool write);

#ifdef KLAAVA_HOST
static inline int copy_faulting(void *dst, const void *src, size_t n)
{
	memcpy(dst, src, n);
	return 0;
}

static inline int fill_faulting(void *dst, size_t n)
{
	memset(dst, 0, n);
	return 0;
}
#else
/*
 * Copy, or fill with zeros, four bytes at a time; -EFAULT at the first address that does not work
 * and cannot be made to: a fault is resolved like one of the program's own, or goes on at
 * `fault`, through the exception table.
 */
static inline int copy_faulting(void *dst, const void *src, size_t n)
{
	size_t count = n / 4;

	asm volatile goto("1:	rep movsl\n"
			  "	movl %3, %2\n"
			  "	andl $3, %2\n"
			  "2:	rep movsb\n"
			  "	.pushsection .extable, \"a\"\n"
			  "	.long 1b, %l[fault], 2b, %l[fault]\n"
			  "	.popsection"
			  : "+D"(dst), "+S"(src), "+c"(count)
			  : "g"(n)
			  : "memory", "cc"
			  : fault);
	return 0;
fault:
	return -EFAULT;
}

static inline int fill_faulting(void *dst, size_t n)
{
	size_t count = n / 4;

	asm volatile goto("1:	rep stosl\n"
			  "	movl %3, %1\n"
			  "	andl $3, %1\n"
			  "2:	rep stosb\n"
			  "	.pushsection .extable, \"a\"\n"
			  "	.long 1b, %l[fault], 2b, %l[fault]\n"
			  "	.popsection"
			  : "+D"(dst), "+c"(count)
			  : "a"(0), "g"(n)
			  : "memory", "cc"
			  : fault);
	return 0;
fault:
	return -EFAULT;
}
#endif

static inline int io_look(struct io *io, size_t n, bool write)
{
	return likely(io->safe) ? 0 : io_check(io, n, write);
}

static inline void io_advance(struct io *io, size_t n)
{
	io->at += n;
	io->left -= n;
}

/*
 * Move n <= io->left bytes between the kernel's `p` and the io, and advance it.  0 or
 * -EFAULT (nothing advanced).  May sleep in a user page fault.
 */

/* p -> io: a read() */
static inline int io_put(struct io *io, const void *p, size_t n)
{
	if (io_look(io, n, true) || copy_faulting(io->at, p, n))
		return -EFAULT;
	io_advance(io, n);
	return 0;
}

/* io -> p: a write() */
static inline int io_get(struct io *io, void *p, size_t n)
{
	if (io_look(io, n, false) || copy_faulting(p, io->at, n))
		return -EFAULT;
	io_advance(io, n);
	return 0;
}

/* zeros -> io: a hole */
static inline int io_zero(struct io *io, size_t n)
{
	if (io_look(io, n, true) || fill_faulting(io->at, n))
		return -EFAULT;
	io_advance(io, n);
	return 0;
}
