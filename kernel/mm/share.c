/*
 * share.c - one frame for a page that many processes run.
 *
 * A page of a program that nobody may write is the same for all who run the program: so before it
 * is read from the file, the other spaces are asked whether one of them has it.  That is how 0.97
 * did it.  There is no cache of pages that says which frame holds which page of which file: it
 * would be one more table to keep true, and to shrink, while here the page tables themselves are
 * asked.  The price is that a page lives only as long as somebody has it; who comes later
 * reads it from the buffer cache again.
 *
 * A program may not be written to while it runs, so its file says what such a frame holds.  A file
 * that is merely mapped may have changed since, and is read by each who maps it.
 *
 * Tunable: text.share.  Lesson 7.
 */
#include "mm/space.h"

int text_share = 1;

/* Where in the file the page at `page` begins. */
static uint32_t file_offset(const struct area *a, uaddr_t page)
{
	return a->offset + (page - a->start);
}

/* Does `other` promise the same bytes at `page` as `a`, zeros behind the file's part included? */
static bool same_page(const struct area *a, const struct area *other, uaddr_t page)
{
	return other->object == a->object && other->backing == a->backing &&
	       file_offset(other, page) == file_offset(a, page) &&
	       bytes_from_file(other, page) == bytes_from_file(a, page);
}

/*
 * The frame that `s` has at `page`, if it is as the file has it: an area that may not be written
 * may have been so before (mprotect), and DIRTY remembers what became of that.
 */
static void *clean_frame(const struct space *s, uaddr_t page)
{
	pte_t *pte = pte_find(s->dir, s->base + page);

	return pte && (*pte & (PTE_P | PTE_D)) == PTE_P ? pte_frame(*pte) : NULL;
}

/*
 * A program is at the same address in all spaces that run it, so only that one is looked at: and
 * so every space that maps the frame has it at the same window-relative address, as after a fork.
 */
static void *find_frame(const struct space *s, const struct area *a, uaddr_t page)
{
	struct space *other;

	list_for_each_entry (other, &space_list, all) {
		struct area *b;
		void *frame;

		if (other == s || !other->users)
			continue;
		b = space_area(other, page);
		if (!b || b->flags & AREA_WRITE || !same_page(a, b, page))
			continue;
		frame = clean_frame(other, page);
		if (frame)
			return frame;
	}
	return NULL;
}

bool share_page(struct space *s, const struct area *a, uaddr_t page)
{
	bool may = text_share && a->backing->frozen && !(a->flags & AREA_WRITE);
	void *frame = may ? find_frame(s, a, page) : NULL;
	pte_t *pte = frame ? space_entry(s, s->base + page) : NULL;

	if (!pte || *pte)
		return false;
	frame_get(frame);
	/* Not writable, and should mprotect() allow it: the first write finds two users. */
	*pte = virt_to_phys(frame) | PTE_P | PTE_U;
	if (++s->rss > s->peak_rss)
		s->peak_rss = s->rss;
	return true;
}
