/*
 * memory.c - system calls about the caller's address space.
 *
 * Anonymous memory and private maps of files.  Nothing is shared between processes by mmap: a
 * shared map of a file that only reads is the same as a private one, any other is refused.
 */

#include "cpu/pda.h"
#include "lib/errno.h"
#include "mm/space.h"
#include "mm/usercopy.h"
#include "proc/exec.h"
#include "sys/sys.h"

#define MAP_SHARED    0x01u
#define MAP_PRIVATE   0x02u
#define MAP_TYPE      0x0fu
#define MAP_FIXED     0x10u
#define MAP_ANONYMOUS 0x20u

/* PROT_READ, PROT_WRITE, PROT_EXEC have the values of AREA_READ, AREA_WRITE, AREA_EXEC. */
#define PROT_ALL (AREA_READ | AREA_WRITE | AREA_EXEC)

int32_t sys_brk(struct trapframe *f)
{
	return space_brk(current->space, f->ebx);
}

struct mapping {
	uaddr_t at;
	uint32_t length, rights, flags;
	int32_t fd;
	uint32_t offset; /* bytes, page-aligned */
};

/* Where it goes: where the caller insists, or where it would like if that is free, or anywhere. */
static int map_at(struct space *s, const struct mapping *m, const struct backing *backing,
		  struct inode *i, uint32_t file_len)
{
	uaddr_t at = m->at & PAGE_MASK;
	int err = -EEXIST;

	if (m->flags & MAP_FIXED) {
		if (m->at % PAGE_SIZE)
			return -EINVAL;
		err = space_unmap(s, at, m->length);
		if (err)
			return err;
	}
	if (at || (m->flags & MAP_FIXED))
		err = space_map(s, at, m->length, m->rights, backing, i, m->offset, file_len);
	if (err && !(m->flags & MAP_FIXED)) {
		at = space_find_free(s, m->length);
		if (!at)
			return -ENOMEM;
		err = space_map(s, at, m->length, m->rights, backing, i, m->offset, file_len);
	}
	return err ? err : (int)at;
}

/* The file of a mapping, if it may be mapped like that. */
static int mapped_file(const struct mapping *m, struct inode **out)
{
	struct file *file = files_get(current->files, m->fd);

	if (!file)
		return -EBADF;
	if (!file->inode || (file->inode->mode & S_IFMT) != S_IFREG)
		return -ENODEV;
	if ((m->flags & MAP_TYPE) == MAP_SHARED && (m->rights & AREA_WRITE))
		return -EACCES; /* no regular file is open for writing */
	*out = file->inode;
	return 0;
}

static int32_t map(struct mapping *m)
{
	uint32_t type = m->flags & MAP_TYPE, left;
	struct inode *i;
	int err;

	if (!m->length || (m->rights & ~PROT_ALL) || (type != MAP_PRIVATE && type != MAP_SHARED))
		return -EINVAL;
	m->length = ALIGN_UP(m->length, PAGE_SIZE);
	if (!m->length)
		return -ENOMEM;
	if (m->flags & MAP_ANONYMOUS)
		return type == MAP_SHARED ? -EINVAL : map_at(current->space, m, NULL, NULL, 0);
	err = mapped_file(m, &i);
	if (err)
		return err;
	left = i->size > m->offset ? i->size - m->offset : 0;
	return map_at(current->space, m, &inode_backing, i, MIN(left, m->length));
}

int32_t sys_mmap2(struct trapframe *f)
{
	struct mapping m = { f->ebx, f->ecx, f->edx, f->esi, f->edi, f->ebp << PAGE_SHIFT };

	if (f->ebp >> (32 - PAGE_SHIFT))
		return -EOVERFLOW;
	return map(&m);
}

/* The call of 1992: its six arguments are in memory, the offset in bytes. */
int32_t sys_mmap(struct trapframe *f)
{
	struct mapping m;

	if (copy_from_user(&m, f->ebx, sizeof(m)))
		return -EFAULT;
	return m.offset % PAGE_SIZE ? -EINVAL : map(&m);
}

int32_t sys_munmap(struct trapframe *f)
{
	uint32_t length = ALIGN_UP(f->ecx, PAGE_SIZE);

	if (f->ebx % PAGE_SIZE || !length)
		return -EINVAL;
	return space_unmap(current->space, f->ebx, length);
}

int32_t sys_mprotect(struct trapframe *f)
{
	uint32_t length = ALIGN_UP(f->ecx, PAGE_SIZE);

	if (f->ebx % PAGE_SIZE || (f->edx & ~PROT_ALL))
		return -EINVAL;
	if (!length)
		return f->ecx ? -ENOMEM : 0;
	return space_protect(current->space, f->ebx, length, f->edx);
}
