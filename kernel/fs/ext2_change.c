/*
 * ext2_change.c - what every change of the disk begins and ends with.
 *
 * One lock keeps those who change the file system apart; who only reads does not take it.  With it
 * the order of all changes is the order in which they were made, and renaming needs no thought
 * about whom to lock first.  The disk has one arm: it would not do two things at once anyway.
 *
 * The first change takes the clean flag off the disk, and waits until it is off; the end of the
 * machine puts it back.  So a disk that says it is clean is, and a session that only reads
 * leaves no trace.
 *
 * A file without names is deleted when the last who has it open lets go of it.  That may be a
 * process that somebody with the lock waits for, so it does not take the lock: it leaves the inode
 * on a list, and who has the lock deletes it.
 *
 * Tunables: cache.write (through: no change returns before it is on the disk), cache.order.
 * Lesson 9.
 */
#include "fs/ext2.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "mm/kalloc.h"

static bool locked;
static struct waitq unlocked = WAITQ_INIT(unlocked);

static void lock(void)
{
	while (locked)
		sleep_on(&unlocked);
	locked = true;
}

static void unlock(void)
{
	inode_delete_dying();
	ext2_release(false);
	locked = false;
	wake_all(&unlocked);
}

/* The superblock in its buffer, which the caller puts. */
static int super_block(struct buffer **b, struct ext2_super **s)
{
	int err = ext2_fetch(EXT2_SUPER_OFFSET >> ext2.block_shift, NULL, b);

	if (err)
		return err;
	*s = (struct ext2_super *)((*b)->data + (EXT2_SUPER_OFFSET & (ext2.block_size - 1)));
	return 0;
}

/* Put the clean flag on the disk or take it off, with what else the superblock has to say. */
static int set_clean(bool clean)
{
	struct ext2_super *s;
	struct buffer *b;
	int err = super_block(&b, &s);

	if (err)
		return err;
	buffer_begin(b);
	if (clean) {
		s->state |= EXT2_STATE_CLEAN;
	} else {
		s->state &= ~EXT2_STATE_CLEAN;
		s->mtime = ext2_now();
		s->mnt_count++;
	}
	s->wtime = ext2_now();
	buffer_dirty(b);
	err = buffer_write(b);
	buffer_put(b);
	return err;
}

int fs_begin(void)
{
	int err = 0;

	lock();
	if (!ext2.writable)
		err = -EROFS;
	else if (!ext2.changed)
		err = set_clean(false);
	if (err)
		unlock();
	else
		ext2.changed = true;
	return err;
}

void fs_delete(void)
{
	if (locked)
		return;
	locked = true;
	unlock();
}

int fs_finish(int err)
{
	int failed = 0;

	unlock();
	if (cache_write == CACHE_THROUGH)
		failed = buffer_sync(BUFFER_ALL);
	return err ? err : failed;
}

/* The superblock's counts, which change too often to be kept right all the time. */
static int store_counts(void)
{
	struct ext2_super *s;
	struct buffer *b;
	int err;

	if (!ext2.counts_old)
		return 0;
	err = super_block(&b, &s);
	if (err)
		return err;
	buffer_begin(b);
	s->free_blocks = ext2.free_blocks;
	s->free_inodes = ext2.free_inodes;
	s->wtime = ext2_now();
	buffer_dirty(b);
	buffer_put(b);
	ext2.counts_old = false;
	return 0;
}

int fs_sync(void)
{
	int err, failed;

	if (!ext2.changed) /* but what was to say so may not have reached the disk */
		return buffer_sync(BUFFER_ALL);
	/* What was freed may only be marked as free once the rest is on the disk. */
	err = buffer_sync(BUFFER_ALL);
	lock();
	inode_delete_dying();
	ext2_release(true);
	failed = store_counts();
	unlock();
	err = err ? err : failed;
	failed = buffer_sync(BUFFER_ALL);
	return err ? err : failed;
}

int fs_end(void)
{
	int err = fs_sync();

	/* What is open and has no name would be deleted when it is closed: that is left to e2fsck.
	 */
	if (err || !ext2.changed || !ext2.was_clean || inode_any_nameless())
		return err;
	lock();
	if (telemetry.cache.dirty || ext2_blocks_waiting || ext2_inodes_waiting)
		err = -EBUSY; /* somebody changed something meanwhile */
	else
		err = set_clean(true);
	ext2.changed = err;
	unlock();
	return err;
}

void fs_room(struct fs_room *out)
{
	*out = (struct fs_room){
		.block_size = ext2.block_size,
		.blocks = ext2.blocks - ext2.first_data_block,
		.free = ext2.free_blocks + ext2_blocks_waiting,
		.available = ext2.free_blocks + ext2_blocks_waiting,
		.inodes = ext2.inodes,
		.free_inodes = ext2.free_inodes + ext2_inodes_waiting,
		.read_only = !ext2.writable,
	};
}

int inode_sync(struct inode *i)
{
	return buffer_sync(i->ino);
}
