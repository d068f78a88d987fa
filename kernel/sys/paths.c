/*
 * paths.c - system calls that take the name of a file, and the current directory.
 */

#include "cpu/pda.h"
#include "fs/namei.h"
#include "fs/names.h"
#include "lib/errno.h"
#include "mm/frame.h"
#include "mm/usercopy.h"
#include "sched/task.h"
#include "sys/sys.h"

int path_from_user(uaddr_t at, char **out)
{
	char *path = frame_alloc(FRAME_KERNEL);
	ssize_t n;

	if (!path)
		return -ENOMEM;
	n = copy_string_from_user(path, at, PATH_LENGTH_MAX);
	if (n > 0) {
		*out = path;
		return 0;
	}
	frame_put(path);
	return n ? n : -ENOENT;
}

/* Where a relative path of an ...at() call starts.  No reference.  0, -EBADF, -ENOTDIR. */
static int start_of_path(int32_t dirfd, struct inode **out)
{
	struct file *file;

	if (dirfd == AT_FDCWD) {
		*out = current->cwd;
		return 0;
	}
	file = files_get(current->files, dirfd);
	if (!file)
		return -EBADF;
	if (!file->inode || (file->inode->mode & S_IFMT) != S_IFDIR)
		return -ENOTDIR;
	*out = file->inode;
	return 0;
}

int user_path_get(struct user_path *p, int32_t dirfd, uaddr_t at)
{
	int err = path_from_user(at, &p->text);

	if (err)
		return err;
	p->start = NULL;
	if (p->text[0] != '/')
		err = start_of_path(dirfd, &p->start);
	if (err)
		frame_put(p->text);
	return err;
}

void user_path_put(struct user_path *p)
{
	frame_put(p->text);
}

int find_path(int32_t dirfd, uaddr_t at, uint32_t how, struct inode **out)
{
	struct user_path p;
	int err = user_path_get(&p, dirfd, at);

	if (err)
		return err;
	err = path_lookup(p.text, p.start, how, out);
	user_path_put(&p);
	return err;
}

/* --- open ----------------------------------------------------------------- */

static int create_path(const struct user_path *p, uint32_t flags, uint32_t mode, struct file **out)
{
	bool created;
	struct inode *i;
	int err;

	if (flags & O_DIRECTORY)
		return -EINVAL;
	err = name_create(p->text, p->start, flags, mode & ~current->umask, &i, &created);
	if (err)
		return err;
	return file_open(i, created ? flags & ~O_TRUNC : flags, out);
}

static int open_path(const struct user_path *p, uint32_t flags, uint32_t mode, struct file **out)
{
	uint32_t how = flags & O_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
	struct inode *i;
	int err;

	if (flags & O_CREAT)
		return create_path(p, flags, mode, out);
	if (flags & O_DIRECTORY)
		how |= LOOKUP_DIRECTORY;
	err = path_lookup(p->text, p->start, how, &i);
	return err ? err : file_open(i, flags, out);
}

/* The place comes first: without one no file must be made or cut. */
static int32_t open_at(int32_t dirfd, uaddr_t at, uint32_t flags, uint32_t mode)
{
	int fd = files_place(current->files, 0);
	struct user_path p;
	struct file *file;
	int err = user_path_get(&p, dirfd, at);

	if (err)
		return err;
	err = fd < 0 ? fd : open_path(&p, flags, mode, &file);
	user_path_put(&p);
	if (err)
		return err;
	files_set(current->files, fd, file, flags & O_CLOEXEC);
	return fd;
}

int32_t sys_open(struct trapframe *f)
{
	return open_at(AT_FDCWD, f->ebx, f->ecx, f->edx);
}

int32_t sys_creat(struct trapframe *f)
{
	return open_at(AT_FDCWD, f->ebx, O_CREAT | O_WRONLY | O_TRUNC, f->ecx);
}

int32_t sys_openat(struct trapframe *f)
{
	return open_at(f->ebx, f->ecx, f->edx, f->esi);
}

/* --- where one is --------------------------------------------------------- */

static void move_to(struct inode *folder)
{
	struct inode *old = current->cwd;

	current->cwd = folder;
	inode_put(old);
}

int32_t sys_chdir(struct trapframe *f)
{
	struct inode *folder;
	int err = find_path(AT_FDCWD, f->ebx, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &folder);

	if (!err)
		move_to(folder);
	return err;
}

int32_t sys_fchdir(struct trapframe *f)
{
	struct inode *folder;
	int err;

	if ((int32_t)f->ebx < 0)
		return -EBADF;
	err = start_of_path(f->ebx, &folder);
	if (!err)
		move_to(inode_ref(folder));
	return err;
}

int32_t sys_getcwd(struct trapframe *f)
{
	char *path = frame_alloc(FRAME_KERNEL);
	ssize_t n;

	if (!path)
		return -ENOMEM;
	n = path_of(current->cwd, path, PAGE_SIZE);
	if (n >= 0)
		n++; /* with its NUL, as Linux counts */
	if (n > 0 && (uint32_t)n > f->ecx)
		n = -ERANGE;
	if (n > 0 && copy_to_user(f->ebx, path, n))
		n = -EFAULT;
	frame_put(path);
	return n;
}

/* --- rights --------------------------------------------------------------- */

#define R_OK 4u
#define W_OK 2u
#define X_OK 1u

/* The superuser may do all, but write to what is read-only and execute what nobody may. */
static int check_access(const struct inode *i, uint32_t wanted)
{
	uint32_t type = i->mode & S_IFMT;
	struct fs_room room;

	fs_room(&room);
	if ((wanted & W_OK) && room.read_only && (type == S_IFREG || type == S_IFDIR))
		return -EROFS;
	if ((wanted & X_OK) && type != S_IFDIR && !(i->mode & 0111))
		return -EACCES;
	return 0;
}

static int32_t access_at(int32_t dirfd, uaddr_t path, uint32_t wanted)
{
	struct inode *i;
	int err;

	if (wanted & ~(R_OK | W_OK | X_OK))
		return -EINVAL;
	err = find_path(dirfd, path, LOOKUP_FOLLOW, &i);
	if (err)
		return err;
	err = check_access(i, wanted);
	inode_put(i);
	return err;
}

int32_t sys_access(struct trapframe *f)
{
	return access_at(AT_FDCWD, f->ebx, f->ecx);
}

int32_t sys_faccessat(struct trapframe *f)
{
	return access_at(f->ebx, f->ecx, f->edx);
}

static int32_t readlink_at(int32_t dirfd, uaddr_t path, uaddr_t to, int32_t size)
{
	struct inode *i;
	char *target;
	ssize_t n;
	int err;

	if (size <= 0)
		return -EINVAL;
	err = find_path(dirfd, path, 0, &i);
	if (err)
		return err;
	target = frame_alloc(FRAME_KERNEL);
	if (!target)
		n = -ENOMEM;
	else if ((i->mode & S_IFMT) != S_IFLNK)
		n = -EINVAL;
	else
		n = inode_readlink(i, target, PAGE_SIZE);
	if (n > 0) {
		n = MIN(n, size); /* cut without a word, and no NUL: so it is specified */
		if (copy_to_user(to, target, n))
			n = -EFAULT;
	}
	if (target)
		frame_put(target);
	inode_put(i);
	return n;
}

int32_t sys_readlink(struct trapframe *f)
{
	return readlink_at(AT_FDCWD, f->ebx, f->ecx, f->edx);
}

int32_t sys_readlinkat(struct trapframe *f)
{
	return readlink_at(f->ebx, f->ecx, f->edx, f->esi);
}
