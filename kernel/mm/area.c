/*
 * area.c - what a space has where.
 *
 * A space's areas are a sorted list of ranges, each with rights and a source for its pages: a file
 * or zeros.  Nothing is mapped when an area is made: pages come one at a time, by faults (fault.c).
 *
 * Addresses here are window-relative.
 */
#include "cpu/tlb.h"
#include "lib/errno.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "mm/swap.h"
#include "telemetry.h"

#define RIGHTS (AREA_READ | AREA_WRITE | AREA_EXEC)

struct area *space_area(struct space *s, uaddr_t addr)
{
	struct area *a;

	list_for_each_entry (a, &s->areas, link) {
		if (addr < a->start)
			return NULL;
		if (addr < a->end)
			return a;
	}
	return NULL;
}

static bool in_window(const struct space *s, uaddr_t start, uint32_t len)
{
	return start % PAGE_SIZE == 0 && len && len <= s->limit && start <= s->limit - len;
}

/* The area before which one that starts at `start` belongs: the list's place for it. */
static struct list *place_for(struct space *s, uaddr_t start)
{
	struct area *a;

	list_for_each_entry (a, &s->areas, link)
		if (a->start >= start)
			return &a->link;
	return &s->areas;
}

static bool overlaps(struct space *s, uaddr_t start, uaddr_t end)
{
	struct area *a;

	list_for_each_entry (a, &s->areas, link)
		if (a->start < end && start < a->end)
			return true;
	return false;
}

/* A neighbour that the new zero-filled range can simply extend: keeps the list short. */
static bool extend_neighbour(struct space *s, uaddr_t start, uaddr_t end, uint32_t flags)
{
	struct area *a;

	if (flags & (AREA_STACK | AREA_HEAP))
		return false;
	list_for_each_entry (a, &s->areas, link) {
		if (a->backing || a->flags != flags)
			continue;
		if (a->end == start) {
			a->end = end;
			return true;
		}
		if (a->start == end) {
			a->start = start;
			return true;
		}
	}
	return false;
}

int space_map(struct space *s, uaddr_t start, uint32_t len, uint32_t flags,
	      const struct backing *backing, void *object, uint32_t offset, uint32_t file_len)
{
	struct area *a;
	uaddr_t end;

	len = ALIGN_UP(len, PAGE_SIZE);
	if (!in_window(s, start, len))
		return -EINVAL;
	end = start + len;
	if (overlaps(s, start, end))
		return -EEXIST;
	if (!backing && extend_neighbour(s, start, end, flags))
		return 0;
	a = kzalloc(sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->start = start;
	a->end = end;
	a->flags = flags;
	a->backing = backing;
	a->object = object;
	a->offset = offset;
	a->file_len = file_len;
	if (backing)
		backing->get(object);
	list_add_tail(&a->link, place_for(s, start));
	return 0;
}

static void area_free(struct area *a)
{
	list_del(&a->link);
	if (a->backing)
		a->backing->put(a->object); /* may sleep: the pager must not find it any more */
	kfree(a);
}

/* Cut `a` in two at `at`, which lies inside it; `a` stays the lower part.  0 or -ENOMEM. */
static int area_split(struct area *a, uaddr_t at)
{
	struct area *upper = kmalloc(sizeof(*upper));
	uint32_t lower_len = at - a->start;

	if (!upper)
		return -ENOMEM;
	*upper = *a;
	upper->start = at;
	upper->offset += lower_len;
	upper->file_len -= MIN(upper->file_len, lower_len);
	a->end = at;
	a->file_len = MIN(a->file_len, lower_len);
	if (upper->backing)
		upper->backing->get(upper->object);
	list_add(&upper->link, &a->link);
	return 0;
}

/* Make area boundaries at both ends of the range.  0 or -ENOMEM. */
static int split_at(struct space *s, uaddr_t start, uaddr_t end)
{
	uaddr_t cuts[] = { start, end };

	for (uint32_t i = 0; i < ARRAY_SIZE(cuts); i++) {
		struct area *a = space_area(s, cuts[i]);

		if (a && a->start != cuts[i] && area_split(a, cuts[i]))
			return -ENOMEM;
	}
	return 0;
}

/* Before pages of the range go: their tables are there, and areas end where it does.  May sleep. */
static int prepare(struct space *s, uaddr_t start, uaddr_t end)
{
	int error = 0;

	if (unlikely(s->tables_swapped)) {
		s->pinned++;
		error = swap_tables_in(s, s->base + start, s->base + end);
		s->pinned--;
	}
	return error ? error : split_at(s, start, end);
}

bool space_drop_pages(struct space *s, uaddr_t start, uaddr_t end)
{
	uint32_t linear = s->base + start, stop = s->base + end;
	bool any = false;

	while (linear < stop) {
		pte_t *pte = pte_find(s->dir, linear);
		uint32_t table_end = MIN(ALIGN_DOWN(linear, TABLE_SPAN) + TABLE_SPAN, stop);

		for (; pte && linear < table_end; linear += PAGE_SIZE, pte++) {
			pte_t was = *pte;

			if (!was)
				continue;
			*pte = 0;
			if (unlikely(!pte_has_frame(was))) {
				swap_put(pte_slot(was));
				s->swapped--;
				telemetry.swap.pages--;
				continue;
			}
			frame_put(pte_frame(was));
			s->rss--;
			any = true;
		}
		linear = table_end;
	}
	return any;
}

/*
 * The frames are free before the flush, but nobody else can take one: the kernel lock is held until
 * it is done.  The last user's private directory needs no flush: no task will use it again.
 */
int space_unmap(struct space *s, uaddr_t start, uint32_t len)
{
	struct area *a, *next;
	uaddr_t end;
	bool any = false;
	int error;

	len = ALIGN_UP(len, PAGE_SIZE);
	if (!in_window(s, start, len))
		return -EINVAL;
	end = start + len;
	error = prepare(s, start, end);
	if (error)
		return error;
	list_for_each_entry_safe (a, next, &s->areas, link) {
		if (a->start < start || a->start >= end)
			continue;
		any |= space_drop_pages(s, a->start, a->end);
		area_free(a);
	}
	if (any && (s->users || s->model == SPACE_SHARED))
		tlb_shootdown(s, s->base + start, s->base + end);
	return 0;
}

/* Give the present pages of `a` the rights it has now.  Write comes back by a fault. */
static void area_apply_rights(struct space *s, struct area *a)
{
	uint32_t end = s->base + a->end;

	for (uint32_t linear = s->base + a->start; linear < end; linear += PAGE_SIZE) {
		pte_t *pte = pte_find(s->dir, linear);

		if (!pte) { /* no table: on to the next one */
			linear = ALIGN_DOWN(linear, TABLE_SPAN) + TABLE_SPAN - PAGE_SIZE;
			continue;
		}
		if (!pte_has_frame(*pte))
			continue;
		if (!(a->flags & AREA_WRITE))
			*pte &= ~PTE_W;
		if (a->flags & RIGHTS)
			*pte = (*pte & ~PTE_HIDDEN) | PTE_P;
		else
			*pte = (*pte & ~PTE_P) | PTE_HIDDEN;
	}
}

int space_protect(struct space *s, uaddr_t start, uint32_t len, uint32_t rights)
{
	struct area *a;
	uaddr_t end, at = start;

	len = ALIGN_UP(len, PAGE_SIZE);
	if (!in_window(s, start, len))
		return -EINVAL;
	end = start + len;
	for (; at < end; at = a->end)
		if (!(a = space_area(s, at)))
			return -ENOMEM;
	if (split_at(s, start, end))
		return -ENOMEM;
	list_for_each_entry (a, &s->areas, link) {
		if (a->start < start || a->start >= end)
			continue;
		a->flags = (a->flags & ~RIGHTS) | (rights & RIGHTS);
		area_apply_rights(s, a);
	}
	tlb_shootdown(s, s->base + start, s->base + end);
	return 0;
}

uaddr_t space_find_free(struct space *s, uint32_t len)
{
	uaddr_t top = space_stack_top(s) - STACK_LIMIT;
	struct list *l;

	len = ALIGN_UP(len, PAGE_SIZE);
	for (l = s->areas.prev; l != &s->areas; l = l->prev) {
		struct area *a = list_entry(l, struct area, link);

		if (a->start >= top)
			continue;
		if (a->end <= top && top - a->end >= len)
			return top - len;
		top = MIN(top, a->start);
	}
	/* Never page 0: a null pointer stays one. */
	return top > len && top - len >= PAGE_SIZE ? top - len : 0;
}

uaddr_t space_brk(struct space *s, uaddr_t brk)
{
	uaddr_t start = ALIGN_UP(s->brk_start, PAGE_SIZE);
	uaddr_t old_end = MAX(ALIGN_UP(s->brk, PAGE_SIZE), start), end;

	if (brk < s->brk_start || brk > space_stack_top(s) - STACK_LIMIT)
		return s->brk;
	end = MAX(ALIGN_UP(brk, PAGE_SIZE), start);
	if (end > old_end) {
		struct area *heap = old_end > start ? space_area(s, old_end - PAGE_SIZE) : NULL;

		if (overlaps(s, old_end, end))
			return s->brk;
		if (heap && heap->flags & AREA_HEAP)
			heap->end = end;
		else if (space_map(s, old_end, end - old_end, AREA_READ | AREA_WRITE | AREA_HEAP,
				   NULL, NULL, 0, 0))
			return s->brk;
	} else if (end < old_end && space_unmap(s, end, old_end - end)) {
		return s->brk;
	}
	return s->brk = brk;
}
