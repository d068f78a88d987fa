/*
 * disk.c - system calls about what the disk keeps: sync, the size of files, how much room is left.
 *
 * Structures are Linux i386's, byte for byte: asm/statfs.h.
 */

#include "cpu/pda.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "mm/usercopy.h"
#include "sched/task.h"
#include "sys/sys.h"

/* --- to the disk ---------------------------------------------------------- */

/* What went wrong is told to those who ask for a file: fsync(). */
int32_t sys_sync(struct trapframe *f)
{
	(void)f;
	fs_sync();
	return 0;
}

int32_t sys_syncfs(struct trapframe *f)
{
	return files_get(current->files, f->ebx) ? fs_sync() : -EBADF;
}

int32_t sys_fsync(struct trapframe *f)
{
	struct file *file = files_get(current->files, f->ebx);

	if (!file)
		return -EBADF;
	if (file->ops != &regular_ops && file->ops != &directory_ops)
		return -EINVAL;
	return inode_sync(file->inode);
}

/* --- size ----------------------------------------------------------------- */

static int32_t set_size(struct inode *i, uint32_t low, uint32_t high)
{
	if ((int32_t)high < 0 || !inode_is(i, S_IFREG))
		return -EINVAL;
	return high || low > OFFSET_MAX ? -EFBIG : inode_truncate(i, low);
}

static int32_t truncate_file(uint32_t fd, uint32_t low, uint32_t high)
{
	struct file *file = files_get(current->files, fd);

	if (!file)
		return -EBADF;
	return may_write(file) && file->inode ? set_size(file->inode, low, high) : -EINVAL;
}

static int32_t truncate_path(uaddr_t path, uint32_t low, uint32_t high)
{
	struct inode *i;
	int err = (int32_t)high < 0 ? -EINVAL : find_path(AT_FDCWD, path, LOOKUP_FOLLOW, &i);

	if (err)
		return err;
	if (inode_is(i, S_IFDIR))
		err = -EISDIR;
	else
		err = i->texts ? -ETXTBSY : set_size(i, low, high);
	inode_put(i);
	return err;
}

static uint32_t sign_of(uint32_t low)
{
	return (int32_t)low < 0 ? ~0u : 0;
}

int32_t sys_truncate(struct trapframe *f)
{
	return truncate_path(f->ebx, f->ecx, sign_of(f->ecx));
}

int32_t sys_truncate64(struct trapframe *f)
{
	return truncate_path(f->ebx, f->ecx, f->edx);
}

int32_t sys_ftruncate(struct trapframe *f)
{
	return truncate_file(f->ebx, f->ecx, sign_of(f->ecx));
}

int32_t sys_ftruncate64(struct trapframe *f)
{
	return truncate_file(f->ebx, f->ecx, f->edx);
}

/* --- room ------------------------------------------------------------------ */

#define EXT2_MAGIC  0xef53u
#define ST_READONLY 0x0001u
#define ST_VALID    0x0020u /* the flags are */

/* What both structures have; blocks and files have 32 bits in the older, 64 in the newer. */
struct statfs_tail {
	uint32_t fsid[2], name_max, fragment_size, flags, spare[4];
};

struct statfs {
	uint32_t type, block_size;
	uint32_t blocks, free, available, files, free_files;
	struct statfs_tail tail;
};

struct statfs64 {
	uint32_t type, block_size;
	uint64_t blocks, free, available, files, free_files;
	struct statfs_tail tail;
} __attribute__((packed));

_Static_assert(sizeof(struct statfs) == 64, "struct statfs of Linux i386");
_Static_assert(sizeof(struct statfs64) == 84, "struct statfs64 of Linux i386");

static struct statfs_tail tail_of(const struct fs_room *r)
{
	return (struct statfs_tail){
		.name_max = NAME_LENGTH_MAX,
		.fragment_size = r->block_size,
		.flags = ST_VALID | (r->read_only ? ST_READONLY : 0),
	};
}

/* There is one file system: the path or descriptor only has to exist. */
static int32_t put_room(uaddr_t at)
{
	struct fs_room r;
	struct statfs s;

	fs_room(&r);
	s = (struct statfs){ EXT2_MAGIC,  r.block_size, r.blocks,      r.free,
			     r.available, r.inodes,	r.free_inodes, tail_of(&r) };
	return copy_to_user(at, &s, sizeof(s));
}

static int32_t put_room64(uint32_t size, uaddr_t at)
{
	struct fs_room r;
	struct statfs64 s;

	if (size != sizeof(s))
		return -EINVAL;
	fs_room(&r);
	s = (struct statfs64){ EXT2_MAGIC,  r.block_size, r.blocks,	 r.free,
			       r.available, r.inodes,	  r.free_inodes, tail_of(&r) };
	return copy_to_user(at, &s, sizeof(s));
}

static int find_any(uaddr_t path)
{
	struct inode *i;
	int err = find_path(AT_FDCWD, path, LOOKUP_FOLLOW, &i);

	if (!err)
		inode_put(i);
	return err;
}

int32_t sys_statfs(struct trapframe *f)
{
	int err = find_any(f->ebx);

	return err ? err : put_room(f->ecx);
}

int32_t sys_fstatfs(struct trapframe *f)
{
	return files_get(current->files, f->ebx) ? put_room(f->ecx) : -EBADF;
}

int32_t sys_statfs64(struct trapframe *f)
{
	int err = f->ecx == sizeof(struct statfs64) ? find_any(f->ebx) : -EINVAL;

	return err ? err : put_room64(f->ecx, f->edx);
}

int32_t sys_fstatfs64(struct trapframe *f)
{
	return files_get(current->files, f->ebx) ? put_room64(f->ecx, f->edx) : -EBADF;
}
