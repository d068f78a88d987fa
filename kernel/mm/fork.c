/*
 * fork.c - a copy of a space, made by sharing.
 *
 * Areas are copied; pages are not: parent and child get the same frames, read-only, and whoever
 * writes first gets a copy then (fault.c).  Of a page on the disk they get the same slot.  Page
 * tables are copied, as in 1992, since every private space needs its own.
 */
#include "cpu/tlb.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "mm/swap.h"
#include "telemetry.h"

static int copy_areas(struct space *from, struct space *to)
{
	struct area *a;

	list_for_each_entry (a, &from->areas, link) {
		struct area *copy = kmalloc(sizeof(*copy));

		if (!copy)
			return -ENOMEM;
		*copy = *a;
		if (copy->backing)
			copy->backing->get(copy->object);
		list_add_tail(&copy->link, &to->areas);
	}
	return 0;
}

/* Share `n` entries of one table.  True: the parent lost a right to write. */
static bool share_entries(struct space *to, pte_t *src, pte_t *dst, uint32_t n)
{
	bool lost = false;

	for (pte_t *end = src + n; src < end; src++, dst++) {
		pte_t pte = *src;

		if (!pte_has_frame(pte)) {
			if (unlikely(pte)) {
				swap_get(pte_slot(pte));
				*dst = pte;
				to->swapped++;
				telemetry.swap.pages++;
			}
			continue;
		}
		if (pte & PTE_W) {
			pte = (pte & ~PTE_W) | PTE_COW;
			*src = pte;
			lost = true;
		}
		frame_get(pte_frame(pte));
		*dst = pte & ~PTE_A;
		to->rss++;
	}
	return lost;
}

/* 0 or -ENOMEM; *lost is set if the parent must be flushed, in either case. */
static int share_pages(struct space *from, struct space *to, const struct area *a, bool *lost)
{
	uaddr_t at = a->start;

	while (at < a->end) {
		pte_t *src = pte_find(from->dir, from->base + at), *dst;
		uaddr_t stop = MIN(ALIGN_DOWN(at, TABLE_SPAN) + TABLE_SPAN, a->end);

		if (src) {
			dst = space_entry(to, to->base + at);
			if (!dst)
				return -ENOMEM;
			*lost |= share_entries(to, src, dst, (stop - at) / PAGE_SIZE);
		}
		at = stop;
	}
	return 0;
}

/*
 * A fork promises copies that it does not make.  These frames must be there, so that a bomb
 * of forks is told -ENOMEM while what already runs can still go on.
 */
#define SPARE_FOR_FORK 32u

int space_fork(struct space *s, struct space **out)
{
	struct space *copy;
	struct area *a;
	bool lost = false;
	int error;

	s->pinned++; /* all of its tables are needed at a time */
	error = swap_tables_in(s, s->base, s->base + s->limit);
	if (!error && !memory_spare(s->tables + MIN(SPARE_FOR_FORK, frames_total / 32)))
		error = -ENOMEM;
	s->pinned--;
	if (!error)
		error = space_create(s->model, &copy);
	if (error)
		return error;
	error = copy_areas(s, copy);
	if (!error)
		list_for_each_entry (a, &s->areas, link)
			if ((error = share_pages(s, copy, a, &lost)))
				break;
	if (lost)
		tlb_shootdown(s, s->base, s->base + s->limit);
	if (error) {
		space_unuse(copy);
		return error;
	}
	copy->brk_start = s->brk_start;
	copy->brk = s->brk;
	copy->peak_rss = copy->rss;
	str_copy(copy->name, s->name, sizeof(copy->name));
	*out = copy;
	return 0;
}
