/*
 * ours.c - the kernel's file operations by path; see ours.h.
 */
#include "host/ours.h"

#include "fs/file.h"
#include "fs/namei.h"
#include "fs/names.h"

int ours_open(struct inode *dir, const char *path, bool create, bool exclusive, uint32_t mode,
	      struct inode **out)
{
	bool created;
	int err;

	if (create)
		err = name_create(path, dir, O_CREAT | (exclusive ? O_EXCL : 0), mode, out,
				  &created);
	else
		err = path_lookup(path, dir, LOOKUP_FOLLOW, out);
	if (!err && inode_is(*out, S_IFDIR)) {
		inode_put(*out);
		err = -EISDIR;
	}
	return err;
}

int ours_folder(struct inode *dir, const char *path, struct inode **out)
{
	return path_lookup(path, dir, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, out);
}

ssize_t ours_read(struct inode *i, void *to, size_t n, uint32_t at)
{
	struct io io = IO_KERNEL(to, n);

	return inode_read(i, at, &io);
}

ssize_t ours_write(struct inode *i, const void *from, size_t n, uint32_t at)
{
	struct io io = IO_KERNEL(from, n);

	return inode_write(i, &at, false, &io);
}

ssize_t ours_append(struct inode *i, const void *from, size_t n)
{
	struct io io = IO_KERNEL(from, n);
	uint32_t before = i->size, at = 0;
	ssize_t done = inode_write(i, &at, true, &io);

	if (done > 0)
		assert_true(at >= before);
	return done;
}

int ours_mkdir(struct inode *dir, const char *path, uint32_t mode)
{
	return name_make(path, dir, S_IFDIR | mode, 0);
}

int ours_mkfifo(struct inode *dir, const char *path, uint32_t mode)
{
	return name_make(path, dir, S_IFIFO | mode, 0);
}

int ours_symlink(const char *text, struct inode *dir, const char *path)
{
	return name_symlink(text, path, dir);
}

int ours_link(struct inode *from_dir, const char *from, struct inode *dir, const char *path)
{
	struct inode *i;
	int err = path_lookup(from, from_dir, 0, &i);

	if (err)
		return err;
	err = name_link(i, path, dir);
	inode_put(i);
	return err;
}

int ours_remove(struct inode *dir, const char *path, bool directory)
{
	return name_remove(path, dir, directory);
}

int ours_rename(struct inode *from_dir, const char *from, struct inode *dir, const char *to)
{
	return name_rename(from, from_dir, to, dir, false);
}

static int set(struct inode *dir, const char *path, const struct inode_attributes *a)
{
	struct inode *i;
	int err = path_lookup(path, dir, LOOKUP_FOLLOW, &i);

	if (err)
		return err;
	err = inode_set(i, a);
	inode_put(i);
	return err;
}

int ours_chmod(struct inode *dir, const char *path, uint32_t mode)
{
	struct inode_attributes a = { .what = SET_MODE, .mode = mode };

	return set(dir, path, &a);
}

int ours_set_time(struct inode *dir, const char *path, uint32_t seconds)
{
	struct inode_attributes a = { .what = SET_ATIME | SET_MTIME,
				      .atime = seconds,
				      .mtime = seconds };

	return set(dir, path, &a);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **ours_names(struct inode *dir, uint32_t *count)
{
	static struct dir_entry e;
	char **names = NULL;
	uint32_t offset = 0;
	int more;

	*count = 0;
	while ((more = dir_next(dir, &offset, &e)) == 1) {
		if (!strcmp(e.name, ".") || !strcmp(e.name, ".."))
			continue;
		names = realloc(names, (*count + 1) * sizeof(*names));
		names[*count] = malloc(e.length + 1);
		memcpy(names[(*count)++], e.name, e.length + 1);
	}
	if (more < 0)
		fail_msg("listing directory %u: %d", dir->ino, more);
	if (*count)
		qsort(names, *count, sizeof(*names), by_name);
	return names;
}
