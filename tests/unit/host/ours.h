/*
 * ours.h - the kernel's file operations by path, as its system calls put them together.
 *
 * `dir` is the working directory, NULL for the root.  Results are 0 or more, or -errno.
 */
#pragma once

#include "host/host.h"

/* A file to read and write, maybe created with `mode`; *out has a reference. */
int ours_open(struct inode *dir, const char *path, bool create, bool exclusive, uint32_t mode,
	      struct inode **out);
int ours_folder(struct inode *dir, const char *path, struct inode **out);

ssize_t ours_read(struct inode *i, void *to, size_t n, uint32_t at);
ssize_t ours_write(struct inode *i, const void *from, size_t n, uint32_t at);
ssize_t ours_append(struct inode *i, const void *from, size_t n);

int ours_mkdir(struct inode *dir, const char *path, uint32_t mode);
int ours_mkfifo(struct inode *dir, const char *path, uint32_t mode);
int ours_symlink(const char *text, struct inode *dir, const char *path);
int ours_link(struct inode *from_dir, const char *from, struct inode *dir, const char *path);
int ours_remove(struct inode *dir, const char *path, bool directory);
int ours_rename(struct inode *from_dir, const char *from, struct inode *dir, const char *to);
int ours_chmod(struct inode *dir, const char *path, uint32_t mode);
int ours_set_time(struct inode *dir, const char *path, uint32_t seconds);

/* The names in a directory but . and .., sorted; *count of them.  Free each, and the array. */
char **ours_names(struct inode *dir, uint32_t *count);
