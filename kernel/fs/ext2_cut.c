/*
 * ext2_cut.c - taking blocks away from a file: truncation and deletion.
 *
 * First nothing on the way to a block leads to it any more, then the block is free.  Where all of a
 * tree of indirect blocks goes, only its root is taken out of the inode, one write, however large
 * the tree is; where a part goes, its numbers are cleared in the blocks that stay.  Reads that are
 * under way are waited for: they hold on to numbers.
 *
 * What leads to nonsense is not freed, nor what comes behind it: it stays taken, which does no
 * harm, and a repair finds it.  Nor does a file give back more blocks than it has, or one that
 * leads to itself would go on for ever.
 *
 * Tunable: cache.order (ext2_free.c).  Lesson 9.
 */
#include "fs/ext2.h"
#include "lib/errno.h"

#define BLOCK_NUMBERS ARRAY_SIZE(((struct inode *)0)->block)

struct cut {
	struct inode *inode;
	uint32_t left; /* blocks that it may give back */
	int error;     /* the first */
};

static bool on_disk(struct cut *c, uint32_t block)
{
	if (block > ext2.first_data_block && block < ext2.blocks)
		return true;
	c->error = ext2_bad_block(c->inode, 0, block);
	return false;
}

/* Free a block of the file. */
static void free_block(struct cut *c, uint32_t block, struct buffer *pointer)
{
	if (!c->left) {
		c->error =
			ext2_corrupt("inode %u: leads to more blocks than it has", c->inode->ino);
		return;
	}
	c->left--;
	c->inode->sectors -= ext2.block_size / SECTOR_SIZE;
	ext2_free_blocks(block, 1, pointer);
}

/* Free what hangs under `block`, `depth` levels deep, and itself; `pointer` led to it. */
static void free_tree(struct cut *c, uint32_t block, uint32_t depth, struct buffer *pointer)
{
	struct buffer *b;
	int err;

	if (c->error || !on_disk(c, block))
		return;
	if (depth) {
		err = ext2_fetch(block, NULL, &b);
		if (err) {
			c->error = err;
			return;
		}
		for (uint32_t n = 0; n < ext2.block_size / 4 && !c->error; n++) {
			uint32_t under = ((const uint32_t *)b->data)[n];

			if (under)
				free_tree(c, under, depth - 1, pointer);
		}
		buffer_put(b);
	}
	if (!c->error)
		free_block(c, block, pointer);
}

/*
 * Free what hangs under `block` from its `from`-th block on, not all of it: `span` blocks hang
 * under each of its numbers.
 */
static void trim(struct cut *c, uint32_t block, uint32_t from, uint32_t span, uint32_t depth)
{
	uint32_t n = from / span, end = ext2.block_size / 4;
	struct buffer *b;
	uint32_t *number;
	int err;

	if (!on_disk(c, block))
		return;
	err = ext2_fetch(block, NULL, &b);
	if (err) {
		c->error = err;
		return;
	}
	number = (uint32_t *)b->data;
	if (from % span) {
		if (number[n])
			trim(c, number[n], from % span, span >> ext2.pointers_shift, depth - 1);
		n++;
	}
	for (; n < end; n++) {
		uint32_t under = number[n];

		if (!under)
			continue;
		buffer_begin(b);
		number[n] = 0;
		buffer_dirty(b);
		free_tree(c, under, depth - 1, b);
	}
	buffer_put(b);
}

int ext2_cut(struct inode *i, struct buffer *table, uint32_t from)
{
	struct cut c = {
		.inode = i,
		.left = MIN(i->sectors / (ext2.block_size / SECTOR_SIZE), ext2.blocks),
	};
	uint32_t gone[BLOCK_NUMBERS] = { 0 };
	uint32_t first = EXT2_DIRECT, span = 1;

	while (i->readers)
		sleep_on(&i->wait);
	for (uint32_t n = from; n < EXT2_DIRECT; n++) {
		gone[n] = i->block[n];
		i->block[n] = 0;
	}
	for (uint32_t n = EXT2_INDIRECT; n < BLOCK_NUMBERS; n++) {
		uint32_t blocks = span << ext2.pointers_shift;

		if (from <= first) {
			gone[n] = i->block[n];
			i->block[n] = 0;
		} else if (i->block[n] && from - first < blocks) {
			trim(&c, i->block[n], from - first, span, n - EXT2_INDIRECT + 1);
		}
		first += blocks;
		span = blocks;
	}
	ext2_store_inode(i, table, false);
	for (uint32_t n = 0; n < BLOCK_NUMBERS; n++)
		if (gone[n])
			free_tree(&c, gone[n], n < EXT2_DIRECT ? 0 : n - EXT2_INDIRECT + 1, table);
	ext2_store_inode(i, table, false); /* with the sectors that are left */
	return c.error;
}

/* Has it blocks of its own, or is something else in block[]? */
static bool has_blocks(const struct inode *i)
{
	return inode_is(i, S_IFREG) || inode_is(i, S_IFDIR) ||
	       (inode_is(i, S_IFLNK) && !i->text_inside);
}

/* A block of attributes may be shared by several inodes: it counts them. */
static void free_attributes(struct inode *i, struct buffer *table)
{
	uint32_t block = i->file_acl, *users;
	struct buffer *b;

	if (!block || block <= ext2.first_data_block || block >= ext2.blocks ||
	    ext2_fetch(block, NULL, &b))
		return;
	users = (uint32_t *)b->data + 1;
	if (*users > 1) {
		buffer_begin(b);
		--*users;
		buffer_dirty(b);
	}
	i->file_acl = 0;
	ext2_store_inode(i, table, false);
	if (*users <= 1)
		ext2_free_blocks(block, 1, table);
	buffer_put(b);
}

void ext2_delete(struct inode *i)
{
	struct buffer *table, *name;

	if (ext2_inode_block(i->ino, &table))
		return; /* it stays taken, and dead: a repair finds it */
	i->dtime = ext2_now();
	free_attributes(i, table);
	i->size = 0;
	if (has_blocks(i))
		ext2_cut(i, table, 0);
	else
		ext2_store_inode(i, table, false);
	/* The disk may still have its last name: not while it lies in a dirty buffer. */
	name = i->last_name ? buffer_hit(ext2.dev, i->last_name) : NULL;
	ext2_free_inode(i->ino, inode_is(i, S_IFDIR), name);
	if (name)
		buffer_put(name);
	buffer_put(table);
}

int inode_truncate(struct inode *i, uint32_t size)
{
	uint32_t last = (size + ext2.block_size - 1) >> ext2.block_shift;
	struct buffer *table;
	int err;

	if (!inode_is(i, S_IFREG))
		return -EINVAL;
	if (size > FILE_SIZE_MAX)
		return -EFBIG;
	err = fs_begin();
	if (err)
		return err;
	err = ext2_inode_block(i->ino, &table);
	if (err)
		return fs_finish(err);
	if (size > i->size)
		err = ext2_clear_tail(i, table);
	if (!err) {
		bool shrinks = size < i->size;

		i->size = size;
		i->mtime = i->ctime = ext2_now();
		if (shrinks)
			err = ext2_cut(i, table, last);
		else
			ext2_store_inode(i, table, false);
	}
	buffer_put(table);
	return fs_finish(err);
}
