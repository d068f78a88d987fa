/*
 * namei.h - from a path to an inode.
 */
#pragma once

#include "fs/inode.h"

#define LOOKUP_FOLLOW	 1u /* follow a symbolic link in the last component */
#define LOOKUP_DIRECTORY 2u /* it must be a directory */
#define LOOKUP_PARENT	 4u /* without the last component: path_last() */

/*
 * Look `path` up, from `root_inode` if it starts with '/', else from `cwd` (NULL: the root).  On
 * success *out has a reference.  -ENOENT (also: nothing is mounted), -ENOTDIR, -ELOOP,
 * -ENAMETOOLONG, -EIO, -EUCLEAN, -EOVERFLOW, -ENOMEM.  May sleep.
 */
int path_lookup(const char *path, struct inode *cwd, uint32_t flags, struct inode **out);

/* The last component of a path, and its length; *slashes: some follow it.  0 bytes: there is none,
 * as in "/". */
const char *path_last(const char *path, uint32_t *len, bool *slashes);

/* The absolute path of a directory, into buf.  Length, -ERANGE, -ENOENT (removed), -ENOTDIR, -EIO,
 * -EUCLEAN. */
ssize_t path_of(struct inode *dir, char *buf, size_t size);
