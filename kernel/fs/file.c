/*
 * file.c - open files and descriptors.
 *
 * The one idea: three layers.  A descriptor (a place in a process's table) refers to an open
 * file (which has the offset), which refers to an inode (which is the file).  fork() copies the
 * first, so parent and child share the second: that is why `(a; b) > out` works.
 *
 * Threads do not exist, so nobody can close a descriptor while its owner sleeps in a read: no
 * call needs a reference of its own.
 */

#include "fs/file.h"
#include "lib/errno.h"
#include "mm/kalloc.h"

static ssize_t regular_read(struct file *f, struct io *io)
{
	ssize_t n = inode_read(f->inode, f->offset, io);

	if (n > 0)
		f->offset += n;
	return n;
}

static ssize_t regular_write(struct file *f, struct io *io)
{
	uint32_t at = f->offset;
	ssize_t n = inode_write(f->inode, &at, f->flags & O_APPEND, io);
	int err;

	if (n <= 0)
		return n;
	f->offset = at + n;
	err = f->flags & O_DSYNC ? inode_sync(f->inode) : 0;
	return err ? err : n;
}

static ssize_t directory_read(struct file *f, struct io *io)
{
	(void)f;
	(void)io;
	return -EISDIR;
}

const struct file_ops regular_ops = {
	.read = regular_read,
	.write = regular_write,
	.seekable = true,
};
const struct file_ops directory_ops = { .read = directory_read, .seekable = true };

struct file *file_new(const struct file_ops *ops, uint32_t flags, void *private)
{
	struct file *f = kmalloc(sizeof(*f));

	if (!f)
		return NULL;
	f->refs = 1;
	f->flags = flags & O_KEPT;
	f->ops = ops;
	f->inode = NULL;
	f->offset = 0;
	f->private = private;
	return f;
}

static bool writes(uint32_t flags)
{
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* May a regular file be written to? */
static int may_write(const struct inode *i)
{
	struct fs_room room;

	fs_room(&room);
	if (room.read_only)
		return -EROFS;
	return i->texts ? -ETXTBSY : 0;
}

/* The operations for an inode opened with `flags`. */
static int choose_ops(const struct inode *i, uint32_t flags, const struct file_ops **ops)
{
	switch (i->mode & S_IFMT) {
	case S_IFREG:
		*ops = &regular_ops;
		return 0;
	case S_IFDIR:
		if (writes(flags) || (flags & (O_CREAT | O_TRUNC)))
			return -EISDIR;
		*ops = &directory_ops;
		return 0;
	case S_IFLNK: /* only with O_NOFOLLOW */
		return -ELOOP;
	case S_IFCHR:
		*ops = device_ops(i->rdev);
		return *ops ? 0 : -ENXIO;
	default:
		return -ENXIO;
	}
}

int file_open(struct inode *i, uint32_t flags, struct file **out)
{
	const struct file_ops *ops;
	struct file *f = NULL;
	bool cut;
	int err = choose_ops(i, flags, &ops);

	if (!err && !(f = file_new(ops, flags, NULL)))
		err = -ENOMEM;
	cut = !err && ops == &regular_ops && (flags & O_TRUNC);
	if (!err && ops == &regular_ops && (cut || writes(flags)))
		err = may_write(i);
	if (err) {
		kfree(f);
		inode_put(i);
		return err;
	}
	f->inode = i;
	i->writers += writes(flags);
	err = cut ? inode_truncate(i, 0) : 0;
	if (err)
		file_put(f);
	else
		*out = f;
	return err;
}

void file_put(struct file *f)
{
	if (--f->refs)
		return;
	if (f->ops->release)
		f->ops->release(f);
	if (f->inode) {
		if (writes(f->flags))
			f->inode->writers--;
		inode_put(f->inode);
	}
	kfree(f);
}

uint32_t file_ready(struct file *f)
{
	uint32_t can = 0;

	if (f->ops->ready)
		return f->ops->ready(f);
	if (f->ops->read)
		can |= POLLIN;
	if (f->ops->write)
		can |= POLLOUT;
	return can;
}

struct files *files_new(void)
{
	struct files *fs = kmalloc(sizeof(*fs));

	if (fs) {
		fs->end = 0;
		fs->close_on_exec[0] = fs->close_on_exec[1] = 0;
	}
	return fs;
}

struct files *files_fork(const struct files *fs)
{
	struct files *copy = files_new();
	uint32_t i;

	if (!copy)
		return NULL;
	for (i = 0; i < fs->end; i++) {
		copy->fd[i] = fs->fd[i];
		if (copy->fd[i])
			copy->fd[i]->refs++;
	}
	copy->end = fs->end;
	copy->close_on_exec[0] = fs->close_on_exec[0];
	copy->close_on_exec[1] = fs->close_on_exec[1];
	return copy;
}

void files_free(struct files *fs)
{
	uint32_t fd;

	for (fd = 0; fd < fs->end; fd++)
		files_close(fs, fd);
	kfree(fs);
}

void files_exec(struct files *fs)
{
	uint32_t fd;

	if (!(fs->close_on_exec[0] | fs->close_on_exec[1]))
		return;
	for (fd = 0; fd < fs->end; fd++)
		if (files_closes_on_exec(fs, fd))
			files_close(fs, fd);
}

void files_set(struct files *fs, uint32_t fd, struct file *f, bool close_on_exec)
{
	while (fs->end <= fd)
		fs->fd[fs->end++] = NULL;
	fs->fd[fd] = f;
	files_mark(fs, fd, close_on_exec);
}

int files_place(const struct files *fs, uint32_t first)
{
	uint32_t fd = first;

	while (fd < fs->end && fs->fd[fd])
		fd++;
	return fd < FILES_MAX ? (int)fd : -EMFILE;
}

int files_add(struct files *fs, struct file *f, uint32_t first, bool close_on_exec)
{
	int fd = files_place(fs, first);

	if (fd < 0)
		file_put(f);
	else
		files_set(fs, fd, f, close_on_exec);
	return fd;
}

int files_close(struct files *fs, uint32_t fd)
{
	struct file *f = files_get(fs, fd);

	if (!f)
		return -EBADF;
	fs->fd[fd] = NULL;
	files_mark(fs, fd, false);
	file_put(f); /* may sleep: the place is free before */
	return 0;
}
