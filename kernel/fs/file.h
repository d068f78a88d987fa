/*
 * file.h - open files and descriptors.
 *
 * A struct file is one open(): it has the offset, so dup() and fork() share it.  A descriptor is
 * a place in its process's table.  What a file does is its table of operations.
 */
#pragma once

#include "mm/io.h"
#include "fs/inode.h"

/* open()'s flags, Linux i386 */
#define O_ACCMODE   03u
#define O_RDONLY    00u
#define O_WRONLY    01u
#define O_RDWR	    02u
#define O_CREAT	    0100u
#define O_EXCL	    0200u
#define O_NOCTTY    0400u
#define O_TRUNC	    01000u
#define O_APPEND    02000u
#define O_NONBLOCK  04000u
#define O_DSYNC	    010000u /* also a part of O_SYNC */
#define O_LARGEFILE 0100000u
#define O_DIRECTORY 0200000u
#define O_NOFOLLOW  0400000u
#define O_CLOEXEC   02000000u
/* What F_GETFL shows of them, and what F_SETFL may change. */
#define O_KEPT \
	(O_ACCMODE | O_APPEND | O_NONBLOCK | O_DSYNC | O_LARGEFILE | O_DIRECTORY | O_NOFOLLOW)
#define O_SETTABLE (O_APPEND | O_NONBLOCK)

/* ioctl(): how many bytes could be read now */
#define FIONREAD 0x541Bu

/* poll()'s bits */
#define POLLIN	 0x001u
#define POLLOUT	 0x004u
#define POLLERR	 0x008u
#define POLLHUP	 0x010u
#define POLLNVAL 0x020u

struct file;

/* NULL for what the file cannot do.  All may sleep. */
struct file_ops {
	/* Bytes moved, 0 at the end, or -errno when none; -ERESTARTSYS when a signal came first. */
	ssize_t (*read)(struct file *f, struct io *io);
	ssize_t (*write)(struct file *f, struct io *io);
	int (*ioctl)(struct file *f, uint32_t request, uaddr_t arg);
	uint32_t (*ready)(struct file *f); /* POLL* bits that are true now; NULL: always ready */
	bool seekable;			   /* else lseek says -ESPIPE */
	void (*release)(struct file *f);   /* the last reference went */
};

struct file {
	uint32_t refs;
	uint32_t flags; /* O_* */
	const struct file_ops *ops;
	struct inode *inode; /* NULL: a pipe */
	uint32_t offset;
	void *private;
};

/* So many that the table, with its bits, is one object of 256 bytes. */
#define FILES_MAX 60

struct files {
	struct file *fd[FILES_MAX]; /* NULL: free; valid below `end` only */
	uint32_t end;		    /* one past the highest descriptor ever used */
	uint32_t close_on_exec[2];  /* bits */
};

extern const struct file_ops regular_ops, directory_ops, pipe_ops;

/*
 * Open an inode, and cut it with O_TRUNC; takes over the caller's reference, also on failure.  0,
 * -EROFS (writing a file), -ETXTBSY (the same, and it is a program that runs), -EISDIR, -ENXIO (no
 * such device), -ENOMEM, and inode_truncate()'s.
 */
int file_open(struct inode *i, uint32_t flags, struct file **out);

/* A file with one reference and no inode; NULL: no memory. */
struct file *file_new(const struct file_ops *ops, uint32_t flags, void *private);

void file_put(struct file *f);

/* The two ends of a new pipe, reading end first.  0, -ENOMEM. */
int pipe_open(uint32_t flags, struct file *ends[2]);

/* What poll() would say now: POLLIN, POLLOUT, POLLHUP, POLLERR. */
uint32_t file_ready(struct file *f);

/* Tables.  NULL: no memory. */
struct files *files_new(void);
struct files *files_fork(const struct files *fs);
void files_free(struct files *fs);
void files_exec(struct files *fs); /* close those marked close-on-exec */

/* The open file of a descriptor, or NULL.  No reference: only its owner could close it. */
static inline struct file *files_get(const struct files *fs, uint32_t fd)
{
	return fd < fs->end ? fs->fd[fd] : NULL;
}

/* The lowest free place from `first` on, or -EMFILE. */
int files_place(const struct files *fs, uint32_t first);

/* Put `f` there; takes over the reference.  The place, or -EMFILE. */
int files_add(struct files *fs, struct file *f, uint32_t first, bool close_on_exec);

/* Put `f` at `fd`, which is free. */
void files_set(struct files *fs, uint32_t fd, struct file *f, bool close_on_exec);

/* 0 or -EBADF. */
int files_close(struct files *fs, uint32_t fd);

static inline bool files_closes_on_exec(const struct files *fs, uint32_t fd)
{
	return fs->close_on_exec[fd / 32] >> (fd % 32) & 1;
}

static inline void files_mark(struct files *fs, uint32_t fd, bool close_on_exec)
{
	uint32_t bit = 1u << (fd % 32);

	if (close_on_exec)
		fs->close_on_exec[fd / 32] |= bit;
	else
		fs->close_on_exec[fd / 32] &= ~bit;
}

/* kernel/fs/dev.c: the operations of the character device `rdev`; NULL if we have none. */
const struct file_ops *device_ops(uint32_t rdev);
