/*
 * sys/stat.h - what is known of a file.
 */

#ifndef _SYS_STAT_H
#define _SYS_STAT_H

#include <sys/types.h>
#include <time.h>

/* The kernel's struct stat64 (i386), so that nothing needs converting. */
struct stat {
	dev_t st_dev;
	unsigned pad0;
	unsigned ino_low;
	mode_t st_mode;
	nlink_t st_nlink;
	uid_t st_uid;
	gid_t st_gid;
	dev_t st_rdev;
	unsigned pad1;
	off_t st_size;
	unsigned long st_blksize;
	unsigned long long st_blocks;
	time_t st_atime;
	unsigned long st_atime_nsec;
	time_t st_mtime;
	unsigned long st_mtime_nsec;
	time_t st_ctime;
	unsigned long st_ctime_nsec;
	ino_t st_ino;
};

_Static_assert(sizeof(struct stat) == 96, "struct stat64 of Linux i386 has 96 bytes");

#define S_IFMT	 0170000
#define S_IFIFO	 0010000
#define S_IFCHR	 0020000
#define S_IFDIR	 0040000
#define S_IFBLK	 0060000
#define S_IFREG	 0100000
#define S_IFLNK	 0120000
#define S_IFSOCK 0140000

#define S_ISUID 04000
#define S_ISGID 02000
#define S_ISVTX 01000

#define S_ISFIFO(mode) (((mode)&S_IFMT) == S_IFIFO)
#define S_ISCHR(mode)  (((mode)&S_IFMT) == S_IFCHR)
#define S_ISDIR(mode)  (((mode)&S_IFMT) == S_IFDIR)
#define S_ISBLK(mode)  (((mode)&S_IFMT) == S_IFBLK)
#define S_ISREG(mode)  (((mode)&S_IFMT) == S_IFREG)
#define S_ISLNK(mode)  (((mode)&S_IFMT) == S_IFLNK)

int stat(const char *path, struct stat *to);
int lstat(const char *path, struct stat *to);
int fstat(int fd, struct stat *to);
mode_t umask(mode_t mask);

int mkdir(const char *path, mode_t mode);
int mkdirat(int dir, const char *path, mode_t mode);
int mknod(const char *path, mode_t mode, dev_t dev);
int mkfifo(const char *path, mode_t mode);
int chmod(const char *path, mode_t mode);
int fchmod(int fd, mode_t mode);

#define UTIME_NOW  0x3fffffff
#define UTIME_OMIT 0x3ffffffe

/* times[0]: of the last access, times[1]: of the last change; NULL: now.  fd without a path: the
 * file itself. */
int utimensat(int dir, const char *path, const struct timespec times[2], int flags);
int futimens(int fd, const struct timespec times[2]);

#endif
