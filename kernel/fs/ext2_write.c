/*
 * ext2_write.c - writing to a file.
 *
 * A block that the file has is changed in its buffer.  One that it has not gets a place on the
 * disk, behind the file's last one if that is free; and the indirect blocks on the way to its
 * number, where they are missing, too.
 *
 * The order is: the block is filled, then its number is entered; and the disk sees it so
 * (buffer_order()).  Thus no crash shows in a new file what was in a deleted one.
 *
 * Tunable: cache.order.  Lessons 8 and 9.
 */
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/string.h"

struct writing {
	struct inode *inode;
	struct buffer *table; /* the block that has the inode */
};

/* Where the number of a block of the file stands. */
struct slot {
	uint32_t *number;
	struct buffer *holder; /* an indirect block, or the one with the inode; referenced */
	bool indirect;
};

/* A free block behind the one that the file got last, or in its inode's group. */
static int new_block(struct writing *w, struct buffer *pointer, uint32_t *block)
{
	struct inode *i = w->inode;
	uint32_t goal = i->goal;
	int err;

	if (!goal)
		goal = ext2.first_data_block +
		       (i->ino - 1) / ext2.inodes_per_group * ext2.blocks_per_group;
	err = ext2_new_block(goal, pointer, block);
	if (!err)
		i->goal = *block + 1;
	return err;
}

/* Enter a number.  The block is filled, and is to be on the disk before. */
static void enter(struct writing *w, struct slot *s, struct buffer *filled)
{
	buffer_order(filled, s->holder);
	if (s->indirect)
		buffer_begin(s->holder);
	*s->number = filled->block;
	if (s->indirect)
		buffer_dirty(s->holder);
	w->inode->sectors += ext2.block_size / SECTOR_SIZE;
}

/*
 * A new block of zeros for the slot, not yet entered, dirty, in *out.  0, -ENOSPC, -EIO, -ENOMEM,
 * -EUCLEAN.
 */
static int provide(struct writing *w, struct slot *s, struct buffer **out)
{
	uint32_t block;
	int err = new_block(w, s->holder, &block);

	if (err)
		return err;
	err = buffer_new(ext2.dev, block, out);
	if (err) {
		ext2_free_blocks(block, 1, NULL);
		return err;
	}
	buffer_dirty(*out);
	return 0;
}

/* A level down: the indirect block that the slot's number leads to, made if there is none, holds
 * the new slot. */
static int descend(struct writing *w, struct slot *s, uint32_t n, uint32_t index)
{
	struct buffer *b;
	int err;

	if (*s->number >= ext2.blocks)
		return ext2_bad_block(w->inode, n, *s->number);
	if (*s->number) {
		err = ext2_fetch(*s->number, NULL, &b);
		if (err)
			return err;
	} else {
		err = provide(w, s, &b);
		if (err)
			return err;
		b->ino = 0;
		b->meta = true;
		enter(w, s, b);
	}
	buffer_put(s->holder);
	*s = (struct slot){
		.number = (uint32_t *)b->data + index,
		.holder = b,
		.indirect = true,
	};
	return 0;
}

/* Find the slot of block `n` of the file.  The caller puts its holder, also after a failure. */
static int find_slot(struct writing *w, uint32_t n, struct slot *s)
{
	uint32_t shift = ext2.pointers_shift, rest = n - EXT2_DIRECT, depth, span;
	int err = 0;

	w->table->refs++;
	*s = (struct slot){ .holder = w->table };
	if (n < EXT2_DIRECT) {
		s->number = &w->inode->block[n];
		return 0;
	}
	for (depth = 0, span = 1; rest >> shift >= span; depth++) {
		if (depth == 2)
			return -EFBIG;
		rest -= span << shift;
		span <<= shift;
	}
	s->number = &w->inode->block[EXT2_INDIRECT + depth];
	for (; span && !err; span >>= shift) {
		err = descend(w, s, n, rest / span);
		rest %= span;
	}
	return err;
}

/* Fill `len` bytes from byte `in` on of block `n`. */
static int write_block(struct writing *w, uint32_t n, uint32_t in, uint32_t len, struct io *io)
{
	struct slot s;
	struct buffer *b;
	int err = find_slot(w, n, &s);
	bool fresh;

	if (err)
		goto out;
	fresh = !*s.number;
	if (fresh)
		err = provide(w, &s, &b);
	else if (*s.number < ext2.blocks)
		err = ext2_fetch(*s.number, w->inode, &b);
	else
		err = ext2_bad_block(w->inode, n, *s.number);
	if (err)
		goto out;
	b->ino = w->inode->ino;
	b->meta = false;
	buffer_begin(b);
	err = io_get(io, b->data + in, len);
	buffer_dirty(b); /* also after half of it */
	if (fresh && err)
		ext2_free_blocks(b->block, 1, NULL);
	else if (fresh)
		enter(w, &s, b);
	buffer_put(b);
out:
	buffer_put(s.holder);
	return err;
}

int ext2_append_block(struct inode *i, struct buffer *table, const void *bytes, uint32_t n)
{
	struct writing w = { .inode = i, .table = table };
	struct buffer *b;
	struct slot s;
	int err = find_slot(&w, i->size >> ext2.block_shift, &s);

	if (!err && *s.number)
		err = ext2_corrupt("inode %u: has a block behind its end", i->ino);
	if (!err)
		err = provide(&w, &s, &b);
	if (!err) {
		b->ino = i->ino;
		b->meta = true;
		buffer_begin(b);
		memcpy(b->data, bytes, n);
		buffer_dirty(b);
		enter(&w, &s, b);
		buffer_order(b, table); /* the size makes it part of the file */
		buffer_put(b);
	}
	buffer_put(s.holder);
	return err;
}

int ext2_clear_tail(struct inode *i, struct buffer *table)
{
	uint32_t in = i->size & (ext2.block_size - 1), block = 0;
	struct ext2_map m;
	struct buffer *b;
	int err;

	if (!in)
		return 0;
	ext2_map_start(&m, i->size >> ext2.block_shift);
	err = ext2_map(i, &m, &block);
	ext2_map_end(&m);
	if (err || !block)
		return err;
	err = ext2_fetch(block, i, &b);
	if (err)
		return err;
	buffer_begin(b);
	memset(b->data + in, 0, ext2.block_size - in);
	buffer_dirty(b);
	buffer_order(b, table);
	buffer_put(b);
	return 0;
}

ssize_t inode_write(struct inode *i, uint32_t *offset, bool append, struct io *io)
{
	struct writing w = { .inode = i };
	uint32_t wanted, done = 0, at;
	int err, failed;

	if (!inode_is(i, S_IFREG))
		return -EINVAL;
	if (!io->left)
		return 0;
	err = fs_begin();
	if (err)
		return err;
	if (append)
		*offset = i->size;
	at = *offset;
	if (at >= FILE_SIZE_MAX)
		return fs_finish(-EFBIG);
	wanted = MIN(io->left, FILE_SIZE_MAX - at);
	err = ext2_inode_block(i->ino, &w.table);
	if (err)
		return fs_finish(err);
	if (at > i->size)
		err = ext2_clear_tail(i, w.table);
	while (!err && done < wanted) {
		uint32_t in = at & (ext2.block_size - 1);
		uint32_t len = MIN(ext2.block_size - in, wanted - done);

		err = write_block(&w, at >> ext2.block_shift, in, len, io);
		if (!err) {
			done += len;
			at += len;
		}
	}
	if (done) {
		i->size = MAX(i->size, at);
		i->mtime = i->ctime = ext2_now();
	}
	ext2_store_inode(i, w.table, false);
	buffer_put(w.table);
	failed = fs_finish(0);
	return failed ? failed : done ? (ssize_t)done : err;
}
