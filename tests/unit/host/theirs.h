/*
 * theirs.h - the host's own file operations in a folder: what ours are compared with.
 *
 * They come without the host's headers, whose names are those of the kernel's.  Paths are
 * relative to the open directory `dir`.  Results are 0 or more, or -errno.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct theirs_stat {
	uint32_t mode, links, mtime;
	uint64_t size;
};

#define HERE (-100) /* as `dir`: paths are relative to the working directory */

/* A descriptor of a directory, of a file (maybe created with `mode`). */
int theirs_folder(int dir, const char *path);
int theirs_open(int dir, const char *path, bool create, bool exclusive, uint32_t mode);
void theirs_close(int fd);

ssize_t theirs_read(int fd, void *to, size_t n, uint64_t at);
ssize_t theirs_write(int fd, const void *from, size_t n, uint64_t at);
int64_t theirs_size(int fd);
int theirs_truncate(int fd, uint64_t size);

int theirs_stat(int dir, const char *path, bool follow, struct theirs_stat *out);
ssize_t theirs_link_text(int dir, const char *path, char *to, size_t size);

int theirs_mkdir(int dir, const char *path, uint32_t mode);
int theirs_mkfifo(int dir, const char *path, uint32_t mode);
int theirs_symlink(const char *text, int dir, const char *path);
int theirs_link(int from_dir, const char *from, int dir, const char *path);
int theirs_remove(int dir, const char *path, bool directory);
int theirs_rename(int from_dir, const char *from, int dir, const char *to);
int theirs_chmod(int dir, const char *path, uint32_t mode);
int theirs_set_time(int dir, const char *path, uint32_t seconds);

/* The names in a directory but . and .., sorted; *count of them.  Free them with theirs_free(). */
char **theirs_names(int dir, const char *path, uint32_t *count);
void theirs_free(char **names, uint32_t count);
