/*
 * sys.h - what the files of sys/ share.
 */
#pragma once

#include "fs/file.h"
#include "sys/syscall.h"

/* A call's prototype: the table declares them all, each file those it defines. */
#define CALL(number, name, function) int32_t sys_##function(struct trapframe *f);
#include "sys/calls.h"
#undef CALL

/*
 * A path from the program: a frame, to be given back with frame_put().  0, -EFAULT, -ENAMETOOLONG,
 * -ENOENT (empty), -ENOMEM.
 */
int path_from_user(uaddr_t at, char **out);

#define AT_FDCWD	    (-100)
#define AT_SYMLINK_NOFOLLOW 0x100u
#define AT_REMOVEDIR	    0x200u
#define AT_SYMLINK_FOLLOW   0x400u
#define AT_NO_AUTOMOUNT	    0x800u
#define AT_EMPTY_PATH	    0x1000u

/* The highest offset in a file. */
#define OFFSET_MAX 0x7fffffff

/* May the program read from it, write to it?  NULL: no. */
static inline bool may_read(const struct file *file)
{
	return file && (file->flags & O_ACCMODE) != O_WRONLY;
}

static inline bool may_write(const struct file *file)
{
	return file && (file->flags & O_ACCMODE) != O_RDONLY;
}

/* A path of the program's, and where it starts when it is relative (no reference). */
struct user_path {
	char *text;
	struct inode *start;
};

/* Until user_path_put().  0, path_from_user()'s, -EBADF, -ENOTDIR. */
int user_path_get(struct user_path *p, int32_t dirfd, uaddr_t at);
void user_path_put(struct user_path *p);

/*
 * Look up the program's path `at`; a relative one starts at `dirfd`.  `how` and errors as
 * path_lookup(), and -EFAULT, -EBADF, -ENOMEM.
 */
int find_path(int32_t dirfd, uaddr_t at, uint32_t how, struct inode **out);

/* time.c: as many ticks as `ns` need; the time of day, in seconds since 1970. */
uint32_t ticks_of(uint64_t ns);
uint32_t time_of_day(void);
