/*
 * attributes.c - system calls that change what is known of a file: rights, owner, times.
 *
 * Each fills a struct inode_attributes and hands it to one function, which finds the file.  Times
 * on the disk are whole seconds.
 */

#include "cpu/pda.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "mm/usercopy.h"
#include "sched/task.h"
#include "sys/sys.h"

/* A new owner is not given what the old one's program may do (POSIX). */
static void take_special_rights(const struct inode *i, struct inode_attributes *a)
{
	if (inode_is(i, S_IFDIR))
		return;
	a->what |= SET_MODE;
	a->mode = i->mode & 01777;
	if (!(i->mode & 0010)) /* then it is no right, but a mark for locking */
		a->mode |= i->mode & 02000;
}

static int32_t set(struct inode *i, struct inode_attributes *a)
{
	if (a->what & (SET_UID | SET_GID))
		take_special_rights(i, a);
	return inode_set(i, a);
}

static int32_t set_at(int32_t dirfd, uaddr_t path, uint32_t how, struct inode_attributes *a)
{
	struct inode *i;
	int err = find_path(dirfd, path, how, &i);

	if (err)
		return err;
	err = set(i, a);
	inode_put(i);
	return err;
}

/* Of an open file; a pipe keeps nothing. */
static int32_t set_file(uint32_t fd, struct inode_attributes *a)
{
	struct file *file = files_get(current->files, fd);

	if (!file)
		return -EBADF;
	return file->inode ? set(file->inode, a) : 0;
}

/* --- rights ----------------------------------------------------------------- */

static struct inode_attributes rights(uint32_t mode)
{
	return (struct inode_attributes){ .what = SET_MODE, .mode = mode & 07777 };
}

int32_t sys_chmod(struct trapframe *f)
{
	struct inode_attributes a = rights(f->ecx);

	return set_at(AT_FDCWD, f->ebx, LOOKUP_FOLLOW, &a);
}

int32_t sys_fchmod(struct trapframe *f)
{
	struct inode_attributes a = rights(f->ecx);

	return set_file(f->ebx, &a);
}

int32_t sys_fchmodat(struct trapframe *f)
{
	struct inode_attributes a = rights(f->edx);

	return set_at(f->ebx, f->ecx, LOOKUP_FOLLOW, &a);
}

/* --- owners ----------------------------------------------------------------- */

/* -1: stays as it is. */
static struct inode_attributes owner(uint32_t uid, uint32_t gid)
{
	return (struct inode_attributes){
		.what = (uid != ~0u ? SET_UID : 0) | (gid != ~0u ? SET_GID : 0),
		.uid = uid,
		.gid = gid,
	};
}

/* The calls of 1992, with 16 bits. */
static struct inode_attributes owner16(uint32_t uid, uint32_t gid)
{
	return owner((uint32_t)(int16_t)uid == ~0u ? ~0u : (uint16_t)uid,
		     (uint32_t)(int16_t)gid == ~0u ? ~0u : (uint16_t)gid);
}

int32_t sys_chown(struct trapframe *f)
{
	struct inode_attributes a = owner(f->ecx, f->edx);

	return set_at(AT_FDCWD, f->ebx, LOOKUP_FOLLOW, &a);
}

int32_t sys_lchown(struct trapframe *f)
{
	struct inode_attributes a = owner(f->ecx, f->edx);

	return set_at(AT_FDCWD, f->ebx, 0, &a);
}

int32_t sys_fchown(struct trapframe *f)
{
	struct inode_attributes a = owner(f->ecx, f->edx);

	return set_file(f->ebx, &a);
}

int32_t sys_chown16(struct trapframe *f)
{
	struct inode_attributes a = owner16(f->ecx, f->edx);

	return set_at(AT_FDCWD, f->ebx, LOOKUP_FOLLOW, &a);
}

int32_t sys_lchown16(struct trapframe *f)
{
	struct inode_attributes a = owner16(f->ecx, f->edx);

	return set_at(AT_FDCWD, f->ebx, 0, &a);
}

int32_t sys_fchown16(struct trapframe *f)
{
	struct inode_attributes a = owner16(f->ecx, f->edx);

	return set_file(f->ebx, &a);
}

int32_t sys_fchownat(struct trapframe *f)
{
	struct inode_attributes a = owner(f->edx, f->esi);
	uint32_t flags = f->edi;

	if (flags & ~AT_SYMLINK_NOFOLLOW)
		return -EINVAL;
	return set_at(f->ebx, f->ecx, flags ? 0 : LOOKUP_FOLLOW, &a);
}

/* --- times ------------------------------------------------------------------ */

#define MICRO	   1000000u
#define NANO	   1000000000u
#define UTIME_NOW  0x3fffffffu
#define UTIME_OMIT 0x3ffffffeu

/* Without a path, the open file `dirfd` itself. */
static int32_t set_times(int32_t dirfd, uaddr_t path, uint32_t how, struct inode_attributes *a)
{
	return path ? set_at(dirfd, path, how, a) : set_file(dirfd, a);
}

static struct inode_attributes times(uint32_t atime, uint32_t mtime)
{
	return (struct inode_attributes){
		.what = SET_ATIME | SET_MTIME,
		.atime = atime,
		.mtime = mtime,
	};
}

static struct inode_attributes now(void)
{
	return times(time_of_day(), time_of_day());
}

int32_t sys_utime(struct trapframe *f)
{
	struct inode_attributes a = now();
	uint32_t at[2];

	if (f->ecx) {
		if (copy_from_user(at, f->ecx, sizeof(at)))
			return -EFAULT;
		a = times(at[0], at[1]);
	}
	return set_at(AT_FDCWD, f->ebx, LOOKUP_FOLLOW, &a);
}

/* Two times, each seconds and a fraction, which has to be less than `unit`. */
struct pair {
	struct {
		uint32_t seconds, fraction;
	} time[2];
};

/* `at`: a pair in the program's memory, or NULL.  What is to be set.  0, -EFAULT, -EINVAL. */
static int read_times(uaddr_t at, uint32_t unit, struct inode_attributes *a)
{
	struct pair p;

	*a = now();
	if (!at)
		return 0;
	if (copy_from_user(&p, at, sizeof(p)))
		return -EFAULT;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t fraction = p.time[i].fraction;

		if (fraction < unit)
			*(i ? &a->mtime : &a->atime) = p.time[i].seconds;
		else if (unit == NANO && fraction == UTIME_OMIT)
			a->what &= ~(i ? SET_MTIME : SET_ATIME);
		else if (unit != NANO || fraction != UTIME_NOW)
			return -EINVAL;
	}
	return 0;
}

static int32_t set_timevals(int32_t dirfd, uaddr_t path, uaddr_t at)
{
	struct inode_attributes a;
	int err = read_times(at, MICRO, &a);

	return err ? err : set_times(dirfd, path, LOOKUP_FOLLOW, &a);
}

int32_t sys_utimes(struct trapframe *f)
{
	return f->ebx ? set_timevals(AT_FDCWD, f->ebx, f->ecx) : -EFAULT;
}

int32_t sys_futimesat(struct trapframe *f)
{
	return set_timevals(f->ebx, f->ecx, f->edx);
}

int32_t sys_utimensat(struct trapframe *f)
{
	uint32_t flags = f->esi;
	struct inode_attributes a;
	int err = flags & ~AT_SYMLINK_NOFOLLOW ? -EINVAL : read_times(f->edx, NANO, &a);

	if (err || !a.what)
		return err;
	return set_times(f->ebx, f->ecx, flags ? 0 : LOOKUP_FOLLOW, &a);
}
