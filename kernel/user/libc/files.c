/*
 * files.c - making, changing and removing files: system calls as C functions, a line each.
 *
 * Offsets have 64 bits and travel in two halves.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#define HALVES(offset) (long)(offset), (long)((offset) >> 32)

/* Contents */

int creat(const char *path, mode_t mode)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
	return syscall(SYS_pread64, fd, to, n, HALVES(offset));
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t offset)
{
	return syscall(SYS_pwrite64, fd, from, n, HALVES(offset));
}

int truncate(const char *path, off_t size)
{
	return syscall(SYS_truncate64, path, HALVES(size));
}

int ftruncate(int fd, off_t size)
{
	return syscall(SYS_ftruncate64, fd, HALVES(size));
}

int fsync(int fd)
{
	return syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
	return syscall(SYS_fdatasync, fd);
}

void sync(void)
{
	syscall(SYS_sync);
}

/* Names */

int link(const char *old, const char *path)
{
	return syscall(SYS_link, old, path);
}

int symlink(const char *target, const char *path)
{
	return syscall(SYS_symlink, target, path);
}

int linkat(int old_dir, const char *old, int dir, const char *path, int flags)
{
	return syscall(SYS_linkat, old_dir, old, dir, path, flags);
}

int symlinkat(const char *target, int dir, const char *path)
{
	return syscall(SYS_symlinkat, target, dir, path);
}

int unlink(const char *path)
{
	return syscall(SYS_unlink, path);
}

int unlinkat(int dir, const char *path, int flags)
{
	return syscall(SYS_unlinkat, dir, path, flags);
}

int rmdir(const char *path)
{
	return syscall(SYS_rmdir, path);
}

int remove(const char *path)
{
	return unlink(path) == 0 || (errno == EISDIR && rmdir(path) == 0) ? 0 : -1;
}

int rename(const char *from, const char *to)
{
	return syscall(SYS_rename, from, to);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return syscall(SYS_renameat, from_dir, from, to_dir, to);
}

int mkdir(const char *path, mode_t mode)
{
	return syscall(SYS_mkdir, path, mode);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
	return syscall(SYS_mkdirat, dir, path, mode);
}

int mknod(const char *path, mode_t mode, dev_t dev)
{
	return syscall(SYS_mknod, path, mode, (long)dev);
}

int mkfifo(const char *path, mode_t mode)
{
	return mknod(path, (mode & 07777) | S_IFIFO, 0);
}

/* Names from the process's number and a counter: nobody means harm here. */
int mkstemp(char *name)
{
	size_t n = strlen(name);
	static unsigned count;

	if (n < 6 || strcmp(name + n - 6, "XXXXXX") != 0) {
		errno = EINVAL;
		return -1;
	}
	for (int tries = 0; tries < 1000; tries++) {
		unsigned value = getpid() * 1000 + count++;
		int fd;

		for (char *p = name + n; p > name + n - 6; value /= 36)
			*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[value % 36];
		fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* What is known of a file */

int chmod(const char *path, mode_t mode)
{
	return syscall(SYS_chmod, path, mode);
}

int fchmod(int fd, mode_t mode)
{
	return syscall(SYS_fchmod, fd, mode);
}

int chown(const char *path, uid_t user, gid_t group)
{
	return syscall(SYS_chown32, path, user, group);
}

int lchown(const char *path, uid_t user, gid_t group)
{
	return syscall(SYS_lchown32, path, user, group);
}

int fchown(int fd, uid_t user, gid_t group)
{
	return syscall(SYS_fchown32, fd, user, group);
}

int utime(const char *path, const struct utimbuf *times)
{
	return syscall(SYS_utime, path, times);
}

int utimensat(int dir, const char *path, const struct timespec times[2], int flags)
{
	return syscall(SYS_utimensat, dir, path, times, flags);
}

int futimens(int fd, const struct timespec times[2])
{
	return utimensat(fd, NULL, times, 0);
}

/* Room */

/* struct statfs64 of Linux i386 */
struct statfs64 {
	unsigned type, block_size;
	unsigned long long blocks, free, available, files, free_files;
	int fsid[2];
	unsigned name_max, fragment_size, flags, spare[4];
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct statfs64) == 84, "struct statfs64 of Linux i386 has 84 bytes");

static int convert(long answer, const struct statfs64 *s, struct statvfs *to)
{
	if (answer < 0)
		return -1;
	to->f_bsize = s->block_size;
	to->f_frsize = s->fragment_size ? s->fragment_size : s->block_size;
	to->f_blocks = s->blocks;
	to->f_bfree = s->free;
	to->f_bavail = s->available;
	to->f_files = s->files;
	to->f_ffree = to->f_favail = s->free_files;
	to->f_fsid = s->fsid[0];
	to->f_flag = s->flags & ST_RDONLY;
	to->f_namemax = s->name_max;
	return 0;
}

int statvfs(const char *path, struct statvfs *to)
{
	struct statfs64 s;

	return convert(syscall(SYS_statfs64, path, sizeof(s), &s), &s, to);
}

int fstatvfs(int fd, struct statvfs *to)
{
	struct statfs64 s;

	return convert(syscall(SYS_fstatfs64, fd, sizeof(s), &s), &s, to);
}
