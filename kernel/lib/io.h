/*
 * io.h - where the bytes of a read or write go.
 *
 * A file's read moves bytes to a user buffer (read) or to the kernel (exec, a
 * fault); the file system should not care which.  A struct io names the other
 * side and advances as it is used.
 */
#pragma once

#include "lib/types.h"

struct io {
	uintptr_t addr; /* a kernel pointer, or a user address of the current task */
	size_t left;	/* bytes still wanted */
	bool user;
};

#define IO_KERNEL(p, n) ((struct io){ .addr = (uintptr_t)(p), .left = (n), .user = false })
#define IO_USER(u, n)	((struct io){ .addr = (u), .left = (n), .user = true })

/*
 * Move n <= io->left bytes between the kernel's `p` and the io, and advance it.  0 or
 * -EFAULT (nothing advanced).  May sleep in a user page fault.
 */
int io_put(struct io *io, const void *p, size_t n); /* p -> io: a read() */
int io_get(struct io *io, void *p, size_t n);	    /* io -> p: a write() */
int io_zero(struct io *io, size_t n);		    /* zeros -> io: a hole */
