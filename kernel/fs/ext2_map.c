/*
 * ext2_map.c - where on the disk a file's blocks are, and reading them.
 *
 * An inode names its first 12 blocks; then a block of numbers (indirect), a block of such blocks
 * (double) and one level more (triple).  With 1 KB blocks and 256 numbers in each:
 *
 *	block[0..11]	blocks 0 to 11
 *	block[12]	blocks 12 to 267
 *	block[13]	blocks 268 to 65803
 *	block[14]	the rest
 *
 * 0 at any level is a hole.  The depth is fixed, so numbers that lead in a circle end after
 * three steps like any others, and each is checked to be on the disk before it is used.
 *
 * A reread from memory should cost little more than its copying: see inode_read().
 */
#include "fs/ext2.h"
#include "lib/errno.h"

int ext2_bad_block(const struct inode *i, uint32_t n, uint32_t block)
{
	return ext2_corrupt("inode %u: its block %u leads to block %u", i->ino, n, block);
}

/* What a missing indirect block stands for, a few numbers at a time. */
static const uint32_t hole[16];

int ext2_map_more(struct inode *i, struct ext2_map *m)
{
	uint32_t n = m->end, rest = n - EXT2_DIRECT, shift = ext2.pointers_shift;
	uint32_t depth, block, span;
	struct buffer *b;
	int err;

	ext2_map_end(m);
	m->leaf = NULL;
	/* `span` blocks hang under each number in the first block on the way. */
	for (depth = 0, span = 1; depth < 3 && rest >> shift >= span; depth++) {
		rest -= span << shift;
		span <<= shift;
	}
	if (depth == 3)
		return ext2_bad_block(i, n, 0);
	block = i->block[EXT2_INDIRECT + depth];
	for (;; span >>= shift) {
		if (!block) {
			m->at = hole;
			m->left = MIN((span << shift) - rest, (uint32_t)ARRAY_SIZE(hole));
			m->end = n + m->left;
			return 0;
		}
		if (block >= ext2.blocks)
			return ext2_bad_block(i, n, block);
		err = ext2_block(block, NULL, &b);
		if (err)
			return err;
		if (span == 1)
			break;
		block = ((const uint32_t *)b->data)[rest / span];
		rest %= span;
		buffer_put(b);
	}
	m->leaf = b;
	m->at = (const uint32_t *)b->data + rest;
	m->left = (1u << shift) - rest;
	m->end = n + m->left;
	return 0;
}

/* The loop is what a reread from memory costs beside its copying: some 70 instructions a block. */
static noinline ssize_t read_blocks(struct inode *i, uint32_t offset, struct io *io)
{
	uint32_t in = offset & (ext2.block_size - 1);
	uint32_t wanted, left, len;
	struct ext2_map m;
	int err = 0;

	ext2_map_start(&m, offset >> ext2.block_shift);
	wanted = left = MIN(i->size - offset, io->left);
	len = MIN(left, ext2.block_size - in);
	while (left) {
		struct buffer *b;
		uint32_t block;

		err = ext2_map(i, &m, &block);
		if (unlikely(err))
			break;
		if (unlikely(!block)) {
			err = io_zero(io, len);
			if (err)
				break;
		} else {
			b = buffer_hit(ext2.dev, block);
			if (unlikely(!b)) {
				err = ext2_fetch_next(i, &m, &b);
				if (err)
					break;
			}
			if (unlikely(io_put(io, b->data + in, len))) {
				buffer_put(b);
				err = -EFAULT;
				break;
			}
			buffer_put(b);
		}
		left -= len;
		if (!left)
			break;
		in = 0;
		len = MIN(left, ext2.block_size);
	}
	ext2_map_end(&m);
	return left < wanted || !err ? (ssize_t)(wanted - left) : err;
}

ssize_t inode_read(struct inode *i, uint32_t offset, struct io *io)
{
	ssize_t n;

	if (offset >= i->size)
		return 0;
	i->readers++;
	n = read_blocks(i, offset, io);
	if (!--i->readers && unlikely(!list_empty(&i->wait.waiters)))
		wake_all(&i->wait); /* ext2_cut() */
	return n;
}
