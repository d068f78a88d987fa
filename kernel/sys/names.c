/*
 * names.c - system calls that make, move and remove names of files.  fs/names.c does it.
 */

#include "cpu/pda.h"
#include "fs/names.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "sched/task.h"
#include "sys/sys.h"

/* --- directories and nodes -------------------------------------------------- */

static int32_t make_at(int32_t dirfd, uaddr_t at, uint32_t mode, uint32_t rdev)
{
	struct user_path p;
	int err = user_path_get(&p, dirfd, at);

	if (err)
		return err;
	err = name_make(p.text, p.start, mode & ~current->umask, rdev);
	user_path_put(&p);
	return err;
}

#define DIRECTORY_RIGHTS 01777u

int32_t sys_mkdir(struct trapframe *f)
{
	return make_at(AT_FDCWD, f->ebx, S_IFDIR | (f->ecx & DIRECTORY_RIGHTS), 0);
}

int32_t sys_mkdirat(struct trapframe *f)
{
	return make_at(f->ebx, f->ecx, S_IFDIR | (f->edx & DIRECTORY_RIGHTS), 0);
}

/* A device's number comes as minor 19:8, major 11:0, minor 7:0; we have 8 bits for each half. */
static int32_t mknod_at(int32_t dirfd, uaddr_t at, uint32_t mode, uint32_t dev)
{
	uint32_t type = mode & S_IFMT;

	if (type == S_IFDIR)
		return -EPERM;
	if ((type == S_IFCHR || type == S_IFBLK) && dev > 0xffff)
		return -EINVAL;
	return make_at(dirfd, at, type ? mode : mode | S_IFREG, dev);
}

int32_t sys_mknod(struct trapframe *f)
{
	return mknod_at(AT_FDCWD, f->ebx, f->ecx, f->edx);
}

int32_t sys_mknodat(struct trapframe *f)
{
	return mknod_at(f->ebx, f->ecx, f->edx, f->esi);
}

/* --- links ------------------------------------------------------------------ */

static int32_t link_at(int32_t old_dirfd, uaddr_t old, int32_t dirfd, uaddr_t at, uint32_t flags)
{
	struct user_path p;
	struct inode *i;
	int err;

	if (flags & ~AT_SYMLINK_FOLLOW)
		return -EINVAL;
	err = find_path(old_dirfd, old, flags ? LOOKUP_FOLLOW : 0, &i);
	if (err)
		return err;
	err = user_path_get(&p, dirfd, at);
	if (!err) {
		err = name_link(i, p.text, p.start);
		user_path_put(&p);
	}
	inode_put(i);
	return err;
}

int32_t sys_link(struct trapframe *f)
{
	return link_at(AT_FDCWD, f->ebx, AT_FDCWD, f->ecx, 0);
}

int32_t sys_linkat(struct trapframe *f)
{
	return link_at(f->ebx, f->ecx, f->edx, f->esi, f->edi);
}

static int32_t symlink_at(uaddr_t text, int32_t dirfd, uaddr_t at)
{
	struct user_path target, p;
	int err = path_from_user(text, &target.text);

	if (err)
		return err;
	err = user_path_get(&p, dirfd, at);
	if (!err) {
		err = name_symlink(target.text, p.text, p.start);
		user_path_put(&p);
	}
	user_path_put(&target);
	return err;
}

int32_t sys_symlink(struct trapframe *f)
{
	return symlink_at(f->ebx, AT_FDCWD, f->ecx);
}

int32_t sys_symlinkat(struct trapframe *f)
{
	return symlink_at(f->ebx, f->ecx, f->edx);
}

/* --- removing and moving ---------------------------------------------------- */

static int32_t remove_at(int32_t dirfd, uaddr_t at, bool directory)
{
	struct user_path p;
	int err = user_path_get(&p, dirfd, at);

	if (err)
		return err;
	err = name_remove(p.text, p.start, directory);
	user_path_put(&p);
	return err;
}

int32_t sys_unlink(struct trapframe *f)
{
	return remove_at(AT_FDCWD, f->ebx, false);
}

int32_t sys_rmdir(struct trapframe *f)
{
	return remove_at(AT_FDCWD, f->ebx, true);
}

int32_t sys_unlinkat(struct trapframe *f)
{
	if (f->edx & ~AT_REMOVEDIR)
		return -EINVAL;
	return remove_at(f->ebx, f->ecx, f->edx);
}

#define RENAME_NOREPLACE 1u

static int32_t rename_at(int32_t from_dirfd, uaddr_t from, int32_t to_dirfd, uaddr_t to,
			 uint32_t flags)
{
	struct user_path a, b;
	int err;

	if (flags & ~RENAME_NOREPLACE)
		return -EINVAL;
	err = user_path_get(&a, from_dirfd, from);
	if (err)
		return err;
	err = user_path_get(&b, to_dirfd, to);
	if (!err) {
		err = name_rename(a.text, a.start, b.text, b.start, flags);
		user_path_put(&b);
	}
	user_path_put(&a);
	return err;
}

int32_t sys_rename(struct trapframe *f)
{
	return rename_at(AT_FDCWD, f->ebx, AT_FDCWD, f->ecx, 0);
}

int32_t sys_renameat(struct trapframe *f)
{
	return rename_at(f->ebx, f->ecx, f->edx, f->esi, 0);
}

int32_t sys_renameat2(struct trapframe *f)
{
	return rename_at(f->ebx, f->ecx, f->edx, f->esi, f->edi);
}
