/*
 * namei.c - from a path to an inode, and from a directory back to its path.
 *
 * A lookup keeps one inode, `here`, and walks it through the path a component at a time.  A
 * symbolic link puts its text in front of what is left of the path: the text is walked in place, in
 * the link's inode or buffer, and the rest waits on a small stack.  So nothing is copied or
 * allocated, nothing recurses, and at most SYMLINK_DEPTH links are followed.
 */
#include "fs/namei.h"
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/string.h"

/* A piece of path still to be walked, and what keeps its text in place. */
struct piece {
	const char *at, *end;
	struct inode *link;  /* the symbolic link it comes from; NULL: the caller's path */
	struct buffer *hold; /* if its text is in a block of its own */
};

struct walk {
	struct inode *here;
	struct piece now;
	struct piece rest[SYMLINK_DEPTH]; /* none of them empty */
	uint32_t depth, links;
	bool directory; /* what is found must be one */
};

static void let_go(struct piece *p)
{
	if (p->hold)
		buffer_put(p->hold);
	if (p->link)
		inode_put(p->link);
	*p = (struct piece){ 0 };
}

/* Skip slashes.  True if there were any. */
static inline bool skip_slashes(struct piece *p)
{
	const char *from = p->at, *at = from;

	while (at < p->end && *at == '/')
		at++;
	p->at = at;
	return at != from;
}

/* Skip a name. */
static inline void skip_name(struct piece *p)
{
	const char *at = p->at;

	while (at < p->end && *at != '/')
		at++;
	p->at = at;
}

/* Go on with the text of `link`, whose reference we take over, in front of what is left. */
static int follow(struct walk *w, struct inode *link)
{
	struct piece text = { .link = link };
	uint32_t len;
	int err;

	err = w->links++ == SYMLINK_DEPTH ? -ELOOP
					  : ext2_link_text(link, &text.at, &len, &text.hold);
	if (err) {
		inode_put(link);
		return err;
	}
	text.end = text.at + len;
	if (w->now.at < w->now.end)
		w->rest[w->depth++] = w->now;
	else
		let_go(&w->now);
	w->now = text;
	if (skip_slashes(&w->now)) {
		inode_put(w->here);
		w->here = inode_ref(root_inode);
	}
	return 0;
}

/* The inode that `here` has under a name. */
static int step(struct walk *w, const char *name, uint32_t len, struct inode **next)
{
	uint32_t ino;
	int err;

	if (*name == '.' && inode_is(w->here, S_IFDIR) &&
	    (len == 1 || (len == 2 && name[1] == '.' && w->here == root_inode))) {
		*next = inode_ref(w->here);
		return 0;
	}
	err = ext2_lookup(w->here, name, len, &ino);
	return err ? err : inode_get(ino, next);
}

/* Walk the next component of the piece, which is not empty, and the slashes behind it. */
static int component(struct walk *w, uint32_t flags)
{
	const char *name = w->now.at;
	struct inode *next;
	bool slashes, last;
	int err;

	skip_name(&w->now);
	err = step(w, name, w->now.at - name, &next);
	if (err)
		return err;
	slashes = skip_slashes(&w->now);
	last = w->now.at == w->now.end && !w->depth;
	if (last && slashes)
		w->directory = true;
	if (inode_is(next, S_IFLNK) && (!last || slashes || flags & LOOKUP_FOLLOW))
		return follow(w, next);
	inode_put(w->here);
	w->here = next;
	return 0;
}

const char *path_last(const char *path, uint32_t *len, bool *slashes)
{
	const char *end = path + strlen(path), *at;

	*slashes = end > path && end[-1] == '/';
	while (end > path && end[-1] == '/')
		end--;
	for (at = end; at > path && at[-1] != '/';)
		at--;
	*len = end - at;
	return at;
}

static noinline const char *without_last(const char *path)
{
	uint32_t len;
	bool slashes;

	return path_last(path, &len, &slashes);
}

int path_lookup(const char *path, struct inode *cwd, uint32_t flags, struct inode **out)
{
	struct walk w;
	int err = 0;

	if (!*path || !root_inode)
		return -ENOENT;
	w.here = inode_ref(*path == '/' || !cwd ? root_inode : cwd);
	w.now = (struct piece){ .at = path, .end = path + strlen(path) };
	w.depth = w.links = 0;
	w.directory = flags & LOOKUP_DIRECTORY;
	if (unlikely(flags & LOOKUP_PARENT))
		w.now.end = without_last(path);
	skip_slashes(&w.now);
	while (!err) {
		if (w.now.at < w.now.end) {
			err = component(&w, flags);
		} else if (w.depth) {
			let_go(&w.now);
			w.now = w.rest[--w.depth];
		} else {
			break;
		}
	}
	if (!err && w.directory && !inode_is(w.here, S_IFDIR))
		err = -ENOTDIR;
	if (w.now.link)
		let_go(&w.now);
	while (w.depth)
		let_go(&w.rest[--w.depth]);
	if (err)
		inode_put(w.here);
	else
		*out = w.here;
	return err;
}

/*
 * Put "/NAME" of `dir` in front of what ends at `end`, and replace the directory by its parent.
 * Length of the name; -ENOENT when its parent does not know it; -ERANGE; errors of the disk.
 */
static int climb(struct inode **dir, char *end, size_t room)
{
	struct inode *parent;
	uint32_t ino;
	int len;

	len = ext2_lookup(*dir, "..", 2, &ino);
	if (!len)
		len = inode_get(ino, &parent);
	if (len)
		return len;
	len = ext2_name_of(parent, (*dir)->ino, end, room);
	inode_put(*dir);
	*dir = parent;
	return len;
}

ssize_t path_of(struct inode *dir, char *buf, size_t size)
{
	char *at = buf + size;
	int len = 0;

	if (size < 2)
		return -ERANGE;
	*--at = '\0';
	inode_ref(dir);
	/* Written from the end: each name needs a byte of `buf` at least, so a circle of parents
	 * ends. */
	while (dir != root_inode) {
		len = climb(&dir, at, at - buf - 1);
		if (len < 0)
			break;
		at -= len;
		*--at = '/';
		if (at == buf && dir != root_inode) {
			len = -ERANGE;
			break;
		}
	}
	inode_put(dir);
	if (len < 0)
		return len;
	if (!*at)
		*--at = '/';
	size = buf + size - at;
	memmove(buf, at, size);
	return size - 1;
}
