/*
 * ext2_names.c - changing directories.
 *
 * The entries of a block fill it: to remove one is to let the one in front reach over it, to add
 * one is to take what another reaches over beyond its own name.  Either changes one block, so
 * whatever happens the disk has the name or has it not.
 *
 * What must reach the disk before or after is the callers' business (names.c), but for a new block
 * of a directory, which is filled before the directory has it.
 *
 * An index (dir_index) does not survive a change: the directory's flag that says it has one goes,
 * and what was the index is room for names.
 *
 * Lesson 9.
 */
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/string.h"

#define DOT	1u
#define DOT_DOT 2u /* lengths of the names . and .. */

/* What an entry with a name of `len` bytes needs at least. */
static uint32_t entry_size(uint32_t len)
{
	return ALIGN_UP(sizeof(struct ext2_entry) + len, 4);
}

static struct ext2_entry *entry_at(const struct buffer *b, uint32_t at)
{
	return (struct ext2_entry *)(b->data + at);
}

static bool fits(const struct ext2_entry *e, uint32_t room)
{
	return room >= sizeof(*e) && e->rec_len <= room && !(e->rec_len & 3) &&
	       e->rec_len >= sizeof(*e) + e->name_len;
}

/* The type that an entry tells: file, directory, character and block device, pipe, socket, link. */
static uint8_t entry_type(uint32_t mode)
{
	static const uint8_t by_mode[16] = {
		[S_IFREG >> 12] = 1, [S_IFDIR >> 12] = 2,  [S_IFCHR >> 12] = 3, [S_IFBLK >> 12] = 4,
		[S_IFIFO >> 12] = 5, [S_IFSOCK >> 12] = 6, [S_IFLNK >> 12] = 7,
	};

	return ext2.filetype ? by_mode[mode >> 12 & 15] : 0;
}

/* The buffer of block `n` of a directory. */
static int dir_block(struct inode *dir, struct ext2_map *m, uint32_t n, struct buffer **b)
{
	uint32_t block;
	int err = ext2_map(dir, m, &block);

	if (err)
		return err;
	if (!block)
		return ext2_corrupt("directory %u: a hole at block %u", dir->ino, n);
	return ext2_fetch(block, dir, b);
}

/*
 * Call `look` for each entry of a directory, with the one in front of it in the same block, until
 * it says that this is it.  0: *out; -ENOENT: it never did; errors.
 */
struct search {
	bool (*look)(const struct ext2_entry *e, const struct search *s);
	const char *name;
	uint32_t len, ino;
};

static int search(struct inode *dir, const struct search *s, struct ext2_place *out)
{
	uint32_t blocks = dir->size >> ext2.block_shift;
	struct ext2_map m;
	int err = -ENOENT;

	ext2_map_start(&m, 0);
	for (uint32_t n = 0; n < blocks && err == -ENOENT; n++) {
		uint32_t at = 0, before = 0;
		struct buffer *b;

		err = dir_block(dir, &m, n, &b);
		if (err)
			break;
		err = -ENOENT;
		while (at < ext2.block_size && err == -ENOENT) {
			struct ext2_entry *e = entry_at(b, at);

			if (!fits(e, ext2.block_size - at)) {
				err = ext2_corrupt("directory %u: no entry at byte %u of block %u",
						   dir->ino, at, n);
			} else if (s->look(e, s)) {
				*out = (struct ext2_place){ b, at, before };
				err = 0;
			} else {
				before = at;
				at += e->rec_len;
			}
		}
		if (err)
			buffer_put(b);
	}
	ext2_map_end(&m);
	return err;
}

static bool is_it(const struct ext2_entry *e, const struct search *s)
{
	return e->ino && e->name_len == s->len && !memcmp(e->name, s->name, s->len);
}

static bool has_room(const struct ext2_entry *e, const struct search *s)
{
	uint32_t own = e->ino ? entry_size(e->name_len) : 0;

	return e->rec_len >= own + entry_size(s->len);
}

static bool is_other(const struct ext2_entry *e, const struct search *s)
{
	(void)s;
	return e->ino && !(e->name[0] == '.' &&
			   (e->name_len == DOT || (e->name_len == DOT_DOT && e->name[1] == '.')));
}

int ext2_find_name(struct inode *dir, const char *name, uint32_t len, struct ext2_place *out,
		   uint32_t *ino)
{
	struct search s = { .look = is_it, .name = name, .len = len };
	int err = search(dir, &s, out);

	if (err)
		return err;
	*ino = entry_at(out->buffer, out->at)->ino;
	if (*ino <= ext2.inodes)
		return 0;
	buffer_put(out->buffer);
	return ext2_corrupt("directory %u: a name leads to inode %u", dir->ino, *ino);
}

int ext2_is_empty(struct inode *dir)
{
	struct search s = { .look = is_other };
	struct ext2_place p;
	int err = search(dir, &s, &p);

	if (err)
		return err == -ENOENT ? 1 : err;
	buffer_put(p.buffer);
	return 0;
}

void ext2_touch(struct inode *dir)
{
	dir->flags &= ~EXT2_FLAG_INDEX;
	dir->mtime = dir->ctime = ext2_now();
	ext2_update_inode(dir);
}

/* One more block for a directory: one empty entry. */
static int grow(struct inode *dir, struct ext2_place *out)
{
	const struct ext2_entry empty = { .rec_len = ext2.block_size };
	struct search s = { .look = has_room };
	struct buffer *table;
	int err = ext2_inode_block(dir->ino, &table);

	if (err)
		return err;
	err = ext2_append_block(dir, table, &empty, sizeof(empty));
	if (!err) {
		dir->size += ext2.block_size;
		ext2_store_inode(dir, table, false);
		if (cache_order)
			buffer_write(table);		 /* or what gets a name in it has none */
		s.len = ext2.block_size - sizeof(empty); /* nothing but an empty block has that */
		err = search(dir, &s, out);
	}
	buffer_put(table);
	return err;
}

int ext2_add_name(struct inode *dir, const char *name, uint32_t len, uint32_t ino, uint32_t mode,
		  struct ext2_place *out)
{
	struct search s = { .look = has_room, .name = name, .len = len };
	struct ext2_entry *e;
	uint32_t own, room;
	int err = search(dir, &s, out);

	if (err == -ENOENT)
		err = grow(dir, out);
	if (err)
		return err;
	buffer_begin(out->buffer);
	e = entry_at(out->buffer, out->at);
	room = e->rec_len;
	own = e->ino ? entry_size(e->name_len) : 0;
	if (own) {
		e->rec_len = own;
		out->before = out->at;
		out->at += own;
		e = entry_at(out->buffer, out->at);
	}
	*e = (struct ext2_entry){
		.ino = ino,
		.rec_len = room - own,
		.name_len = len,
		.type = entry_type(mode),
	};
	memcpy(e->name, name, len);
	buffer_dirty(out->buffer);
	return 0;
}

void ext2_remove_name(const struct ext2_place *p)
{
	struct ext2_entry *e = entry_at(p->buffer, p->at);

	buffer_begin(p->buffer);
	if (p->before != p->at)
		entry_at(p->buffer, p->before)->rec_len += e->rec_len;
	e->ino = 0;
	buffer_dirty(p->buffer);
}

void ext2_change_name(const struct ext2_place *p, uint32_t ino, uint32_t mode)
{
	struct ext2_entry *e = entry_at(p->buffer, p->at);

	buffer_begin(p->buffer);
	e->ino = ino;
	e->type = entry_type(mode);
	buffer_dirty(p->buffer);
}

int ext2_make_dots(struct inode *dir, uint32_t parent, struct buffer *table)
{
	struct {
		struct ext2_entry dot;
		char name[4];
		struct ext2_entry dot_dot;
		char dot_dot_name[4];
	} dots = {
		.dot = { dir->ino, entry_size(DOT), DOT, entry_type(S_IFDIR) },
		.name = ".",
		.dot_dot = { parent, ext2.block_size - entry_size(DOT), DOT_DOT,
			     entry_type(S_IFDIR) },
		.dot_dot_name = "..",
	};
	int err = ext2_append_block(dir, table, &dots, sizeof(dots));

	if (!err)
		dir->size = ext2.block_size;
	return err;
}
