/*
 * ext2_super.c - mounting: believe nothing that the disk says.
 *
 * The superblock gives the sizes that all later arithmetic uses, so each of them is checked here,
 * once, and the rest of fs/ reads struct ext2 only.  Whatever the disk says later (a block number,
 * an inode, a directory entry) is checked where it is used, against these.
 */
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/printf.h"

struct ext2 ext2;
struct inode *root_inode;

int ext2_corrupt(const char *fmt, ...)
{
	char what[112];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	klog("ext2: %s: %s\n", ext2.dev->name, what);
	return -EUCLEAN;
}

static int fetch(uint32_t block, uint32_t n, const struct inode *owner, struct buffer **out)
{
	uint32_t ino = owner ? owner->ino : 0;
	int err = buffer_read_run(ext2.dev, block, n, ino, out);

	if (!err) {
		(*out)->ino = ino;
		(*out)->meta = !owner || !inode_is(owner, S_IFREG);
	} else if (err != -ENOMEM) { /* the disk is well then: who asked makes room, asks again */
		klog("ext2: %s: block %u cannot be read\n", ext2.dev->name, block);
	}
	return err;
}

int ext2_fetch(uint32_t block, const struct inode *owner, struct buffer **out)
{
	return fetch(block, 1, owner, out);
}

int ext2_fetch_next(struct inode *i, const struct ext2_map *m, struct buffer **out)
{
	uint32_t most = MIN(m->left, (uint32_t)cache_readahead), block = m->at[-1], n = 0;

	while (n < most && m->at[n] == block + n + 1 && m->at[n] < ext2.blocks)
		n++;
	return fetch(block, n + 1, i, out);
}

int ext2_group(uint32_t group, struct buffer **b, struct ext2_group **g)
{
	uint32_t per_block = ext2.block_size / sizeof(struct ext2_group);
	int err = ext2_block(ext2.first_data_block + 1 + group / per_block, NULL, b);

	if (err)
		return err;
	*g = (struct ext2_group *)(*b)->data + group % per_block;
	return 0;
}

int ext2_inode_table(uint32_t group, uint32_t *table)
{
	uint32_t table_blocks = ext2.inodes_per_group * ext2.inode_size >> ext2.block_shift;
	struct ext2_group *g;
	struct buffer *b;
	int err;

	err = ext2_group(group, &b, &g);
	if (err)
		return err;
	*table = g->inode_table;
	buffer_put(b);
	if (*table <= ext2.first_data_block || *table >= ext2.blocks ||
	    table_blocks > ext2.blocks - *table)
		return ext2_corrupt("group %u: inode table at block %u", group, *table);
	return 0;
}

static int refuse(const char *what, uint32_t value)
{
	klog("ext2: %s: superblock: %s %u\n", ext2.dev->name, what, value);
	return -EINVAL;
}

/* What we cannot read, by name where it has one. */
static int refuse_features(uint32_t unknown)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ 0x0001, "compression" }, { 0x0004, "needs_recovery" }, { 0x0008, "journal_dev" },
		{ 0x0010, "meta_bg" },	   { 0x0040, "extents" },	 { 0x0080, "64bit" },
		{ 0x0200, "flex_bg" },	   { 0x8000, "inline_data" },
	};

	for (uint32_t n = 0; n < ARRAY_SIZE(names); n++)
		if (unknown & names[n].bit)
			klog("ext2: %s: has the feature %s, which we do not know\n", ext2.dev->name,
			     names[n].name);
	return refuse("unknown incompatible features, as bits:", unknown);
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* May it be written to, and was it left in order? */
static void check_writable(const struct ext2_super *s)
{
	uint32_t unknown = s->rev_level ? s->feature_ro_compat & ~EXT2_RO_COMPAT_KNOWN : 0;

	ext2.writable = !unknown;
	ext2.was_clean = s->state == EXT2_STATE_CLEAN;
	ext2.changed = false;
	ext2.counts_old = false;
	ext2.free_blocks = s->free_blocks;
	ext2.free_inodes = s->free_inodes;
	if (unknown)
		klog("ext2: %s: unknown features, as bits: %#x: it may only be read\n",
		     ext2.dev->name, unknown);
	else if (!ext2.was_clean)
		klog("ext2: %s: not left in order (a crash?): run e2fsck -p on the image\n",
		     ext2.dev->name);
}

/* Check `s` and take from it what we need.  0 or -EINVAL. */
static int check(const struct ext2_super *s)
{
	uint32_t bits; /* a bitmap is one block: so many blocks, or inodes, a group may have */

	if (s->magic != EXT2_MAGIC)
		return refuse("not ext2; magic number", s->magic);
	if (s->rev_level > 1)
		return refuse("unknown revision", s->rev_level);
	if (s->log_block_size > 2)
		return refuse("block size not 1, 2 or 4 KB; its log2 - 10 is", s->log_block_size);
	ext2.block_shift = 10 + s->log_block_size;
	ext2.block_size = 1u << ext2.block_shift;
	ext2.pointers_shift = ext2.block_shift - 2;
	bits = ext2.block_size * 8;

	ext2.inode_size = s->rev_level ? s->inode_size : EXT2_INODE_OLD;
	ext2.first_ino = s->rev_level ? s->first_ino : EXT2_FIRST_INO_OLD;
	ext2.filetype = s->rev_level && s->feature_incompat & EXT2_INCOMPAT_FILETYPE;
	if (s->rev_level && s->feature_incompat & ~EXT2_INCOMPAT_FILETYPE)
		return refuse_features(s->feature_incompat & ~EXT2_INCOMPAT_FILETYPE);
	if (!power_of_two(ext2.inode_size) || ext2.inode_size < EXT2_INODE_OLD ||
	    ext2.inode_size > ext2.block_size)
		return refuse("inode size", ext2.inode_size);

	ext2.first_data_block = s->first_data_block;
	if (s->first_data_block != (ext2.block_size == 1024 ? 1 : 0))
		return refuse("first data block", s->first_data_block);
	ext2.blocks = s->blocks_count;
	if (s->blocks_count <= s->first_data_block + 1)
		return refuse("number of blocks", s->blocks_count);
	if (s->blocks_count > ext2.dev->sectors / (ext2.block_size / SECTOR_SIZE)) {
		klog("ext2: %s: the disk has %u KB\n", ext2.dev->name, ext2.dev->sectors / 2);
		return refuse("more blocks than the disk:", s->blocks_count);
	}
	if (!s->blocks_per_group || s->blocks_per_group > bits)
		return refuse("blocks a group", s->blocks_per_group);
	if (!s->inodes_per_group || s->inodes_per_group > bits ||
	    s->inodes_per_group % (ext2.block_size / ext2.inode_size))
		return refuse("inodes a group", s->inodes_per_group);
	ext2.groups = (s->blocks_count - s->first_data_block - 1) / s->blocks_per_group + 1;
	ext2.blocks_per_group = s->blocks_per_group;
	ext2.inodes_per_group = s->inodes_per_group;
	ext2.inodes = s->inodes_count;
	if (s->inodes_count / s->inodes_per_group != ext2.groups ||
	    s->inodes_count % s->inodes_per_group)
		return refuse("number of inodes", s->inodes_count);
	if (ext2.first_ino <= EXT2_ROOT_INO || ext2.first_ino > s->inodes_count)
		return refuse("first inode", ext2.first_ino);
	check_writable(s);
	return 0;
}

/* Give up a root that nobody else uses. */
static int unmount(void)
{
	if (root_inode) {
		if (root_inode->refs > 1 || inodes_cached > inodes_unused + 1)
			return -EBUSY;
		fs_end();
		inode_put(root_inode);
		root_inode = NULL;
	}
	inode_drop();
	return 0;
}

int ext2_mount(struct block_device *d)
{
	struct buffer *b;
	int err;

	err = unmount();
	if (err)
		return err;
	/* Any block size does for the superblock; the smallest needs no offset in the block. */
	err = buffer_init(EXT2_SUPER_OFFSET);
	if (err)
		return err;
	buffer_shrink_inodes = inode_drop;
	ext2.dev = d;
	err = ext2_block(1, NULL, &b);
	if (err)
		return err;
	err = check((const struct ext2_super *)b->data);
	buffer_put(b);
	if (!err)
		err = buffer_init(ext2.block_size);
	if (!err)
		err = inode_get(EXT2_ROOT_INO, &root_inode);
	if (err)
		return err;
	if (!inode_is(root_inode, S_IFDIR)) {
		inode_put(root_inode);
		root_inode = NULL;
		return ext2_corrupt("the root is no directory");
	}
	klog("ext2: %s: %u blocks of %u bytes, %u inodes\n", d->name, ext2.blocks, ext2.block_size,
	     ext2.inodes);
	return 0;
}
