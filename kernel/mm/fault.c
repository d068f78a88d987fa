/*
 * fault.c - a page when it is first needed.
 *
 * A fault is a question: may this task do this here?  The area says yes or no; if yes the page is
 * made to be there: taken from a neighbour (share.c), read from its file, filled with zeros,
 * copied because it was shared, or brought back from the disk.
 */
#include "cpu/tlb.h"
#include "cpu/trap.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/space.h"
#include "mm/swap.h"

pte_t *space_entry(struct space *s, uint32_t linear)
{
	pte_t *pde = &s->dir[DIR_INDEX(linear)];

	if (unlikely(!(*pde & PTE_P))) {
		pte_t *table = frame_alloc_zeroed(FRAME_TABLE);

		if (!table)
			return NULL;
		*pde = virt_to_phys(table) | PTE_P | PTE_W | PTE_U;
		s->table_map[DIR_INDEX(linear) / 32] |= 1u << DIR_INDEX(linear) % 32;
		s->tables++;
	}
	return pte_table(*pde) + TBL_INDEX(linear);
}

/* The stack area, if `addr` is where it may grow to: grown.  What is mapped in its way stops it. */
static struct area *grow_stack(struct space *s, uaddr_t addr)
{
	uaddr_t top = space_stack_top(s);
	struct area *stack = list_last(&s->areas, struct area, link);
	struct area *below = list_entry(stack->link.prev, struct area, link);

	if (list_empty(&s->areas) || !(stack->flags & AREA_STACK))
		return NULL;
	if (addr >= stack->start || addr < top - STACK_LIMIT)
		return NULL;
	if (&below->link != &s->areas && addr < below->end)
		return NULL;
	stack->start = ALIGN_DOWN(addr, PAGE_SIZE);
	return stack;
}

uint32_t bytes_from_file(const struct area *a, uaddr_t page)
{
	uint32_t at = page - a->start;

	return a->backing && at < a->file_len ? MIN(a->file_len - at, PAGE_SIZE) : 0;
}

/* Fill in a page that was not there.  Reading may sleep, so the entry is looked up afterwards. */
static int fault_absent(struct space *s, struct area *a, uaddr_t page)
{
	uint32_t n = bytes_from_file(a, page), flags = PTE_P | PTE_U;
	char *frame;
	pte_t *pte;

	if (n && share_page(s, a, page))
		return 0;
	frame = n ? frame_alloc(FRAME_USER) : frame_alloc_zeroed(FRAME_USER);
	if (!frame)
		return -ENOMEM;
	if (a->flags & AREA_WRITE)
		flags |= PTE_W;
	if (n) {
		int error;

		s->pinned++;
		error = a->backing->read(a->object, a->offset + (page - a->start), frame, n);
		s->pinned--;
		if (error) {
			frame_put(frame);
			return error == -ENOMEM ? -ENOMEM : -EIO;
		}
		memset(frame + n, 0, PAGE_SIZE - n);
		if (share_page(s, a, page)) { /* who read it at the same time was faster */
			frame_put(frame);
			return 0;
		}
	}
	pte = space_entry(s, s->base + page);
	if (!pte || pte_has_frame(*pte)) {
		frame_put(frame);
		return pte ? 0 : -ENOMEM;
	}
	*pte = virt_to_phys(frame) | flags;
	if (++s->rss > s->peak_rss)
		s->peak_rss = s->rss;
	return 0;
}

/* A write to a page that is there but read-only, in an area that may be written: the copy of
 * copy-on-write. */
static int fault_write(struct space *s, pte_t *pte, uint32_t linear)
{
	void *old = pte_frame(*pte), *copy;

	if (frame_of(old)->refs == 1) {
		*pte = (*pte & ~PTE_COW) | PTE_W;
		tlb_flush_page(linear);
		return 0;
	}
	copy = frame_alloc(FRAME_USER);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, old, PAGE_SIZE);
	*pte = virt_to_phys(copy) | PTE_P | PTE_U | PTE_W | PTE_A | PTE_D; /* we wrote it */
	frame_put(old);
	tlb_shootdown(s, linear, linear + PAGE_SIZE);
	return 0;
}

int space_fault(struct space *s, uaddr_t addr, uint32_t error)
{
	struct area *a = space_area(s, addr);
	uaddr_t page = ALIGN_DOWN(addr, PAGE_SIZE);
	uint32_t linear = s->base + page;
	bool write = error & PF_WRITE;
	int failed;
	pte_t *pte;

	s->faults++;
	if (unlikely(!a) && !(a = grow_stack(s, addr)))
		return -EFAULT;
	if (write ? !(a->flags & AREA_WRITE) : !(a->flags & (AREA_READ | AREA_EXEC)))
		return -EFAULT;
	if (unlikely(pte_is_swapped(s->dir[DIR_INDEX(linear)])) &&
	    (failed = swap_table_in(s, linear)))
		return failed;
	pte = pte_find(s->dir, linear);
	if (!pte || !*pte)
		return fault_absent(s, a, page);
	if (unlikely(pte_is_swapped(*pte)))
		return swap_in(s, page);
	if (write && !(*pte & PTE_W))
		return fault_write(s, pte, linear);
	/* It is there by now: this CPU had cached an older entry. */
	tlb_flush_page(linear);
	return 0;
}

int space_resolve(struct space *s, uaddr_t addr, uint32_t error)
{
	int failed;

	do {
		failed = space_fault(s, addr, error);
	} while (unlikely(failed == -ENOMEM) && memory_make_room());
	return failed;
}

void *space_writable(struct space *s, uaddr_t at)
{
	pte_t *pte;

	if (at >= s->limit)
		return NULL;
	while (!(pte = pte_find(s->dir, s->base + at)) ||
	       (*pte & (PTE_P | PTE_W)) != (PTE_P | PTE_W)) {
		uint32_t present = pte && (*pte & PTE_P) ? PF_PRESENT : 0;

		if (space_resolve(s, at, PF_USER | PF_WRITE | present))
			return NULL;
	}
	*pte |= PTE_A | PTE_D; /* which the processor sets only when it writes through the entry */
	return (char *)phys_to_virt(*pte & PAGE_MASK) + at % PAGE_SIZE;
}
