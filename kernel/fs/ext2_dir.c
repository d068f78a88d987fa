/*
 * ext2_dir.c - directories: files of entries, each of which says how long it is.
 *
 * An entry never crosses a block, and the entries of a block fill it.  A directory with an index
 * (dir_index) reads the same: the index hides in entries that are not in use.  Looking a name
 * up goes through all of them, so that loop is kept tight: it compares what differs most often
 * first.
 *
 * Before an entry is used, entry_fits() has seen that it lies in its block with all of its name.
 */
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/string.h"

static int bad_entry(const struct inode *dir, uint32_t n, uint32_t at)
{
	return ext2_corrupt("directory %u: no entry at byte %u of block %u", dir->ino, at, n);
}

/* True if `e`, of which the `room` bytes left in the block hold the head, lies in them with its
 * name. */
static inline bool entry_fits(const struct ext2_entry *e, uint32_t room)
{
	uint32_t len = e->rec_len;

	return len <= room && len >= sizeof(*e) + e->name_len && !(len & 3);
}

/* What entry_fits() does not look at: has an entry in use a name that a path can say? */
static bool entry_sane(const struct ext2_entry *e)
{
	for (uint32_t i = 0; i < e->name_len; i++)
		if (e->name[i] == '/' || !e->name[i])
			return false;
	return e->name_len && e->ino <= ext2.inodes && (ext2.filetype || !e->type);
}

/* The buffer of block `n` of a directory. */
static int dir_block(struct inode *dir, struct ext2_map *m, uint32_t n, struct buffer **out)
{
	uint32_t block;
	int err;

	err = ext2_map(dir, m, &block);
	if (err)
		return err;
	if (!block)
		return ext2_corrupt("directory %u: a hole at block %u", dir->ino, n);
	return ext2_block(block, dir, out);
}

/* Look for a name in block `n`.  0 and *ino; -ENOENT, -EUCLEAN. */
static int search(const struct inode *dir, uint32_t n, const char *data, const char *name,
		  uint32_t len, uint32_t *ino)
{
	const struct ext2_entry *e = (const struct ext2_entry *)data;
	uint32_t room = ext2.block_size;

	while (room >= sizeof(*e)) {
		if (unlikely(!entry_fits(e, room)))
			break;
		if (e->name_len == len && e->name[0] == name[0] && e->ino &&
		    !memcmp(e->name, name, len)) {
			*ino = e->ino;
			return 0;
		}
		room -= e->rec_len;
		e = (const struct ext2_entry *)((const char *)e + e->rec_len);
	}
	return room ? bad_entry(dir, n, ext2.block_size - room) : -ENOENT;
}

int ext2_lookup(struct inode *dir, const char *name, uint32_t len, uint32_t *ino)
{
	uint32_t blocks = dir->size >> ext2.block_shift;
	struct ext2_map m;
	int err = -ENOENT;

	if (!inode_is(dir, S_IFDIR))
		return -ENOTDIR;
	ext2_map_start(&m, 0);
	for (uint32_t n = 0; n < blocks && err == -ENOENT; n++) {
		struct buffer *b;

		err = dir_block(dir, &m, n, &b);
		if (err)
			break;
		err = search(dir, n, b->data, name, len, ino);
		buffer_put(b);
	}
	ext2_map_end(&m);
	if (err == -ENOENT && len > NAME_LENGTH_MAX)
		return -ENAMETOOLONG; /* no entry is */
	return err;
}

/*
 * The next entry in use from `*at` bytes into block `n`; *at moves behind it.  1 and *entry; 0 at
 * the end of the block; -EUCLEAN.
 */
static int next_used(const struct inode *dir, uint32_t n, const char *data, uint32_t *at,
		     const struct ext2_entry **entry)
{
	while (*at < ext2.block_size) {
		const struct ext2_entry *e = (const struct ext2_entry *)(data + *at);
		uint32_t room = ext2.block_size - *at;

		if (room < sizeof(*e) || !entry_fits(e, room) || (e->ino && !entry_sane(e)))
			return bad_entry(dir, n, *at);
		*at += e->rec_len;
		*entry = e;
		if (e->ino)
			return 1;
	}
	return 0;
}

static uint32_t dirent_type(const struct ext2_entry *e)
{
	/* unknown, file, directory, character and block device, pipe, socket, link: as DT_* */
	static const uint8_t types[] = { 0, 8, 4, 2, 6, 1, 12, 10 };

	return e->type < ARRAY_SIZE(types) ? types[e->type] : 0;
}

/*
 * *offset comes from the user, who may have made it up: entries are counted from the
 * start of their block, so that nothing is ever taken for an entry that is none.
 */
int dir_next(struct inode *dir, uint32_t *offset, struct dir_entry *out)
{
	uint32_t n = *offset >> ext2.block_shift, from = *offset & (ext2.block_size - 1);
	struct ext2_map m;
	int found = 0;

	if (!inode_is(dir, S_IFDIR))
		return -ENOTDIR;
	ext2_map_start(&m, n);
	for (; n < dir->size >> ext2.block_shift && !found; n++, from = 0) {
		const struct ext2_entry *e;
		uint32_t at = 0;
		struct buffer *b;

		found = dir_block(dir, &m, n, &b);
		if (found)
			break;
		do
			found = next_used(dir, n, b->data, &at, &e);
		while (found == 1 && at - e->rec_len < from);
		if (found == 1) {
			out->ino = e->ino;
			out->type = dirent_type(e);
			out->length = e->name_len;
			memcpy(out->name, e->name, e->name_len);
			out->name[e->name_len] = '\0';
			*offset = (n << ext2.block_shift) + at;
		}
		buffer_put(b);
	}
	ext2_map_end(&m);
	return found;
}

static bool is_dots(const struct ext2_entry *e)
{
	return e->name[0] == '.' && (e->name_len == 1 || (e->name_len == 2 && e->name[1] == '.'));
}

int ext2_name_of(struct inode *dir, uint32_t ino, char *end, size_t room)
{
	uint32_t blocks = dir->size >> ext2.block_shift;
	struct ext2_map m;
	int found = 0;

	if (!inode_is(dir, S_IFDIR))
		return -ENOTDIR;
	ext2_map_start(&m, 0);
	for (uint32_t n = 0; n < blocks && !found; n++) {
		const struct ext2_entry *e;
		uint32_t at = 0;
		struct buffer *b;

		found = dir_block(dir, &m, n, &b);
		if (found)
			break;
		do
			found = next_used(dir, n, b->data, &at, &e);
		while (found == 1 && (e->ino != ino || is_dots(e)));
		if (found == 1) {
			found = e->name_len <= room ? e->name_len : -ERANGE;
			if (found > 0)
				memcpy(end - found, e->name, found);
		}
		buffer_put(b);
	}
	ext2_map_end(&m);
	return found ? found : -ENOENT;
}
