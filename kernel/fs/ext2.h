/*
 * ext2.h - ext2 as it lies on the disk, and what the files of it tell each other.
 *
 * The disk is little-endian, as we are.  Field names are those of the ext2 documentation
 * without their prefixes; fields that nothing here reads are only skipped over.
 */
#pragma once

#include "block/buffer.h"
#include "fs/inode.h"

#define EXT2_MAGIC	   0xEF53
#define EXT2_SUPER_OFFSET  1024 /* bytes from the start of the device, whatever the block size */
#define EXT2_ROOT_INO	   2
#define EXT2_FIRST_INO_OLD 11  /* revision 0 */
#define EXT2_INODE_OLD	   128 /* bytes, revision 0 */

#define EXT2_DIRECT   12
#define EXT2_INDIRECT 12 /* its block number's index in the inode; then double, then triple */

#define EXT2_STATE_CLEAN       0x0001u /* it was left in order */
#define EXT2_INCOMPAT_FILETYPE 0x0002u /* directory entries tell the type */
/* What who writes must know.  We do: backups only in some groups, and files of 2 GB, which we
 * refuse. */
#define EXT2_RO_COMPAT_KNOWN 0x0003u

#define EXT2_FLAG_INDEX 0x00001000u /* a directory's blocks hide an index */
/* Inode flags that change what block[] means.  ext4 has them; ext2 must not. */
#define EXT2_FLAG_EXTENTS 0x00080000u
#define EXT2_FLAG_INLINE  0x10000000u

struct ext2_super {
	uint32_t inodes_count, blocks_count, r_blocks_count, free_blocks, free_inodes;
	uint32_t first_data_block, log_block_size, log_frag_size;
	uint32_t blocks_per_group, frags_per_group, inodes_per_group;
	uint32_t mtime, wtime;
	uint16_t mnt_count, max_mnt_count, magic, state, errors, minor_rev;
	uint32_t lastcheck, checkinterval, creator_os, rev_level;
	uint16_t def_resuid, def_resgid;
	/* revision 1 */
	uint32_t first_ino;
	uint16_t inode_size, block_group_nr;
	uint32_t feature_compat, feature_incompat, feature_ro_compat;
};

struct ext2_group {
	uint32_t block_bitmap, inode_bitmap, inode_table;
	uint16_t free_blocks, free_inodes, used_dirs, pad;
	uint32_t reserved[3];
};

struct ext2_inode {
	uint16_t mode, uid;
	uint32_t size, atime, ctime, mtime, dtime;
	uint16_t gid, links;
	uint32_t sectors, flags, osd1;
	uint32_t block[15];
	uint32_t generation, file_acl, size_high; /* size_high: the ACL of a directory */
	uint32_t faddr;
	uint16_t osd2, uid_high, gid_high, reserved;
	uint32_t reserved2;
};

_Static_assert(sizeof(struct ext2_group) == 32, "a group descriptor has 32 bytes");
_Static_assert(sizeof(struct ext2_inode) == EXT2_INODE_OLD, "an inode has 128 bytes");

struct ext2_entry {
	uint32_t ino; /* 0: unused */
	uint16_t rec_len;
	uint8_t name_len;
	uint8_t type; /* without the filetype feature: the high byte of name_len */
	char name[];
};

/* The mounted file system: the superblock's numbers, once they have been checked. */
struct ext2 {
	struct block_device *dev;
	uint32_t block_size, block_shift;
	uint32_t pointers_shift; /* log2 of the block numbers in a block */
	uint32_t first_data_block, blocks;
	uint32_t inodes, inodes_per_group, groups;
	uint32_t inode_size, first_ino;
	bool filetype;
	uint32_t blocks_per_group;
	uint32_t free_blocks, free_inodes; /* of all groups */
	bool writable;
	bool was_clean;	 /* when it was mounted */
	bool changed;	 /* since: the disk says that it is not clean */
	bool counts_old; /* the superblock's free_blocks and free_inodes are */
};

extern struct ext2 ext2;

/* Log what is wrong with the disk.  Returns -EUCLEAN. */
int ext2_corrupt(const char *fmt, ...) printf_like(1, 2);

/*
 * buffer_read() of the mounted device, with a line in the log if that fails.  The block belongs to
 * `owner`; NULL: to the file system itself.  0, -EIO, -ENOMEM.
 */
int ext2_fetch(uint32_t block, const struct inode *owner, struct buffer **out);

/* ext2_fetch() where it counts: inline, if the block is in memory. */
static inline int ext2_block(uint32_t block, const struct inode *owner, struct buffer **out)
{
	*out = buffer_hit(ext2.dev, block);
	return likely(*out) ? 0 : ext2_fetch(block, owner, out);
}

/* The descriptor of a group, in *b, which the caller puts.  0, -EIO, -ENOMEM. */
int ext2_group(uint32_t group, struct buffer **b, struct ext2_group **g);

/* Where a group's inodes begin, into *table.  0, -EIO, -EUCLEAN, -ENOMEM. */
int ext2_inode_table(uint32_t group, uint32_t *table);

/* Fill `i`, whose ino is set, from the disk.  0, or as inode_get(). */
int ext2_read_inode(struct inode *i);

/* The block of the inode table that has inode `ino`: *b, which the caller puts.  0, -EIO, -EUCLEAN,
 * -ENOMEM. */
int ext2_inode_block(uint32_t ino, struct buffer **b);

/* Copy `i` into it.  `fresh`: nothing of what was there before stays.  May sleep. */
void ext2_store_inode(const struct inode *i, struct buffer *b, bool fresh);

/* Both at once, for a change that waits for nothing. */
int ext2_update_inode(const struct inode *i);

/* The time of day in seconds, as inodes have it. */
uint32_t ext2_now(void);

/*
 * The text of a symbolic link: `*len` bytes at *text, no NUL.  Stays while `i` is referenced
 * and, if it is not NULL, *hold, which the caller puts.  0, -EIO, -EUCLEAN, -ENOMEM.
 */
int ext2_link_text(struct inode *i, const char **text, uint32_t *len, struct buffer **hold);

/*
 * Where a file's blocks are, in order: the numbers of the next `left` blocks lie at `at`, in the
 * inode or in an indirect block, which is held; behind them comes block `end` of the file.
 */
struct ext2_map {
	const uint32_t *at; /* 0 is a hole */
	uint32_t left, end;
	struct buffer *leaf; /* the indirect block; NULL: none */
};

/* Begin at block `n`. */
static inline void ext2_map_start(struct ext2_map *m, uint32_t n)
{
	m->left = 0;
	m->end = n;
	m->leaf = NULL;
}

static inline void ext2_map_end(struct ext2_map *m)
{
	if (m->leaf)
		buffer_put(m->leaf);
}

/* Find the numbers that follow, when none is left.  0, -EIO, -EUCLEAN, -ENOMEM. */
int ext2_map_more(struct inode *i, struct ext2_map *m);

/* Complain of a block number.  Returns -EUCLEAN. */
int ext2_bad_block(const struct inode *i, uint32_t n, uint32_t block);

/* Where the next block of `i` is: *block, 0 for a hole.  0, -EIO, -EUCLEAN, -ENOMEM. */
static inline int ext2_map(struct inode *i, struct ext2_map *m, uint32_t *block)
{
	if (!m->left) {
		if (m->end < EXT2_DIRECT) {
			m->at = i->block + m->end;
			m->left = EXT2_DIRECT - m->end;
			m->end = EXT2_DIRECT;
		} else {
			int err = ext2_map_more(i, m);

			if (unlikely(err))
				return err;
		}
	}
	m->left--;
	*block = *m->at++;
	return likely(*block < ext2.blocks) ? 0 : ext2_bad_block(i, m->end - m->left - 1, *block);
}

/*
 * Read the block whose number ext2_map() gave last, which is not in memory, and those behind it in
 * the file as far as they lie behind it on the disk, too: one turn of the plate reads them all.
 */
int ext2_fetch_next(struct inode *i, const struct ext2_map *m, struct buffer **out);

/*
 * The inode number that `dir` has under a name.  0; -ENOTDIR, -ENAMETOOLONG, -ENOENT, -EIO,
 * -EUCLEAN, -ENOMEM.
 */
int ext2_lookup(struct inode *dir, const char *name, uint32_t len, uint32_t *ino);

/*
 * The name that `dir` has for `ino`, copied so that it ends right before `end`; at most `room`
 * bytes.  Length; -ENOENT, -ERANGE, -EIO, -EUCLEAN, -ENOMEM.
 */
int ext2_name_of(struct inode *dir, uint32_t ino, char *end, size_t room);

/*
 * Changing the disk.  All that follows is called between fs_begin() and fs_finish(), which hold
 * the file system's lock.  fs_begin(): 0, -EROFS, -EIO (the clean flag could not be taken off).
 * fs_finish() returns `err`, or, with cache.write=through, what went wrong when it wrote.
 */
int fs_begin(void);
int fs_finish(int err);

/*
 * Take a free block, as near behind `goal` as there is one; `pointer` is the buffer that will have
 * its number.  0, -ENOSPC, -EIO, -EUCLEAN, -ENOMEM.
 */
int ext2_new_block(uint32_t goal, struct buffer *pointer, uint32_t *block);

/* Take a free inode for a file in `dir`; `directory`: for a new directory.  Errors as above. */
int ext2_new_inode(const struct inode *dir, bool directory, uint32_t *ino);

/*
 * Give back blocks, or an inode.  `pointer` is the buffer that had their number and has it no
 * more: until it is on the disk they are not taken again (ext2_free.c).  NULL: nothing pointed to
 * them yet.
 */
void ext2_free_blocks(uint32_t first, uint32_t count, struct buffer *pointer);
void ext2_free_inode(uint32_t ino, bool directory, struct buffer *pointer);

/* At once, for ext2_free.c. */
void ext2_release_blocks(uint32_t first, uint32_t count);
void ext2_release_inode(uint32_t ino, bool directory);

/* Let those go whose pointers are on the disk by now; with `force` the others too: their pointers
 * are written.  True if any went. */
bool ext2_release(bool force);

/* Blocks and inodes that wait. */
extern uint32_t ext2_blocks_waiting, ext2_inodes_waiting;

/* Take the blocks of `i` from block `from` on away, and store it; `table` is its inode's block.  0;
 * -EIO, -EUCLEAN: some could not be found, and stay taken. */
int ext2_cut(struct inode *i, struct buffer *table, uint32_t from);

/*
 * One more block for a directory or the text of a link, behind its end: `bytes`, and zeros.  It is
 * in order before `table`; the caller stores the size.  0, -ENOSPC, -EIO, -EUCLEAN, -ENOMEM.
 */
int ext2_append_block(struct inode *i, struct buffer *table, const void *bytes, uint32_t n);

/* Zero the rest of the last block of `i`, before the file gets longer.  0, -EIO, -EUCLEAN,
 * -ENOMEM. */
int ext2_clear_tail(struct inode *i, struct buffer *table);

/* An inode without names that nobody has open any more: its blocks and number are free. */
void ext2_delete(struct inode *i);

/* A name in a directory: where it lies.  The caller puts `buffer`. */
struct ext2_place {
	struct buffer *buffer;
	uint32_t at, before; /* bytes into the block; before: the entry in front, or the same */
};

/* Find it.  0; -ENOENT, -EIO, -EUCLEAN, -ENOMEM. */
int ext2_find_name(struct inode *dir, const char *name, uint32_t len, struct ext2_place *out,
		   uint32_t *ino);

/* Add one, which is not there yet; out->buffer has been changed.  0; -ENOSPC, -EIO, -EUCLEAN,
 * -ENOMEM. */
int ext2_add_name(struct inode *dir, const char *name, uint32_t len, uint32_t ino, uint32_t mode,
		  struct ext2_place *out);

/* Take it away, or let it lead to another inode. */
void ext2_remove_name(const struct ext2_place *p);
void ext2_change_name(const struct ext2_place *p, uint32_t ino, uint32_t mode);

/* After any of these: the directory itself has changed. */
void ext2_touch(struct inode *dir);

/* The first block of a new directory, with . and .. */
int ext2_make_dots(struct inode *dir, uint32_t parent, struct buffer *table);

/* 1: nothing but . and ..; 0; errors. */
int ext2_is_empty(struct inode *dir);
