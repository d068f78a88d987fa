/*
 * inode.c - the inode cache: every inode in memory exists once.
 *
 * Found by number through a small hash.  An inode that nobody uses stays, in case it is wanted
 * again, up to one for each 32 frames of RAM (at least 32); then the longest unused one goes.  When
 * frames run out all unused ones go.
 *
 * The first to want an inode reads it, others wait; one that cannot be read leaves the hash
 * at once, so that the next attempt starts anew.
 *
 * One that nobody uses and that has no name left is not kept: it is deleted (ext2_change.c).
 */
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/panic.h"
#include "mm/frame.h"
#include "mm/kalloc.h"

#define BUCKETS		  64 /* a power of two */
#define UNUSED_MIN	  32
#define FRAMES_PER_UNUSED 32

uint32_t inodes_cached, inodes_unused;

static struct inode *buckets[BUCKETS];
static struct list lru = LIST_INIT(lru);
static struct list dying = LIST_INIT(dying); /* unused, without a name */

static void unhash(struct inode *i)
{
	struct inode **p = &buckets[i->ino % BUCKETS];

	while (*p != i)
		p = &(*p)->hash;
	*p = i->hash;
}

/* Free the longest unused inode. */
static void free_oldest(void)
{
	struct inode *i = list_first(&lru, struct inode, lru);

	list_del(&i->lru);
	unhash(i);
	inodes_unused--;
	inodes_cached--;
	kfree(i);
}

void inode_drop(void)
{
	while (!list_empty(&lru))
		free_oldest();
}

/* One reference to an inode that could not be loaded goes; with the last, the inode. */
static int give_up(struct inode *i)
{
	int err = i->error;

	if (--i->refs == 0) {
		inodes_cached--;
		kfree(i);
	}
	return err;
}

/* One in the hash, with a reference, that says nothing yet.  NULL: no memory. */
static struct inode *new_inode(uint32_t ino)
{
	struct inode *i = kzalloc(sizeof(*i)), **bucket = &buckets[ino % BUCKETS];

	if (!i)
		return NULL;
	inodes_cached++;
	i->ino = ino;
	i->refs = 1;
	waitq_init(&i->wait);
	list_init(&i->lru);
	i->hash = *bucket;
	*bucket = i;
	return i;
}

static int load(uint32_t ino, struct inode **out)
{
	struct inode *i = new_inode(ino);

	if (!i)
		return -ENOMEM;
	i->loading = true;
	i->error = ext2_read_inode(i);
	i->loading = false;
	wake_all(&i->wait);
	if (i->error) {
		unhash(i);
		return give_up(i);
	}
	*out = i;
	return 0;
}

bool inode_any_nameless(void)
{
	const struct inode *i;

	for (uint32_t n = 0; n < BUCKETS; n++)
		for (i = buckets[n]; i; i = i->hash)
			if (i->refs && !i->links && !i->loading)
				return true;
	return false;
}

int inode_get(uint32_t ino, struct inode **out)
{
	struct inode *i = buckets[ino % BUCKETS];

	while (i && i->ino != ino)
		i = i->hash;
	if (!i)
		return load(ino, out);
	if (i->refs++ == 0) {
		list_del(&i->lru);
		inodes_unused--;
	}
	while (unlikely(i->loading))
		sleep_on(&i->wait);
	if (unlikely(i->error))
		return give_up(i);
	*out = i;
	return 0;
}

int inode_new(uint32_t ino, struct inode **out)
{
	for (struct inode *i = buckets[ino % BUCKETS]; i; i = i->hash)
		if (i->ino == ino)
			return ext2_corrupt("inode %u: free, but something leads to it", ino);
	*out = new_inode(ino);
	return *out ? 0 : -ENOMEM;
}

void inode_delete_dying(void)
{
	while (!list_empty(&dying)) {
		struct inode *i = list_first(&dying, struct inode, lru);

		list_del(&i->lru);
		ext2_delete(i);
		unhash(i);
		inodes_cached--;
		kfree(i);
	}
}

void inode_put(struct inode *i)
{
	assert(i->refs > 0);
	if (--i->refs)
		return;
	if (unlikely(!i->links)) {
		list_add_tail(&i->lru, &dying);
		fs_delete();
		return;
	}
	list_add_tail(&i->lru, &lru);
	if (++inodes_unused > UNUSED_MIN && inodes_unused * FRAMES_PER_UNUSED > frames_total)
		free_oldest();
}
