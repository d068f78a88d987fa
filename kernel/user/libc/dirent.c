/*
 * dirent.c - directories, a buffer of entries at a time.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

struct dir_stream {
	int fd;
	int next, end; /* offsets in entries[]: the next to hand out, the end of the last */
	char entries[1024];
};

DIR *opendir(const char *path)
{
	DIR *dir;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return NULL;
	dir = malloc(sizeof(*dir));
	if (!dir) {
		close(fd);
		return NULL;
	}
	dir->fd = fd;
	dir->next = dir->end = 0;
	return dir;
}

/* The entry stays valid until the next call.  NULL with errno unchanged: no more. */
struct dirent *readdir(DIR *dir)
{
	struct dirent *d;

	if (dir->next >= dir->end) {
		dir->end = syscall(SYS_getdents64, dir->fd, dir->entries, sizeof(dir->entries));
		dir->next = 0;
		if (dir->end <= 0)
			return NULL;
	}
	d = (struct dirent *)(dir->entries + dir->next);
	dir->next += d->d_reclen;
	return d;
}

int closedir(DIR *dir)
{
	int fd = dir->fd;

	free(dir);
	return close(fd);
}
