/*
 * ext2_free.c - the waiting room of what was freed.
 *
 * A block that a file gave back must not become another file's while the disk still says that it
 * is the first one's: after a crash it would belong to both.  So a freed block (and an inode, while
 * the disk still has a name for it) waits here, still marked as taken, until the buffer in which
 * the pointer to it was has reached the disk.  Who finds the disk full does not wait: it has those
 * buffers written.
 *
 * Tunable: cache.order; off, as in 1992: nothing waits.  Lesson 9.
 */
#include "fs/ext2.h"
#include "lib/string.h"

#define ROOM 48

static struct waiting {
	uint32_t first, count;
	bool inode, directory;
	struct buffer *pointer; /* it is referenced as long */
	uint32_t written;	/* free once it was written so often */
} room[ROOM];
static uint32_t waiting;

uint32_t ext2_blocks_waiting, ext2_inodes_waiting;

static void let_go(const struct waiting *w)
{
	if (w->inode) {
		ext2_inodes_waiting--;
		ext2_release_inode(w->first, w->directory);
	} else {
		ext2_blocks_waiting -= w->count;
		ext2_release_blocks(w->first, w->count);
	}
}

static bool may_go(const struct waiting *w)
{
	return (int32_t)(w->pointer->written - w->written) >= 0;
}

bool ext2_release(bool force)
{
	uint32_t kept = 0, before = waiting;

	/* Releasing sleeps, but the file system's lock keeps others from the room. */
	for (uint32_t i = 0; i < before; i++) {
		struct waiting w = room[i];

		if (force && !may_go(&w))
			buffer_write(w.pointer);
		if (may_go(&w)) {
			let_go(&w);
			buffer_put(w.pointer);
		} else {
			room[kept++] = w;
		}
	}
	waiting = kept;
	return kept < before;
}

/* Is it so that the disk does not point to it any more? */
static bool is_written(const struct buffer *pointer)
{
	return !cache_order || !pointer || (!pointer->dirty && !pointer->locked);
}

static void wait(struct waiting w)
{
	struct waiting *last = waiting ? &room[waiting - 1] : NULL;

	w.written = w.pointer->written + 1;
	if (w.inode)
		ext2_inodes_waiting++;
	else
		ext2_blocks_waiting += w.count;
	if (last && !w.inode && !last->inode && last->pointer == w.pointer &&
	    last->written == w.written && last->first + last->count == w.first) {
		last->count += w.count;
		return;
	}
	w.pointer->refs++;
	if (waiting == ROOM && !ext2_release(true)) {
		/* They cannot be written.  What stays marked as taken does no harm; a repair finds
		 * it. */
		buffer_put(w.pointer);
		return;
	}
	room[waiting++] = w;
}

/*
 * Blocks that pointed to others are freed themselves, so they will not reach the disk: what waits
 * for them waits for the pointer to them now.
 */
static void inherit(uint32_t first, uint32_t count, struct buffer *pointer)
{
	for (uint32_t i = 0; i < waiting; i++) {
		struct waiting *w = &room[i];
		struct buffer *old = w->pointer;

		if (old->block - first >= count || old == pointer)
			continue;
		w->written = old->written; /* nothing to wait for: they go at the next occasion */
		if (!is_written(pointer)) {
			pointer->refs++;
			w->pointer = pointer;
			w->written = pointer->written + 1;
			buffer_put(old);
		}
	}
}

void ext2_free_blocks(uint32_t first, uint32_t count, struct buffer *pointer)
{
	inherit(first, count, pointer);
	for (uint32_t i = 0; i < count; i++)
		buffer_cancel(ext2.dev, first + i);
	if (is_written(pointer))
		ext2_release_blocks(first, count);
	else
		wait((struct waiting){ .first = first, .count = count, .pointer = pointer });
}

void ext2_free_inode(uint32_t ino, bool directory, struct buffer *pointer)
{
	if (is_written(pointer))
		ext2_release_inode(ino, directory);
	else
		wait((struct waiting){
			.first = ino, .inode = true, .directory = directory, .pointer = pointer });
}
