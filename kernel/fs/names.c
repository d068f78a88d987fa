/*
 * names.c - making, moving and removing the names of files.
 *
 * A file is its inode; names in directories lead to it, and it lives as long as one does or
 * somebody has it open.  Every function here changes several blocks, and a crash may come between
 * any two of them.  What may be seen then follows one rule: on the disk, an inode that is alive has
 * a name.  For what e2fsck -p does not dare to decide is whose a nameless file was; a name that
 * leads to a dead inode it removes, and counts it corrects.
 *
 *	a new file:	the name, then its inode
 *	one more name:	at once
 *	the last unlink: the inode dies, then the name goes, then its number is free
 *	rename:		the new name, then the old one goes
 *
 * One thing no order can do: a directory that moves from one block of names to another has two
 * names or none in between, and either makes e2fsck ask.  That takes a journal.
 *
 * Tunable: cache.order.  Lesson 9.
 */
#include "fs/names.h"
#include "fs/ext2.h"
#include "fs/file.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"

#define LINKS_MAX     32000u /* as elsewhere: e2fsck expects no more */
#define ANCESTORS_MAX 1024u
#define MODE_RIGHTS   07777u

/* A name that a path ends with, and the directory that has it or will. */
struct name {
	struct inode *dir; /* referenced */
	const char *text;
	uint32_t len;
	bool slashes;
	char *path; /* where the text is, if a symbolic link gave it: a frame */
};

static bool is_dots(const struct name *n)
{
	return n->len && n->text[0] == '.' && (n->len == 1 || (n->len == 2 && n->text[1] == '.'));
}

static void done(struct name *n)
{
	inode_put(n->dir);
	if (n->path)
		frame_put(n->path);
}

static int find_parent(const char *path, struct inode *cwd, struct name *n)
{
	int err = path_lookup(path, cwd, LOOKUP_FOLLOW | LOOKUP_DIRECTORY | LOOKUP_PARENT, &n->dir);

	if (err)
		return err;
	n->path = NULL;
	n->text = path_last(path, &n->len, &n->slashes);
	if (n->len <= NAME_LENGTH_MAX)
		return 0;
	done(n);
	return -ENAMETOOLONG;
}

/* The inode that has the name now. */
static int look_up(const struct name *n, struct inode **out)
{
	uint32_t ino;
	int err = ext2_lookup(n->dir, n->text, n->len, &ino);

	return err ? err : inode_get(ino, out);
}

/*
 * If a symbolic link has the name: go on to what it says.  1: gone on; 0: it is none; errors.
 */
static int follow(struct name *n)
{
	struct inode *link, *from = n->dir;
	char *text = NULL, *old = n->path;
	int err = n->len ? look_up(n, &link) : -ENOENT;

	if (err)
		return err == -ENOENT ? 0 : err;
	if (!inode_is(link, S_IFLNK)) {
		inode_put(link);
		return 0;
	}
	text = frame_alloc(FRAME_KERNEL);
	err = text ? inode_readlink(link, text, PAGE_SIZE) : -ENOMEM;
	inode_put(link);
	if (err > 0)
		err = find_parent(text, from, n);
	if (err) {
		if (text)
			frame_put(text);
		n->dir = from;
		n->path = old;
		return err;
	}
	n->path = text;
	inode_put(from);
	if (old)
		frame_put(old);
	return 1;
}

/* Begin to change the directory of a name. */
static int begin(const struct name *n)
{
	int err = fs_begin();

	if (!err && !n->dir->links)
		err = fs_finish(-ENOENT); /* it was removed meanwhile */
	return err;
}

/* --- new files ------------------------------------------------------------- */

/* What a new inode has in its blocks, before anything leads to it. */
static int fill(struct inode *i, const struct name *n, const char *text, struct buffer *table)
{
	uint32_t len;
	int err;

	if (inode_is(i, S_IFDIR))
		return ext2_make_dots(i, n->dir->ino, table);
	if (!text)
		return 0;
	len = strlen(text);
	i->text_inside = len < sizeof(i->block);
	if (i->text_inside) {
		memcpy(i->block, text, len);
		i->size = len;
		return 0;
	}
	err = ext2_append_block(i, table, text, len);
	if (!err)
		i->size = len;
	return err;
}

/* Make an inode and its name, which is free.  `text`: of a symbolic link.  *out is referenced. */
static int make(struct name *n, uint32_t mode, uint32_t rdev, const char *text, struct inode **out)
{
	bool directory = (mode & S_IFMT) == S_IFDIR;
	struct ext2_place p;
	struct buffer *table;
	struct inode *i;
	uint32_t ino;
	int err;

	if (directory && n->dir->links >= LINKS_MAX)
		return -EMLINK;
	err = ext2_new_inode(n->dir, directory, &ino);
	if (err)
		return err;
	err = ext2_inode_block(ino, &table);
	if (err)
		goto free_number;
	err = inode_new(ino, &i);
	if (err)
		goto put_table;
	i->mode = mode;
	i->rdev = i->block[0] = rdev;
	i->atime = i->mtime = i->ctime = ext2_now();
	err = fill(i, n, text, table);
	if (!err)
		err = ext2_add_name(n->dir, n->text, n->len, ino, mode, &p);
	if (err) {
		buffer_put(table);
		inode_put(i); /* without a name it is deleted */
		return err;
	}
	buffer_order(p.buffer, table);
	buffer_put(p.buffer);
	i->links = directory ? 2 : 1;
	ext2_store_inode(i, table, true);
	if (directory && cache_order)
		buffer_write(table); /* what is in it is nowhere, as long as it is not there */
	buffer_put(table);
	n->dir->links += directory;
	ext2_touch(n->dir);
	*out = i;
	return 0;

put_table:
	buffer_put(table);
free_number:
	ext2_free_inode(ino, directory, NULL);
	return err;
}

/* The name must be free: 0; -EEXIST and errors. */
static int is_free(const struct name *n)
{
	uint32_t ino;
	int err;

	if (!n->len || is_dots(n))
		return -EEXIST;
	err = ext2_lookup(n->dir, n->text, n->len, &ino);
	return err == -ENOENT ? 0 : err ? err : -EEXIST;
}

/* The same under the lock: begun when 0. */
static int begin_new(const struct name *n)
{
	int err = is_free(n); /* a name that exists is told so even where nothing can be made */

	if (!err)
		err = begin(n);
	if (!err) {
		err = is_free(n);
		if (err)
			fs_finish(0);
	}
	return err;
}

int name_create(const char *path, struct inode *cwd, uint32_t flags, uint32_t mode,
		struct inode **out, bool *created)
{
	bool follows = !(flags & (O_EXCL | O_NOFOLLOW));
	struct name n;
	int err;

	*created = false;
	if (!(flags & O_EXCL)) {
		err = path_lookup(path, cwd, flags & O_NOFOLLOW ? 0 : LOOKUP_FOLLOW, out);
		if (err != -ENOENT)
			return err;
	}
	err = find_parent(path, cwd, &n);
	if (err)
		return err;
	for (uint32_t links = 0; follows; links++) {
		err = links > SYMLINK_DEPTH ? -ELOOP : follow(&n);
		if (err <= 0)
			break;
	}
	if (!err)
		err = begin_new(&n);
	if (!err && n.slashes)
		err = fs_finish(-EISDIR);
	else if (!err)
		err = fs_finish(make(&n, S_IFREG | (mode & MODE_RIGHTS), 0, NULL, out));
	if (!err)
		*created = true;
	else if (err == -EEXIST && !(flags & O_EXCL) && n.len && !is_dots(&n))
		err = look_up(&n, out); /* somebody was faster */
	done(&n);
	return err;
}

/* For what is not opened at once. */
static int make_at(const char *path, struct inode *cwd, uint32_t mode, uint32_t rdev,
		   const char *text)
{
	struct inode *i;
	struct name n;
	int err = find_parent(path, cwd, &n);

	if (err)
		return err;
	err = begin_new(&n);
	if (!err && n.slashes && (mode & S_IFMT) != S_IFDIR)
		err = fs_finish(-ENOENT);
	else if (!err) {
		err = make(&n, mode, rdev, text, &i);
		if (!err)
			inode_put(i);
		err = fs_finish(err);
	}
	done(&n);
	return err;
}

int name_make(const char *path, struct inode *cwd, uint32_t mode, uint32_t rdev)
{
	switch (mode & S_IFMT) {
	case S_IFCHR:
	case S_IFBLK:
		break;
	case S_IFREG:
	case S_IFDIR:
	case S_IFIFO:
	case S_IFSOCK:
		rdev = 0;
		break;
	default:
		return -EINVAL;
	}
	return make_at(path, cwd, mode & (S_IFMT | MODE_RIGHTS), rdev, NULL);
}

int name_symlink(const char *text, const char *path, struct inode *cwd)
{
	if (!*text)
		return -ENOENT;
	if (strlen(text) >= ext2.block_size)
		return -ENAMETOOLONG;
	return make_at(path, cwd, S_IFLNK | 0777, 0, text);
}

int name_link(struct inode *old, const char *path, struct inode *cwd)
{
	struct ext2_place p;
	struct name n;
	int err;

	err = find_parent(path, cwd, &n);
	if (err)
		return err;
	err = begin_new(&n);
	if (err)
		goto out;
	if (inode_is(old, S_IFDIR))
		err = -EPERM;
	else if (n.slashes || !old->links)
		err = -ENOENT;
	else if (old->links >= LINKS_MAX)
		err = -EMLINK;
	else
		err = ext2_add_name(n.dir, n.text, n.len, old->ino, old->mode, &p);
	if (!err) {
		/* Which of its names goes first nobody knows: so this one is on the disk now. */
		if (cache_order)
			err = buffer_write(p.buffer);
		buffer_put(p.buffer);
		old->links++;
		old->ctime = ext2_now();
		ext2_update_inode(old);
		ext2_touch(n.dir);
	}
	err = fs_finish(err);
out:
	done(&n);
	return err;
}

/* --- names that go ---------------------------------------------------------- */

/*
 * `i` loses the name at `p`, which still leads to it.  If it was the last, it dies now: on the disk
 * before the name goes.
 */
static void lose_name(struct inode *i, const struct ext2_place *p)
{
	struct buffer *table;

	i->links = inode_is(i, S_IFDIR) ? 0 : i->links - 1;
	i->ctime = ext2_now();
	if (!i->links)
		i->last_name = p->buffer->block;
	if (ext2_inode_block(i->ino, &table))
		return;
	ext2_store_inode(i, table, false);
	if (!i->links)
		buffer_order(table, p->buffer);
	buffer_put(table);
}

/* May `i` go, by unlink() or rmdir()? */
static int may_remove(const struct name *n, struct inode *i, bool directory)
{
	int empty;

	if (!inode_is(i, S_IFDIR))
		return directory || n->slashes ? -ENOTDIR : 0;
	if (!directory)
		return -EISDIR;
	if (i == root_inode)
		return -EBUSY;
	empty = ext2_is_empty(i);
	return empty < 0 ? empty : empty ? 0 : -ENOTEMPTY;
}

/* With the lock. */
static int remove_name(const struct name *n, bool directory)
{
	struct ext2_place p;
	struct inode *i;
	uint32_t ino;
	int err = ext2_find_name(n->dir, n->text, n->len, &p, &ino);

	if (err)
		return err;
	err = inode_get(ino, &i);
	if (!err) {
		err = may_remove(n, i, directory);
		if (!err) {
			lose_name(i, &p);
			ext2_remove_name(&p);
			if (i->links && cache_order)
				buffer_write(p.buffer); /* see remove_source() */
			n->dir->links -= directory;
			ext2_touch(n->dir);
		}
		inode_put(i);
	}
	buffer_put(p.buffer);
	return err;
}

int name_remove(const char *path, struct inode *cwd, bool directory)
{
	struct name n;
	int err = find_parent(path, cwd, &n);

	if (err)
		return err;
	if (!n.len || is_dots(&n))
		err = !directory ? -EISDIR : !n.len ? -EBUSY : n.len == 1 ? -EINVAL : -ENOTEMPTY;
	if (!err)
		err = begin(&n);
	if (!err)
		err = fs_finish(remove_name(&n, directory));
	done(&n);
	return err;
}

/* --- rename ----------------------------------------------------------------- */

/* What rename() works on: `i` goes from one name to another, which may have led to `old`. */
struct move {
	struct name from, to;
	struct inode *i, *old;
	struct ext2_place target; /* once there is one */
};

/* 1 if `dir` is `i` or lies in it; 0; errors. */
static int lies_in(struct inode *dir, const struct inode *i)
{
	struct inode *here = inode_ref(dir);
	int found = 0;

	for (uint32_t n = 0; !found && here != root_inode; n++) {
		struct inode *parent;
		uint32_t ino;

		if (here == i) {
			found = 1;
			break;
		}
		found = n == ANCESTORS_MAX ? -ELOOP : ext2_lookup(here, "..", 2, &ino);
		if (!found)
			found = inode_get(ino, &parent);
		if (found)
			break;
		inode_put(here);
		here = parent;
	}
	inode_put(here);
	return found;
}

static int may_replace(const struct move *m)
{
	int empty;

	if (!inode_is(m->old, S_IFDIR))
		return inode_is(m->i, S_IFDIR) ? -ENOTDIR : 0;
	if (!inode_is(m->i, S_IFDIR))
		return -EISDIR;
	empty = m->old == root_inode ? -EBUSY : ext2_is_empty(m->old);
	return empty < 0 ? empty : empty ? 0 : -ENOTEMPTY;
}

static int may_move(const struct move *m)
{
	bool moves = m->from.dir != m->to.dir;
	int in;

	if (inode_is(m->i, S_IFDIR)) {
		in = lies_in(m->to.dir, m->i);
		if (in)
			return in < 0 ? in : -EINVAL;
		if (moves && !m->old && m->to.dir->links >= LINKS_MAX)
			return -EMLINK;
	}
	return m->old ? may_replace(m) : 0;
}

/*
 * The target's name leads to another file, and it is that one's last name.  It must not die before
 * the name leads to the new file, or a crash in between loses the name; nor be without a name
 * while it lives.  So it gets a name beside the source until both is done, which only a crash
 * lets anybody see.
 */
static int replace_last(struct move *m)
{
	struct ext2_place shelter;
	struct buffer *table;
	char name[24];
	uint32_t len = snprintf(name, sizeof(name), ".replaced-%u", m->old->ino);
	int err = ext2_add_name(m->from.dir, name, len, m->old->ino, m->old->mode, &shelter);

	if (err)
		return err;
	err = buffer_write(shelter.buffer);
	if (!err)
		err = ext2_inode_block(m->old->ino, &table);
	if (!err) {
		ext2_change_name(&m->target, m->i->ino, m->i->mode);
		buffer_order(m->target.buffer, table);
		lose_name(m->old, &shelter);
		buffer_put(table);
	}
	ext2_remove_name(&shelter);
	buffer_put(shelter.buffer);
	return err;
}

static int replace(struct move *m)
{
	bool directory = inode_is(m->old, S_IFDIR);

	if (!directory && m->old->links == 1 && cache_order)
		return replace_last(m);
	lose_name(m->old, &m->target);
	ext2_change_name(&m->target, m->i->ino, m->i->mode);
	if (directory)
		m->to.dir->links--;
	return 0;
}

/* The directory moved to another: its `..`, which is at `dots`, and their counts. */
static void change_parent(struct move *m, const struct ext2_place *dots)
{
	ext2_change_name(dots, m->to.dir->ino, S_IFDIR);
	if (cache_order)
		buffer_write(dots->buffer); /* until then the disk contradicts itself */
	m->from.dir->links--;
	m->to.dir->links++;
}

/*
 * The source's name goes.  It is looked for anew: a name that was added may lie in front of it.  On
 * the disk it goes at once: a file's number is free again when its last name is gone, and an older
 * one that is still there would lead to whoever gets it.
 */
static int remove_source(struct move *m)
{
	struct ext2_place p;
	uint32_t ino;
	bool apart;
	int err = ext2_find_name(m->from.dir, m->from.text, m->from.len, &p, &ino);

	if (err)
		return err;
	apart = p.buffer != m->target.buffer;
	if (apart)
		buffer_order(m->target.buffer, p.buffer);
	ext2_remove_name(&p);
	if (apart && cache_order)
		buffer_write(p.buffer);
	buffer_put(p.buffer);
	return 0;
}

static int move(struct move *m)
{
	bool new_parent = inode_is(m->i, S_IFDIR) && m->from.dir != m->to.dir;
	struct ext2_place dots;
	uint32_t ino;
	int err = 0;

	if (new_parent) /* now: once it has moved it is too late for an error */
		err = ext2_find_name(m->i, "..", 2, &dots, &ino);
	if (err)
		return err;
	err = m->old ? replace(m)
		     : ext2_add_name(m->to.dir, m->to.text, m->to.len, m->i->ino, m->i->mode,
				     &m->target);
	if (err)
		goto out;
	err = remove_source(m);
	if (!err && new_parent)
		change_parent(m, &dots);
	if (!m->old)
		buffer_put(m->target.buffer);
	m->i->ctime = ext2_now();
	ext2_update_inode(m->i);
	ext2_touch(m->from.dir);
	if (m->to.dir != m->from.dir)
		ext2_touch(m->to.dir);
out:
	if (new_parent)
		buffer_put(dots.buffer);
	return err;
}

/* With the lock. */
static int rename_name(struct move *m, bool keep)
{
	uint32_t ino;
	int err = look_up(&m->from, &m->i);

	if (err)
		return err;
	if (!inode_is(m->i, S_IFDIR) && (m->from.slashes || m->to.slashes)) {
		inode_put(m->i);
		return -ENOTDIR;
	}
	m->old = NULL;
	err = ext2_find_name(m->to.dir, m->to.text, m->to.len, &m->target, &ino);
	if (!err) {
		err = keep ? -EEXIST : inode_get(ino, &m->old);
		if (!err && m->old != m->i) { /* two names of one file: nothing to do */
			err = may_move(m);
			if (!err)
				err = move(m);
		}
		if (m->old)
			inode_put(m->old);
		buffer_put(m->target.buffer);
	} else if (err == -ENOENT) {
		err = may_move(m);
		if (!err)
			err = move(m);
	}
	inode_put(m->i);
	return err;
}

int name_rename(const char *from, struct inode *from_cwd, const char *to, struct inode *to_cwd,
		bool keep)
{
	struct move m;
	int err = find_parent(from, from_cwd, &m.from);

	if (err)
		return err;
	err = find_parent(to, to_cwd, &m.to);
	if (err)
		goto out;
	if (!m.from.len || !m.to.len || is_dots(&m.from) || is_dots(&m.to))
		err = -EBUSY;
	if (!err)
		err = begin(&m.from);
	if (!err)
		err = fs_finish(m.to.dir->links ? rename_name(&m, keep) : -ENOENT);
	done(&m.to);
out:
	done(&m.from);
	return err;
}
