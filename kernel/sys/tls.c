/*
 * tls.c - thread-local storage: segments that a program defines for itself.
 *
 * A C library keeps what belongs to a thread behind a segment register (on i386 it is %gs), so that
 * `mov %gs:offset` finds it with no base register in use: the very trick by which the gs build
 * finds its per-processor data.  That is why the kernel must save and load %gs, and put it back
 * (cpu/pda.h).
 *
 * A task has three such segments, each a descriptor that a switch to the task puts into the GDT.
 * Their layout in a call is Linux i386's (its asm/ldt.h).
 *
 * The base is window-relative, as every address of a program's.  A C library reaches down from it,
 * too, by offsets that wrap around at 4 GB: in a private space the limit may be all of it, and
 * paging protects the kernel.  In a shared space only segments keep a program from its
 * neighbours, so that there the limit is cut at the window's end, and offsets below 0 are beyond
 * it.
 *
 * Lesson 10.
 */
#include "cpu/gdt.h"
#include "cpu/pda.h"
#include "lib/errno.h"
#include "mm/paging.h"
#include "mm/space.h"
#include "mm/usercopy.h"
#include "sched/task.h"
#include "sys/sys.h"

struct user_desc {
	int32_t entry;
	uint32_t base, limit; /* window-relative; the last byte, or page */
	uint32_t flags;
};

#define UD_32BIT       (1u << 0)
#define UD_CONTENTS    (3u << 1) /* 0: data that grows upwards */
#define UD_READ_ONLY   (1u << 3)
#define UD_IN_PAGES    (1u << 4)
#define UD_NOT_PRESENT (1u << 5)
#define UD_USEABLE     (1u << 6)
#define LIMIT_MASK     0xfffffu
#define UD_EMPTY       (UD_READ_ONLY | UD_NOT_PRESENT)

/* Bits of a descriptor, SDM 3A 3.4.5; DESC_TLS: present, ring 3's, data, 32 bits. */
#define DESC_TLS      (0xF0ull << 40 | 1ull << 54)
#define DESC_WRITE    (1ull << 41)
#define DESC_USEABLE  (1ull << 52)
#define DESC_IN_PAGES (1ull << 55)

/* Linux clears a slot for either of these. */
static bool is_empty(const struct user_desc *u)
{
	return !u->base && !u->limit && (u->flags == UD_EMPTY || !u->flags);
}

/* The limit of `u` in its units, cut at the end of a window that is not all of user memory. */
static uint32_t limit_in(const struct space *s, const struct user_desc *u)
{
	uint32_t left = s->limit - u->base - 1;

	if (s->limit == KERNEL_BASE)
		return u->limit & LIMIT_MASK;
	return MIN(u->limit & LIMIT_MASK, u->flags & UD_IN_PAGES ? left >> PAGE_SHIFT : left);
}

static int build(const struct space *s, const struct user_desc *u, uint64_t *out)
{
	uint64_t limit;

	*out = 0;
	if (is_empty(u))
		return 0;
	if (!(u->flags & UD_32BIT) || (u->flags & (UD_CONTENTS | UD_NOT_PRESENT)))
		return -EINVAL;
	if (s->limit != KERNEL_BASE && u->base >= s->limit)
		return -EINVAL;
	limit = limit_in(s, u);
	*out = gdt_with_base(DESC_TLS | (limit & 0xffff) | (limit & 0xf0000) << 32,
			     s->base + u->base) |
	       (u->flags & UD_READ_ONLY ? 0 : DESC_WRITE) |
	       (u->flags & UD_IN_PAGES ? DESC_IN_PAGES : 0) |
	       (u->flags & UD_USEABLE ? DESC_USEABLE : 0);
	return 0;
}

static void tell(const struct space *s, uint64_t descriptor, struct user_desc *u)
{
	u->base = u->limit = 0;
	u->flags = UD_EMPTY;
	if (!descriptor)
		return;
	u->base = gdt_base(descriptor) - s->base;
	u->limit = (descriptor & 0xffff) | (descriptor >> 32 & 0xf0000);
	u->flags = UD_32BIT | (descriptor & DESC_WRITE ? 0 : UD_READ_ONLY) |
		   (descriptor & DESC_IN_PAGES ? UD_IN_PAGES : 0) |
		   (descriptor & DESC_USEABLE ? UD_USEABLE : 0);
}

/* A free slot, or -ESRCH. */
static int32_t free_slot(const struct segments *s)
{
	for (int32_t i = 0; i < TLS_SLOTS; i++)
		if (!s->tls[i])
			return i;
	return -ESRCH;
}

/* Entry -1 asks for a free one, whose number the program finds in its structure. */
int32_t sys_set_thread_area(struct trapframe *f)
{
	struct task *t = current;
	struct user_desc u;
	uint64_t descriptor;
	int32_t slot, err;

	if (copy_from_user(&u, f->ebx, sizeof(u)))
		return -EFAULT;
	slot = u.entry == -1 ? free_slot(&t->segments) : u.entry - GDT_TLS;
	if (u.entry == -1 && slot < 0)
		return slot;
	if (slot < 0 || slot >= TLS_SLOTS)
		return -EINVAL;
	err = build(t->space, &u, &descriptor);
	if (err)
		return err;
	u.entry = GDT_TLS + slot;
	if (copy_to_user(f->ebx, &u.entry, sizeof(u.entry)))
		return -EFAULT;
	t->segments.tls[slot] = descriptor;
	segments_changed(&t->segments, t->space->base, t->space->limit);
	gdt_set_segments(&t->segments, t->space->limit);
	user_gs_set(f, user_gs(f)); /* a register that holds it now has the new one */
	return 0;
}

int32_t sys_get_thread_area(struct trapframe *f)
{
	struct task *t = current;
	struct user_desc u;
	uint32_t slot;

	if (copy_from_user(&u, f->ebx, sizeof(u)))
		return -EFAULT;
	slot = u.entry - GDT_TLS;
	if (slot >= TLS_SLOTS)
		return -EINVAL;
	tell(t->space, t->segments.tls[slot], &u);
	return copy_to_user(f->ebx, &u, sizeof(u));
}
