/*
 * fork.c - a copy of a space, made by sharing.
 *
 * Areas are copied; pages are not: parent and child get the same frames, read-only, and whoever
 * writes first gets a copy then (fault.c).  Of a page on the disk they get the same slot.  Page
 * tables are copied, as in 1992, since every private space needs its own.
 *
 * Or each page that may be written is copied here and now (fork.copy=eager), as Unix did before it
 * had paging: nobody will have to fault for a copy, and all of it must fit.  A page on the disk is
 * not read for that: it is copied when it is back.
 *
 * Tunable: fork.copy.  Lesson 7.
 */
#include "cpu/tlb.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "mm/swap.h"
#include "telemetry.h"

int fork_eager;

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

/* A page on the disk.  Rare: out of the loops, which have more use for the registers. */
static noinline void share_slot(struct space *to, pte_t *dst, pte_t pte)
{
	swap_get(pte_slot(pte));
	*dst = pte;
	to->swapped++;
	telemetry.swap.pages++;
}

/*
 * Share `n` entries of one table.  True: the parent lost a right to write.
 *
 * DIRTY is inherited: it says that the page is not what its file, or zeros, would give.
 */
static inline bool share_entries(struct space *to, pte_t *src, pte_t *dst, uint32_t n)
{
	bool lost = false;

	for (pte_t *end = src + n; src < end; src++, dst++) {
		pte_t pte = *src;

		if (!pte_has_frame(pte)) {
			if (unlikely(pte))
				share_slot(to, dst, pte);
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

/*
 * The eager side: pages of their own for `n` entries of one table.  The parent keeps its rights.
 * A copy is as dirty as its original.  Memory was asked for before: 0, or -ENOMEM all the same.
 */
static noinline int copy_entries(struct space *to, pte_t *src, pte_t *dst, uint32_t n)
{
	for (pte_t *end = src + n; src < end; src++, dst++) {
		pte_t pte = *src;
		void *copy;

		if (!pte_has_frame(pte)) {
			if (unlikely(pte))
				share_slot(to, dst, pte);
			continue;
		}
		copy = frame_alloc(FRAME_USER);
		if (!copy)
			return -ENOMEM;
		memcpy(copy, pte_frame(pte), PAGE_SIZE);
		*dst = virt_to_phys(copy) | PTE_W | (pte & PTE_FLAGS & ~(PTE_A | PTE_COW));
		to->rss++;
	}
	return 0;
}

/* 0 or -ENOMEM; *lost is set if the parent must be flushed, in either case. */
static int share_pages(struct space *from, struct space *to, const struct area *a, bool *lost)
{
	bool copies = fork_eager && a->flags & AREA_WRITE;
	uaddr_t at = a->start;

	while (at < a->end) {
		pte_t *src = pte_find(from->dir, from->base + at), *dst;
		uaddr_t stop = MIN(ALIGN_DOWN(at, TABLE_SPAN) + TABLE_SPAN, a->end);
		uint32_t n = (stop - at) / PAGE_SIZE;

		if (src) {
			dst = space_entry(to, to->base + at);
			if (!dst)
				return -ENOMEM;
			if (likely(!copies))
				*lost |= share_entries(to, src, dst, n);
			else if (copy_entries(to, src, dst, n))
				return -ENOMEM;
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

/* What must be there before the copy begins: nothing in it may sleep, or the parent changes. */
static uint32_t frames_wanted(const struct space *s)
{
	return s->tables + MIN(SPARE_FOR_FORK, frames_total / 32) + (fork_eager ? s->rss : 0);
}

int space_fork(struct space *s, struct space **out)
{
	struct space *copy;
	struct area *a;
	bool lost = false;
	int error = 0;

	s->pinned++; /* all of its tables are needed at a time */
	if (unlikely(s->tables_swapped))
		error = swap_tables_in(s, s->base, s->base + s->limit);
	if (!error && !memory_spare(frames_wanted(s)))
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
