/*
 * theirs.c - the host's file operations; see theirs.h.
 */
#include "host/theirs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(HERE == AT_FDCWD, "the host's word for it");

/* What is created has the rights it is given. */
static __attribute__((constructor)) void no_umask(void)
{
	umask(0);
}

static int64_t answer(int64_t value)
{
	return value < 0 ? -errno : value;
}

int theirs_folder(int dir, const char *path)
{
	return answer(openat(dir, path, O_RDONLY | O_DIRECTORY));
}

int theirs_open(int dir, const char *path, bool create, bool exclusive, uint32_t mode)
{
	int flags = O_RDWR | O_NONBLOCK | (create ? O_CREAT : 0) | (exclusive ? O_EXCL : 0);

	return answer(openat(dir, path, flags, mode));
}

void theirs_close(int fd)
{
	close(fd);
}

ssize_t theirs_read(int fd, void *to, size_t n, uint64_t at)
{
	return answer(pread(fd, to, n, at));
}

ssize_t theirs_write(int fd, const void *from, size_t n, uint64_t at)
{
	return answer(pwrite(fd, from, n, at));
}

int64_t theirs_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? -errno : st.st_size;
}

int theirs_truncate(int fd, uint64_t size)
{
	return answer(ftruncate(fd, size));
}

int theirs_stat(int dir, const char *path, bool follow, struct theirs_stat *out)
{
	struct stat st;

	if (fstatat(dir, path, &st, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	out->mode = st.st_mode;
	out->links = st.st_nlink;
	out->mtime = st.st_mtime;
	out->size = st.st_size;
	return 0;
}

ssize_t theirs_link_text(int dir, const char *path, char *to, size_t size)
{
	return answer(readlinkat(dir, path, to, size));
}

int theirs_mkdir(int dir, const char *path, uint32_t mode)
{
	return answer(mkdirat(dir, path, mode));
}

int theirs_mkfifo(int dir, const char *path, uint32_t mode)
{
	return answer(mkfifoat(dir, path, mode));
}

int theirs_symlink(const char *text, int dir, const char *path)
{
	return answer(symlinkat(text, dir, path));
}

int theirs_link(int from_dir, const char *from, int dir, const char *path)
{
	return answer(linkat(from_dir, from, dir, path, 0));
}

int theirs_remove(int dir, const char *path, bool directory)
{
	return answer(unlinkat(dir, path, directory ? AT_REMOVEDIR : 0));
}

int theirs_rename(int from_dir, const char *from, int dir, const char *to)
{
	return answer(renameat(from_dir, from, dir, to));
}

int theirs_chmod(int dir, const char *path, uint32_t mode)
{
	return answer(fchmodat(dir, path, mode, 0));
}

int theirs_set_time(int dir, const char *path, uint32_t seconds)
{
	struct timespec t[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };

	return answer(utimensat(dir, path, t, 0));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **theirs_names(int dir, const char *path, uint32_t *count)
{
	DIR *d = fdopendir(openat(dir, path, O_RDONLY | O_DIRECTORY));
	char **names = NULL;
	struct dirent *e;

	*count = 0;
	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		names = realloc(names, (*count + 1) * sizeof(*names));
		names[(*count)++] = strdup(e->d_name);
	}
	if (d)
		closedir(d);
	if (*count)
		qsort(names, *count, sizeof(*names), by_name);
	return names;
}

void theirs_free(char **names, uint32_t count)
{
	while (count--)
		free(names[count]);
	free(names);
}
