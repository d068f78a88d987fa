/*
 * ext2_inode.c - an inode from the disk and back, and the text of a symbolic link.
 *
 * An inode's number says where it lies: group (ino - 1) / inodes_per_group, then by index into that
 * group's inode table.  What is wrong with an inode is found here, before anybody has it;
 * only its block numbers wait until they are used (ext2_map.c).
 *
 * What is changed in an inode goes into its block of the table at once: no inode is ever dirty by
 * itself, so one that nobody uses can be forgotten at any time.
 */
#include "fs/ext2.h"
#include "cpu/timer.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"

/* Check what depends on the type, and set what does.  0, -EUCLEAN, -EOVERFLOW. */
static int check_type(struct inode *i, const struct ext2_inode *d)
{
	uint32_t attributes = d->file_acl ? ext2.block_size / SECTOR_SIZE : 0;

	switch (i->mode & S_IFMT) {
	case S_IFREG:
		if (i->size <= FILE_SIZE_MAX && !d->size_high)
			return 0;
		klog("ext2: %s: inode %u: a file of 2 GB or more\n", ext2.dev->name, i->ino);
		return -EOVERFLOW;
	case S_IFDIR:
		/* A directory has no holes: what the disk can hold bounds it. */
		if (i->size && !(i->size % ext2.block_size) &&
		    i->size / SECTOR_SIZE <= i->sectors &&
		    i->size >> ext2.block_shift <= ext2.blocks)
			return 0;
		return ext2_corrupt("inode %u: a directory of %u bytes in %u sectors", i->ino,
				    i->size, i->sectors);
	case S_IFLNK:
		/* A short text lies in block[]; the only sectors it has are those of its
		 * attributes. */
		i->text_inside = i->sectors == attributes;
		if (i->size && i->size < (i->text_inside ? sizeof(i->block) : ext2.block_size))
			return 0;
		return ext2_corrupt("inode %u: a symbolic link of %u bytes", i->ino, i->size);
	case S_IFCHR:
	case S_IFBLK:
		/* 8 bits major, 8 bits minor; or in the next word 12 bits of major. */
		i->rdev = i->block[0] ? i->block[0] & 0xFFFF : i->block[1] & 0xFFFFF;
		return 0;
	case S_IFIFO:
	case S_IFSOCK:
		return 0;
	}
	return ext2_corrupt("inode %u: unknown type, mode 0%o", i->ino, i->mode);
}

static int take_over(struct inode *i, const struct ext2_inode *d)
{
	i->mode = d->mode;
	i->links = d->links;
	i->uid = d->uid | (uint32_t)d->uid_high << 16;
	i->gid = d->gid | (uint32_t)d->gid_high << 16;
	i->size = d->size;
	i->atime = d->atime;
	i->mtime = d->mtime;
	i->ctime = d->ctime;
	i->sectors = d->sectors;
	i->flags = d->flags;
	i->file_acl = d->file_acl;
	memcpy(i->block, d->block, sizeof(i->block));
	if (!i->links)
		return ext2_corrupt("inode %u: deleted, but something leads to it", i->ino);
	if (d->flags & (EXT2_FLAG_EXTENTS | EXT2_FLAG_INLINE))
		return ext2_corrupt("inode %u: flags %#x are not ext2", i->ino, d->flags);
	return check_type(i, d);
}

static struct ext2_inode *in_block(const struct buffer *b, uint32_t ino)
{
	uint32_t index = (ino - 1) & (ext2.block_size / ext2.inode_size - 1);

	return (struct ext2_inode *)(b->data + index * ext2.inode_size);
}

int ext2_inode_block(uint32_t ino, struct buffer **b)
{
	uint32_t index = (ino - 1) % ext2.inodes_per_group, table;
	int err = ext2_inode_table((ino - 1) / ext2.inodes_per_group, &table);

	if (err)
		return err;
	return ext2_block(table + (index * ext2.inode_size >> ext2.block_shift), NULL, b);
}

int ext2_read_inode(struct inode *i)
{
	struct buffer *b;
	int err;

	if (i->ino > ext2.inodes || (i->ino < ext2.first_ino && i->ino != EXT2_ROOT_INO))
		return ext2_corrupt("inode %u: no such number", i->ino);
	err = ext2_inode_block(i->ino, &b);
	if (err)
		return err;
	err = take_over(i, in_block(b, i->ino));
	buffer_put(b);
	return err;
}

void ext2_store_inode(const struct inode *i, struct buffer *b, bool fresh)
{
	struct ext2_inode *d = in_block(b, i->ino);

	buffer_begin(b);
	if (fresh)
		memset(d, 0, ext2.inode_size);
	d->mode = i->mode;
	d->links = i->links;
	d->uid = i->uid;
	d->uid_high = i->uid >> 16;
	d->gid = i->gid;
	d->gid_high = i->gid >> 16;
	d->size = i->size;
	d->atime = i->atime;
	d->ctime = i->ctime;
	d->mtime = i->mtime;
	d->dtime = i->dtime;
	d->sectors = i->sectors;
	d->flags = i->flags;
	d->file_acl = i->file_acl;
	memcpy(d->block, i->block, sizeof(d->block));
	buffer_dirty(b);
}

int ext2_update_inode(const struct inode *i)
{
	struct buffer *b;
	int err = ext2_inode_block(i->ino, &b);

	if (err)
		return err;
	ext2_store_inode(i, b, false);
	buffer_put(b);
	return 0;
}

uint32_t ext2_now(void)
{
	return time_boot_epoch + time_ns() / 1000000000u;
}

int inode_set(struct inode *i, const struct inode_attributes *a)
{
	int err = fs_begin();

	if (err)
		return err;
	if (a->what & SET_MODE)
		i->mode = (i->mode & S_IFMT) | (a->mode & ~S_IFMT);
	if (a->what & SET_UID)
		i->uid = a->uid;
	if (a->what & SET_GID)
		i->gid = a->gid;
	if (a->what & SET_ATIME)
		i->atime = a->atime;
	if (a->what & SET_MTIME)
		i->mtime = a->mtime;
	i->ctime = ext2_now();
	return fs_finish(ext2_update_inode(i));
}

int ext2_link_text(struct inode *i, const char **text, uint32_t *len, struct buffer **hold)
{
	struct ext2_map m;
	uint32_t block;
	int err;

	*hold = NULL;
	if (i->text_inside) {
		*text = (const char *)i->block;
	} else {
		ext2_map_start(&m, 0);
		err = ext2_map(i, &m, &block);
		if (err)
			return err;
		if (!block)
			return ext2_corrupt("inode %u: a symbolic link without text", i->ino);
		err = ext2_block(block, i, hold);
		if (err)
			return err;
		*text = (*hold)->data;
	}
	*len = i->size;
	if (strnlen(*text, *len) == *len)
		return 0;
	if (*hold)
		buffer_put(*hold);
	return ext2_corrupt("inode %u: a symbolic link with a NUL in it", i->ino);
}

ssize_t inode_readlink(struct inode *i, char *buf, size_t size)
{
	struct buffer *hold;
	const char *text;
	uint32_t len;
	int err;

	if (!inode_is(i, S_IFLNK))
		return -EINVAL;
	err = ext2_link_text(i, &text, &len, &hold);
	if (err)
		return err;
	if (len < size) {
		memcpy(buf, text, len);
		buf[len] = '\0';
	} else {
		err = -ENAMETOOLONG;
	}
	if (hold)
		buffer_put(hold);
	return err ? err : (ssize_t)len;
}
