/*
 * inode.h - files as the kernel knows them: ext2 inodes in memory.
 */
#pragma once

#include "mm/io.h"
#include "lib/list.h"
#include "lib/panic.h"
#include "sched/wait.h"

/* File types and rights, as in POSIX. */
#define S_IFMT	 0170000u
#define S_IFIFO	 0010000u
#define S_IFCHR	 0020000u
#define S_IFDIR	 0040000u
#define S_IFBLK	 0060000u
#define S_IFREG	 0100000u
#define S_IFLNK	 0120000u
#define S_IFSOCK 0140000u

#define NAME_LENGTH_MAX 255
#define PATH_LENGTH_MAX 4096
#define FILE_SIZE_MAX	0x7FFFFFFFu /* what a 32-bit off_t can say */
#define SYMLINK_DEPTH	8

struct inode {
	struct inode *hash; /* the next in its bucket */
	struct list lru;    /* while unused: the longest unused first */
	uint32_t ino, refs;
	bool loading;	  /* somebody is reading it from the disk */
	bool text_inside; /* a symbolic link whose text is in block[] */
	int16_t error;	  /* why loading failed; such an inode is in no bucket */
	struct waitq wait;
	uint16_t mode, links;
	uint32_t uid, gid;
	uint32_t size; /* bytes; a file of 2 GB or more is refused */
	uint32_t atime, mtime, ctime;
	uint32_t sectors;   /* 512 bytes each, as st_blocks */
	uint32_t rdev;	    /* device nodes: major << 8 | minor */
	uint32_t block[15]; /* as on the disk; the text of a short symbolic link */
	uint32_t flags, file_acl, dtime;
	uint32_t last_name; /* the block of a directory in which its last name was */
	uint32_t goal;	    /* where to look for its next block first; 0: near its group */
	uint32_t readers;   /* reads that are under way: no block is taken from it meanwhile */
	uint32_t writers;   /* open for writing so often: no program may be started from it */
	uint32_t texts;	    /* programs that run from it: it may not be opened for writing */
};

static inline bool inode_is(const struct inode *i, uint32_t type)
{
	return (i->mode & S_IFMT) == type;
}

struct dir_entry {
	uint32_t ino;
	uint32_t type; /* DT_*, or 0 if the file system does not say */
	uint32_t length;
	char name[NAME_LENGTH_MAX + 1];
};

/*
 * Mount the root.  0; -EIO, -EINVAL, -EUCLEAN with a line in the log that names what is wrong;
 * -ENOMEM. Mounting again replaces a root that nobody uses: -EBUSY.
 */
struct block_device;
int ext2_mount(struct block_device *d);

/*
 * The inode numbered `ino` with a reference.  0, -EIO, -EUCLEAN (corrupt), -EOVERFLOW (2 GB or
 * more), -ENOMEM.  May sleep.
 */
int inode_get(uint32_t ino, struct inode **out);
static inline struct inode *inode_ref(struct inode *i)
{
	assert(i->refs > 0);
	i->refs++;
	return i;
}
void inode_put(struct inode *i);

/* Bytes moved (0 at the end), or -errno if none.  Short at the end of the file or of io. */
ssize_t inode_read(struct inode *i, uint32_t offset, struct io *io);

/*
 * Write at `offset`, or at the end if `append` (*offset becomes where that was).  Grows the file;
 * what lies between its end and `offset` is a hole.  Bytes moved, fewer when the disk is full;
 * or -errno if none: -ENOSPC, -EFBIG (beyond 2 GB), -EIO, -EFAULT, -EROFS, -EUCLEAN, -ENOMEM.
 */
ssize_t inode_write(struct inode *i, uint32_t *offset, bool append, struct io *io);

/* Cut a regular file to `size` bytes, or extend it by a hole.  0, as above; -EINVAL: another kind.
 */
int inode_truncate(struct inode *i, uint32_t size);

/* chmod, chown, utime.  What is not in `what` stays.  0, -EROFS, -EIO, -ENOMEM. */
enum { SET_MODE = 1, SET_UID = 2, SET_GID = 4, SET_ATIME = 8, SET_MTIME = 16 };
struct inode_attributes {
	uint32_t what, mode, uid, gid, atime, mtime; /* of mode the rights: 07777 */
};
int inode_set(struct inode *i, const struct inode_attributes *a);

/* fsync(2): all of it, and the way to it, is on the disk.  0, -EIO. */
int inode_sync(struct inode *i);

/* sync(2): everything is.  0, -EIO. */
int fs_sync(void);

/* sync, and say on the disk that it was left in order: before power-off.  0, -EIO; -EBUSY: somebody
 * goes on changing it. */
int fs_end(void);

/* As statfs(2) wants it, in blocks. */
struct fs_room {
	uint32_t block_size, blocks, free, available, inodes, free_inodes;
	bool read_only;
};
void fs_room(struct fs_room *out);

/*
 * The first entry at or behind `*offset` (any number) of a directory, and move *offset behind it.
 * 1; 0 at the end; -EIO, -EUCLEAN, -ENOMEM.
 */
int dir_next(struct inode *dir, uint32_t *offset, struct dir_entry *out);

/* Target of a symbolic link into buf, NUL-terminated.  Length, -EIO, -EUCLEAN, -ENAMETOOLONG. */
ssize_t inode_readlink(struct inode *i, char *buf, size_t size);

/* An inode for a number that was free, with a reference, in memory only.  0, -ENOMEM, -EUCLEAN. */
int inode_new(uint32_t ino, struct inode **out);

/* Delete those that nobody uses and that have no name, with the lock; or if nobody has it, else he
 * will. */
void inode_delete_dying(void);
void fs_delete(void);

/* Has somebody a file open that has no name any more? */
bool inode_any_nameless(void);

/* Forget all unused inodes. */
void inode_drop(void);

/* Inodes in memory, and those of them that nobody uses. */
extern uint32_t inodes_cached, inodes_unused;

extern struct inode *root_inode;
