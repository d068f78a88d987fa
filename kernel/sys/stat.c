/*
 * stat.c - system calls that tell what a file is, what is in a directory, and how much room is
 * left.
 *
 * Structures are Linux i386's, byte for byte: asm/stat.h, linux/dirent.h.
 */

#include "block/buffer.h"
#include "cpu/pda.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "mm/kalloc.h"
#include "mm/usercopy.h"
#include "sched/task.h"
#include "sys/sys.h"

struct stat64 {
	uint64_t dev;
	uint8_t pad0[4];
	uint32_t ino32, mode, nlink, uid, gid;
	uint64_t rdev;
	uint8_t pad1[4];
	int64_t size;
	uint32_t blksize;
	uint64_t blocks;
	uint32_t atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
	uint64_t ino;
} __attribute__((packed));

_Static_assert(sizeof(struct stat64) == 96, "struct stat64 of Linux i386");

#define ROOT_DEVICE 0x0301 /* the number of the first IDE disk's first partition in 1992 */

/* The call that replaces all others: times are 64 bits, and who asks says what it wants. */
struct statx_time {
	int64_t seconds;
	uint32_t ns, pad;
};

struct statx {
	uint32_t mask, blksize;
	uint64_t attributes;
	uint32_t nlink, uid, gid;
	uint16_t mode, pad;
	uint64_t ino, size, blocks, attributes_mask;
	struct statx_time atime, btime, ctime, mtime;
	uint32_t rdev_major, rdev_minor, dev_major, dev_minor;
	uint64_t rest[14];
};

_Static_assert(sizeof(struct statx) == 256, "struct statx of Linux");

#define STATX_BASIC    0x7ffu
#define STATX_RESERVED 0x80000000u

typedef int32_t (*put_function)(const struct inode *i, uaddr_t at);

static int32_t put_statx(const struct inode *i, uaddr_t at)
{
	struct statx s = {
		.mask = STATX_BASIC,
		.blksize = buffer_size,
		.nlink = i->links,
		.uid = i->uid,
		.gid = i->gid,
		.mode = i->mode,
		.ino = i->ino,
		.size = i->size,
		.blocks = i->sectors,
		.atime = { .seconds = i->atime },
		.ctime = { .seconds = i->ctime },
		.mtime = { .seconds = i->mtime },
		.rdev_major = i->rdev >> 8,
		.rdev_minor = i->rdev & 0xff,
		.dev_major = ROOT_DEVICE >> 8,
		.dev_minor = ROOT_DEVICE & 0xff,
	};

	return copy_to_user(at, &s, sizeof(s));
}

static int32_t put_stat(const struct inode *i, uaddr_t at)
{
	struct stat64 s = {
		.dev = ROOT_DEVICE,
		.pad0 = { 0 },
		.ino32 = i->ino,
		.mode = i->mode,
		.nlink = i->links,
		.uid = i->uid,
		.gid = i->gid,
		.rdev = i->rdev,
		.pad1 = { 0 },
		.size = i->size,
		.blksize = buffer_size,
		.blocks = i->sectors,
		.atime = i->atime,
		.atime_ns = 0,
		.mtime = i->mtime,
		.mtime_ns = 0,
		.ctime = i->ctime,
		.ctime_ns = 0,
		.ino = i->ino,
	};

	return copy_to_user(at, &s, sizeof(s));
}

static int32_t stat_at(int32_t dirfd, uaddr_t path, uint32_t how, uaddr_t to, put_function put)
{
	struct inode *i;
	int err = find_path(dirfd, path, how, &i);

	if (err)
		return err;
	err = put(i, to);
	inode_put(i);
	return err;
}

static int32_t stat_file(const struct file *file, uaddr_t to, put_function put)
{
	static const struct inode pipe = { .mode = S_IFIFO | 0600, .links = 1 };

	if (!file)
		return -EBADF;
	return put(file->inode ? file->inode : &pipe, to);
}

#define AT_STATX_SYNC 0x6000u

static int32_t stat_any(int32_t dirfd, uaddr_t path, uint32_t flags, uaddr_t to, put_function put)
{
	char first;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return -EINVAL;
	if (flags & AT_EMPTY_PATH) {
		if (copy_from_user(&first, path, 1))
			return -EFAULT;
		if (!first && dirfd == AT_FDCWD)
			return put(current->cwd, to);
		if (!first)
			return stat_file(files_get(current->files, dirfd), to, put);
	}
	return stat_at(dirfd, path, flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW, to, put);
}

int32_t sys_stat64(struct trapframe *f)
{
	return stat_at(AT_FDCWD, f->ebx, LOOKUP_FOLLOW, f->ecx, put_stat);
}

int32_t sys_lstat64(struct trapframe *f)
{
	return stat_at(AT_FDCWD, f->ebx, 0, f->ecx, put_stat);
}

int32_t sys_fstat64(struct trapframe *f)
{
	return stat_file(files_get(current->files, f->ebx), f->ecx, put_stat);
}

int32_t sys_fstatat64(struct trapframe *f)
{
	return stat_any(f->ebx, f->ecx, f->esi, f->edx, put_stat);
}

int32_t sys_statx(struct trapframe *f)
{
	if (f->esi & STATX_RESERVED)
		return -EINVAL;
	return stat_any(f->ebx, f->ecx, f->edx & ~AT_STATX_SYNC, f->edi, put_statx);
}

/* --- directories ---------------------------------------------------------- */

/* The name follows, with its NUL. */
struct dirent64 {
	uint64_t ino;
	int64_t offset; /* of the next */
	uint16_t length;
	uint8_t type;
} __attribute__((packed));

/* The name follows, and the type is in the last byte of the record. */
struct dirent {
	uint32_t ino, offset;
	uint16_t length;
} __attribute__((packed));

/* One entry as a program wants it, in place of the name that lies in e.  Bytes written, or -errno.
 */
typedef int32_t (*put_entry)(const struct dir_entry *e, uint32_t next, uaddr_t at, uint32_t room);

static int32_t put_dirent64(const struct dir_entry *e, uint32_t next, uaddr_t at, uint32_t room)
{
	uint32_t size = ALIGN_UP(sizeof(struct dirent64) + e->length + 1, 8u);
	struct dirent64 d = { e->ino, next, size, e->type };

	if (size > room)
		return -EINVAL;
	if (copy_to_user(at, &d, sizeof(d)) || copy_to_user(at + sizeof(d), e->name, e->length + 1))
		return -EFAULT;
	return size;
}

static int32_t put_dirent(const struct dir_entry *e, uint32_t next, uaddr_t at, uint32_t room)
{
	uint32_t size = ALIGN_UP(sizeof(struct dirent) + e->length + 2, 4u);
	struct dirent d = { e->ino, next, size };
	uint8_t type = e->type;

	if (size > room)
		return -EINVAL;
	if (copy_to_user(at, &d, sizeof(d)) ||
	    copy_to_user(at + sizeof(d), e->name, e->length + 1) ||
	    copy_to_user(at + size - 1, &type, 1))
		return -EFAULT;
	return size;
}

/* As many entries as fit; -EINVAL when not even one does. */
static int32_t list_entries(struct file *file, struct dir_entry *e, uaddr_t at, uint32_t room,
			    put_entry put)
{
	uint32_t done = 0;

	for (;;) {
		uint32_t next = file->offset;
		int32_t n = dir_next(file->inode, &next, e);

		if (n > 0)
			n = put(e, next, at + done, room - done);
		if (n <= 0)
			return done ? (int32_t)done : n;
		done += n;
		file->offset = next;
	}
}

static int32_t get_entries(struct trapframe *f, put_entry put)
{
	struct file *file = files_get(current->files, f->ebx);
	struct dir_entry *e;
	int32_t n;

	if (!file)
		return -EBADF;
	if (file->ops != &directory_ops)
		return -ENOTDIR;
	if (!file->inode->links) /* it was removed */
		return -ENOENT;
	e = kmalloc(sizeof(*e));
	if (!e)
		return -ENOMEM;
	n = list_entries(file, e, f->ecx, MIN(f->edx, 0x7fffffffu), put);
	kfree(e);
	return n;
}

int32_t sys_getdents64(struct trapframe *f)
{
	return get_entries(f, put_dirent64);
}

int32_t sys_getdents(struct trapframe *f)
{
	return get_entries(f, put_dirent);
}
