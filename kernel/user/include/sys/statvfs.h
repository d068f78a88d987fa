/*
 * sys/statvfs.h - how much room a file system has.
 */

#ifndef _SYS_STATVFS_H
#define _SYS_STATVFS_H

#define ST_RDONLY 1

struct statvfs {
	unsigned long f_bsize, f_frsize; /* f_frsize: the unit of the next three */
	unsigned long long f_blocks, f_bfree, f_bavail;
	unsigned long long f_files, f_ffree, f_favail;
	unsigned long f_fsid, f_flag, f_namemax;
};

int statvfs(const char *path, struct statvfs *to);
int fstatvfs(int fd, struct statvfs *to);

#endif
