/*
 * swapin.c - pages come back from the disk.
 *
 * The one idea: whoever needs a page brings it back for all who have it and whose tables are in
 * memory.  They share the frame again, as they did before it went.  What follows a page both in
 * memory and on the disk comes with it, while there is room: it costs no other turn of the plate.
 *
 * A page from the disk is DIRTY: what it holds is nowhere else.
 */
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/swap.h"
#include "telemetry.h"

#define AHEAD 8 /* pages that one request brings, at most */

/* Only so much of memory is not too precious for pages that nobody asked for yet. */
static bool room_for_more(void)
{
	return frames_of[FRAME_FREE] > frames_total / 32;
}

/* The entry of the page at `addr` in `s`, if that has it in `slot`. */
static pte_t *entry_naming(struct space *s, uaddr_t addr, uint32_t slot)
{
	pte_t *pte = s->users && addr < s->limit ? pte_find(s->dir, s->base + addr) : NULL;

	return pte && pte_is_swapped(*pte) && pte_slot(*pte) == slot ? pte : NULL;
}

/* Flags of an entry by the rights of its area; to a page that others have, too, no writing yet. */
static pte_t flags_for(struct space *s, uaddr_t addr, bool alone)
{
	const struct area *a = space_area(s, addr);
	pte_t flags = PTE_U | PTE_D;

	if (!a || !(a->flags & (AREA_READ | AREA_WRITE | AREA_EXEC)))
		return flags | PTE_HIDDEN;
	if (a->flags & AREA_WRITE)
		flags |= alone ? PTE_W : PTE_COW;
	return flags | PTE_P;
}

void swap_give_back(uaddr_t addr, uint32_t slot, void *frame)
{
	bool alone = swap_users(slot) == 1;
	struct space *s;

	list_for_each_entry (s, &space_list, all) {
		pte_t *pte = entry_naming(s, addr, slot);

		if (!pte)
			continue;
		*pte = virt_to_phys(frame) | flags_for(s, addr, alone);
		frame_get(frame);
		swap_put(slot);
		s->swapped--;
		telemetry.swap.pages--;
		if (++s->rss > s->peak_rss)
			s->peak_rss = s->rss;
		if (alone)
			break;
	}
	frame_put(frame);
}

/* Frames for the page of `pte` and for those of the entries behind it that are behind it on the
 * disk, too.  How many. */
static uint32_t take_frames(const pte_t *pte, void **frame)
{
	const pte_t *end = (const pte_t *)ALIGN_DOWN((uint32_t)pte, PAGE_SIZE) + PTES;
	uint32_t slot = pte_slot(*pte), n = 0;

	while (n < AHEAD && pte + n < end && pte_is_swapped(pte[n]) &&
	       pte_slot(pte[n]) == slot + n && !swap_is_busy(slot + n)) {
		if (n && !room_for_more())
			break;
		frame[n] = frame_alloc(FRAME_USER);
		if (!frame[n])
			break;
		n++;
	}
	return n;
}

static void drop_frames(void **frame, uint32_t from, uint32_t end)
{
	for (uint32_t i = from; i < end; i++)
		frame_put(frame[i]);
}

int swap_in(struct space *s, uaddr_t page)
{
	pte_t *pte = pte_find(s->dir, s->base + page);
	uint32_t slot = pte_slot(*pte), n;
	void *frame[AHEAD];
	int error;

	if (swap_is_busy(slot)) { /* on its way out, or in: for another who has it */
		swap_wait();
		return 0;
	}
	n = take_frames(pte, frame);
	if (!n)
		return -ENOMEM;
	s->pinned++;
	error = swap_move(false, slot, n, frame);
	if (error && n > 1) { /* the page itself may be readable */
		drop_frames(frame, 1, n);
		n = 1;
		error = swap_move(false, slot, 1, frame);
	}
	s->pinned--;
	if (error) {
		drop_frames(frame, 0, n);
		return -EIO;
	}
	for (uint32_t i = 0; i < n; i++)
		swap_give_back(page + i * PAGE_SIZE, slot + i, frame[i]);
	telemetry.swap.data_in += n;
	pte = pte_find(s->dir, s->base + page);
	if (pte_has_frame(*pte))
		evict_spare(pte);
	return 0;
}
