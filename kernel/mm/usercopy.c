/*
 * usercopy.c - the only way to user memory.
 *
 * An address is checked against the window, made linear, and then simply used: a fault on the way
 * is resolved like one of the program's own (a page not read yet, a copy-on-write), and if it
 * cannot be, the copy ends with -EFAULT through the exception table.
 *
 * On a 386 ring 0 writes through read-only pages (no CR0.WP), so there each page is first made
 * writable.
 */
#include "mm/usercopy.h"
#include "cpu/pda.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/io.h"
#include "mm/space.h"
#include "sched/task.h"

/* The linear address of [addr, addr + n) of the running task, or NULL when out of its window. */
static inline void *user_range(uaddr_t addr, size_t n)
{
	struct space *s = current->space;

	if (!s || n > s->limit || addr > s->limit - n)
		return NULL;
	return (void *)(s->base + addr);
}

/* Without CR0.WP: resolve by hand the write faults that will not come. */
static noinline int make_writable(uaddr_t addr, size_t n)
{
	struct space *s = current->space;
	uaddr_t end = addr + n;

	for (uaddr_t page = ALIGN_DOWN(addr, PAGE_SIZE); page < end; page += PAGE_SIZE) {
		pte_t *pte;

		while (!(pte = pte_find(s->dir, s->base + page)) ||
		       (*pte & (PTE_P | PTE_W)) != (PTE_P | PTE_W))
			if (space_resolve(s, page, PF_WRITE))
				return -EFAULT;
	}
	return 0;
}

static inline void *writable_range(uaddr_t addr, size_t n)
{
	void *p = user_range(addr, n);

	if (unlikely(!cpu_has_wp) && p && make_writable(addr, n))
		return NULL;
	return p;
}

int copy_from_user(void *dst, uaddr_t src, size_t n)
{
	void *p = user_range(src, n);

	return p ? copy_faulting(dst, p, n) : -EFAULT;
}

int copy_to_user(uaddr_t dst, const void *src, size_t n)
{
	void *p = writable_range(dst, n);

	return p ? copy_faulting(p, src, n) : -EFAULT;
}

int clear_user(uaddr_t dst, size_t n)
{
	void *p = writable_range(dst, n);

	return p ? fill_faulting(p, n) : -EFAULT;
}

int get_user32(uint32_t *out, uaddr_t src)
{
	return copy_from_user(out, src, sizeof(*out));
}

int put_user32(uaddr_t dst, uint32_t v)
{
	return copy_to_user(dst, &v, sizeof(v));
}

/* Byte by byte: what lies behind the NUL is not touched, it may not be there. */
ssize_t copy_string_from_user(char *dst, uaddr_t src, size_t size)
{
	struct space *s = current->space;
	size_t room, left;
	char last = 1;
	int error = 0;

	if (!s || src >= s->limit)
		return -EFAULT;
	left = room = MIN(size, s->limit - src);
	if (!room)
		return -ENAMETOOLONG;
	src += s->base;
	asm volatile("1:	lodsb\n"
		     "	stosb\n"
		     "	testb %%al, %%al\n"
		     "	loopne 1b\n"
		     "2:\n"
		     "	.subsection 1\n"
		     "3:	movl %5, %4\n"
		     "	jmp 2b\n"
		     "	.previous\n"
		     "	.pushsection .extable, \"a\"\n"
		     "	.long 1b, 3b\n"
		     "	.popsection"
		     : "+D"(dst), "+S"(src), "+c"(left), "+a"(last), "+r"(error)
		     : "i"(-EFAULT)
		     : "memory", "cc");
	if (error)
		return error;
	if (last)
		return room < size ? -EFAULT : -ENAMETOOLONG; /* the window ended, or dst */
	return room - left - 1;
}

/* --- struct io ------------------------------------------------------------------ */

void io_user(struct io *io, uaddr_t addr, size_t n)
{
	struct space *s = current->space;

	io->at = (char *)(s->base + addr);
	io->left = n;
	io->safe = cpu_has_wp && n <= s->limit && addr <= s->limit - n;
}

int io_check(const struct io *io, size_t n, bool write)
{
	uaddr_t addr = (uaddr_t)io->at - current->space->base;

	if (!user_range(addr, n) || (write && !cpu_has_wp && make_writable(addr, n)))
		return -EFAULT;
	return 0;
}
