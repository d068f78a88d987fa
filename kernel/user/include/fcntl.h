/*
 * fcntl.h - opening files, and descriptor flags.
 */

#ifndef _FCNTL_H
#define _FCNTL_H

#include <sys/types.h>

#define O_RDONLY    0
#define O_WRONLY    01
#define O_RDWR	    02
#define O_ACCMODE   03
#define O_CREAT	    0100
#define O_EXCL	    0200
#define O_TRUNC	    01000
#define O_APPEND    02000
#define O_NONBLOCK  04000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW  0400000
#define O_CLOEXEC   02000000

#define F_DUPFD		0
#define F_GETFD		1
#define F_SETFD		2
#define F_GETFL		3
#define F_SETFL		4
#define F_DUPFD_CLOEXEC 1030
#define FD_CLOEXEC	1

#define AT_FDCWD	    (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR	    0x200
#define AT_SYMLINK_FOLLOW   0x400

int open(const char *path, int flags, ...);
int creat(const char *path, mode_t mode);
int openat(int dir, const char *path, int flags, ...);
int fcntl(int fd, int command, ...);

#endif
