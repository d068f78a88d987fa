/*
 * names.h - making, moving and removing the names of files.
 *
 * Paths start at `root_inode` if they begin with '/', else at `cwd` (NULL: the root).  Every
 * function holds the file system's lock while it changes something, and may sleep.  Errors are
 * those of POSIX: beside the ones named below those of path_lookup(), and -ENOSPC, -EROFS, -EIO,
 * -ENOMEM.
 */
#pragma once

#include "fs/inode.h"

/*
 * The file that open(2) with O_CREAT opens: if nothing has the name, an empty one with `mode`
 * (rights; a dangling symbolic link in the last place is followed).  `flags` are open's:
 * O_EXCL: -EEXIST if there is one; O_NOFOLLOW.  *created tells which it was.  -EISDIR: the path
 * ends in a slash.
 */
int name_create(const char *path, struct inode *cwd, uint32_t flags, uint32_t mode,
		struct inode **out, bool *created);

/* A new file, directory, device node, pipe or socket: the type is in `mode`.  -EEXIST; -EMLINK;
 * -EINVAL: another type. */
int name_make(const char *path, struct inode *cwd, uint32_t mode, uint32_t rdev);

int name_symlink(const char *text, const char *path,
		 struct inode *cwd); /* -EEXIST, -ENAMETOOLONG */
int name_link(struct inode *old, const char *path,
	      struct inode *cwd); /* -EEXIST, -EMLINK, -EPERM */

/* unlink(2): -EISDIR.  With `directory` rmdir(2): -ENOTDIR, -ENOTEMPTY, -EINVAL (.), -EBUSY (/). */
int name_remove(const char *path, struct inode *cwd, bool directory);

/*
 * rename(2).  -EISDIR, -ENOTDIR, -ENOTEMPTY (what is replaced does not fit), -EINVAL (into itself),
 * -EBUSY (., .., /); with `keep` -EEXIST rather than replacing.
 */
int name_rename(const char *from, struct inode *from_cwd, const char *to, struct inode *to_cwd,
		bool keep);
