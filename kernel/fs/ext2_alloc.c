/*
 * ext2_alloc.c - which blocks and inodes are taken: a bit each, in two maps a group.
 *
 * What is used together should lie together: a file's next block right behind its last one, or
 * where eight in a row are free; a file's inode in the group of its directory; a new directory in
 * the group that has most room, for what will come into it.
 *
 * A map is changed before the pointer to what was taken, and may not follow it to the disk
 * (buffer_order()): so even on a disk that a crash left, and that nobody has repaired, what is
 * pointed to is marked as taken.  The counts beside the maps are only hints, and a repair
 * counts anew.
 *
 * Lesson 9.
 */
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/string.h"

static uint32_t group_of_block(uint32_t block)
{
	return (block - ext2.first_data_block) / ext2.blocks_per_group;
}

static uint32_t group_start(uint32_t group)
{
	return ext2.first_data_block + group * ext2.blocks_per_group;
}

static uint32_t blocks_in(uint32_t group)
{
	return MIN(ext2.blocks_per_group, ext2.blocks - group_start(group));
}

static bool is_taken(const uint32_t *map, uint32_t bit)
{
	return map[bit / 32] >> (bit % 32) & 1;
}

/* The first free bit of from..to-1; `to` if there is none. */
static uint32_t free_bit(const uint32_t *map, uint32_t from, uint32_t to)
{
	while (from < to && is_taken(map, from)) {
		if (!(from % 32) && map[from / 32] == UINT32_MAX)
			from += 32;
		else
			from++;
	}
	return MIN(from, to);
}

/* The first of eight free bits in a row, or of fewer when no such eight are left. */
static uint32_t free_run(const uint32_t *map, uint32_t from, uint32_t to)
{
	const uint8_t *eight = (const uint8_t *)map;

	if (from < to && !is_taken(map, from))
		return from;
	for (uint32_t n = (from + 7) / 8; (n + 1) * 8 <= to; n++)
		if (!eight[n])
			return n * 8;
	return free_bit(map, from, to);
}

/* The map at `block`, which a descriptor names. */
static int read_map(uint32_t group, uint32_t block, struct buffer **out)
{
	if (block <= ext2.first_data_block || block >= ext2.blocks)
		return ext2_corrupt("group %u: a map at block %u", group, block);
	return ext2_fetch(block, NULL, out);
}

/* Is the block one that the group's own maps and inodes lie in?  A map that is wrong would give
 * them away. */
static bool is_own(const struct ext2_group *g, uint32_t block)
{
	uint32_t table = ext2.inodes_per_group * ext2.inode_size >> ext2.block_shift;

	return block == g->block_bitmap || block == g->inode_bitmap ||
	       block - g->inode_table < table;
}

static void set_bit(struct buffer *map, uint32_t bit, bool taken)
{
	uint32_t *word = (uint32_t *)map->data + bit / 32, mask = 1u << (bit % 32);

	buffer_begin(map);
	*word = taken ? *word | mask : *word & ~mask;
	buffer_dirty(map);
}

/* What there is in a group has changed: `by` is what to add. */
static void count(struct buffer *descriptor, uint16_t *field, uint32_t *total, int by)
{
	buffer_begin(descriptor);
	*field += by;
	buffer_dirty(descriptor);
	*total += by;
	ext2.counts_old = true;
}

/* A free block of the group, from its bit `from` on and then from the start. */
static int block_in_group(uint32_t group, uint32_t from, struct buffer *pointer, uint32_t *block)
{
	struct buffer *d, *map;
	struct ext2_group *g;
	uint32_t bit, bits = blocks_in(group);
	int err = ext2_group(group, &d, &g);

	if (err)
		return err;
	err = read_map(group, g->block_bitmap, &map);
	if (err)
		goto out;
	bit = free_run((const uint32_t *)map->data, from, bits);
	if (bit == bits && from)
		bit = free_run((const uint32_t *)map->data, 0, bits);
	*block = group_start(group) + bit;
	if (bit == bits) {
		err = -ENOSPC;
	} else if (is_own(g, *block)) {
		err = ext2_corrupt("group %u: its map says that block %u is free", group, *block);
	} else {
		set_bit(map, bit, true);
		count(d, &g->free_blocks, &ext2.free_blocks, -1);
		buffer_order(map, pointer);
	}
	buffer_put(map);
out:
	buffer_put(d);
	return err;
}

int ext2_new_block(uint32_t goal, struct buffer *pointer, uint32_t *block)
{
	uint32_t first;
	int err;

	if (goal <= ext2.first_data_block || goal >= ext2.blocks)
		goal = ext2.first_data_block + 1;
	first = group_of_block(goal);
	do {
		err = block_in_group(first, goal - group_start(first), pointer, block);
		for (uint32_t n = 1; err == -ENOSPC && n < ext2.groups; n++)
			err = block_in_group((first + n) % ext2.groups, 0, pointer, block);
	} while (err == -ENOSPC && ext2_release(true));
	return err;
}

static int inode_in_group(uint32_t group, bool directory, uint32_t *ino)
{
	struct buffer *d, *map;
	struct ext2_group *g;
	uint32_t bit, from = group ? 0 : ext2.first_ino - 1;
	int err = ext2_group(group, &d, &g);

	if (err)
		return err;
	err = read_map(group, g->inode_bitmap, &map);
	if (err)
		goto out;
	bit = free_bit((const uint32_t *)map->data, MIN(from, ext2.inodes_per_group),
		       ext2.inodes_per_group);
	if (bit == ext2.inodes_per_group) {
		err = -ENOSPC;
	} else {
		set_bit(map, bit, true);
		count(d, &g->free_inodes, &ext2.free_inodes, -1);
		if (directory)
			g->used_dirs++;
		*ino = group * ext2.inodes_per_group + bit + 1;
	}
	buffer_put(map);
out:
	buffer_put(d);
	return err;
}

/* The group that has most blocks free, of those that have inodes.  None: group 0. */
static uint32_t roomy_group(void)
{
	uint32_t best = 0, most = 0;

	for (uint32_t n = 0; n < ext2.groups; n++) {
		struct ext2_group *g;
		struct buffer *d;

		if (ext2_group(n, &d, &g))
			continue;
		if (g->free_inodes && g->free_blocks > most) {
			most = g->free_blocks;
			best = n;
		}
		buffer_put(d);
	}
	return best;
}

int ext2_new_inode(const struct inode *dir, bool directory, uint32_t *ino)
{
	uint32_t first = directory ? roomy_group() : (dir->ino - 1) / ext2.inodes_per_group;
	int err;

	do {
		err = -ENOSPC;
		for (uint32_t n = 0; err == -ENOSPC && n < ext2.groups; n++)
			err = inode_in_group((first + n) % ext2.groups, directory, ino);
	} while (err == -ENOSPC && ext2_release(true));
	return err;
}

/* Clear a bit of a group's map of blocks or inodes.  True if it was set. */
static bool release_bit(uint32_t group, bool inodes, uint32_t bit, bool directory)
{
	struct buffer *d, *map;
	struct ext2_group *g;
	bool taken = false;

	if (ext2_group(group, &d, &g))
		return false;
	if (!inodes && is_own(g, group_start(group) + bit)) {
		ext2_corrupt("group %u: its own block %u was somebody's", group,
			     group_start(group) + bit);
	} else if (!read_map(group, inodes ? g->inode_bitmap : g->block_bitmap, &map)) {
		taken = is_taken((const uint32_t *)map->data, bit);
		if (taken)
			set_bit(map, bit, false);
		buffer_put(map);
	}
	if (taken && inodes) {
		count(d, &g->free_inodes, &ext2.free_inodes, 1);
		if (directory && g->used_dirs)
			g->used_dirs--;
	} else if (taken) {
		count(d, &g->free_blocks, &ext2.free_blocks, 1);
	}
	buffer_put(d);
	return taken;
}

void ext2_release_blocks(uint32_t first, uint32_t n)
{
	for (uint32_t block = first; block < first + n; block++) {
		uint32_t group = group_of_block(block);

		if (!release_bit(group, false, block - group_start(group), false))
			ext2_corrupt("block %u was freed, but was not taken", block);
	}
}

void ext2_release_inode(uint32_t ino, bool directory)
{
	uint32_t index = ino - 1;

	if (!release_bit(index / ext2.inodes_per_group, true, index % ext2.inodes_per_group,
			 directory))
		ext2_corrupt("inode %u was freed, but was not taken", ino);
}
