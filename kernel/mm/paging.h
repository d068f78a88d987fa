/*
 * paging.h - page directories and tables, as the i386 has them.
 *
 * Two levels: bits 31-22 of a linear address choose one of 1,024 directory entries, bits 21-12 one
 * of 1,024 entries of the table found there, bits 11-0 the byte.  SDM 3A 4.3.
 */
#pragma once

#include "mm/frame.h"

typedef uint32_t pte_t; /* an entry of either level */

#define PTE_P	0x001u /* present */
#define PTE_W	0x002u /* writable */
#define PTE_U	0x004u /* user mode may use it */
#define PTE_PWT 0x008u
#define PTE_PCD 0x010u /* not cached */
#define PTE_A	0x020u /* accessed: the processor sets it when it loads the entry */
#define PTE_D	0x040u /* dirty */
#define PTE_PS	0x080u /* directory entry: a 4 MB page */
#define PTE_G	0x100u /* global */
#define PTE_COW 0x200u /* ours: shared since a fork, copied at the next write */
#define PTE_HIDDEN                                                                    \
	0x400u /* ours, with PTE_P clear: a frame is here, but the area has no rights \
		*/
#define PTE_SWAPPED                                                                           \
	0x800u /* ours, with PTE_P clear: the page, or the table, is on the disk, in the slot \
		* that bits 31-12 name */
#define PTE_FLAGS 0xFFFu

#define PTES		 1024u
#define TABLE_SPAN	 (PTES * PAGE_SIZE) /* what one table maps: 4 MB */
#define DIR_INDEX(a)	 ((uint32_t)(a) >> 22)
#define TBL_INDEX(a)	 (((uint32_t)(a) >> 12) & 1023)
#define KERNEL_FIRST_DIR DIR_INDEX(KERNEL_BASE)

/* The directory of the kernel, and of every shared space. */
extern pte_t *common_dir;

static inline pte_t *pte_table(pte_t pde)
{
	return phys_to_virt(pde & PAGE_MASK);
}

/* The entry for `linear`, or NULL when there is no table (or a 4 MB page). */
static inline pte_t *pte_find(pte_t *dir, uint32_t linear)
{
	pte_t pde = dir[DIR_INDEX(linear)];

	if (!(pde & PTE_P) || (pde & PTE_PS))
		return NULL;
	return pte_table(pde) + TBL_INDEX(linear);
}

/* True if `pte` holds a frame, reachable or hidden. */
static inline bool pte_has_frame(pte_t pte)
{
	return pte & (PTE_P | PTE_HIDDEN);
}

static inline bool pte_is_swapped(pte_t pte)
{
	return (pte & (PTE_P | PTE_SWAPPED)) == PTE_SWAPPED;
}

static inline uint32_t pte_slot(pte_t pte)
{
	return pte >> PAGE_SHIFT;
}

static inline void *pte_frame(pte_t pte)
{
	return phys_to_virt(pte & PAGE_MASK);
}

/* Build the final kernel tables: all of RAM at KERNEL_BASE, text read-only.  Boot. */
void paging_init(void);

/*
 * From now on this CPU heeds PTE_G, if kernel pages have it (tunable page.global).  Once a CPU,
 * when the low addresses that others start at are unmapped again: else it would keep those for
 * good.
 */
void paging_init_cpu(void);

extern int page_global;

/*
 * Make physical [p, p + size) reachable and return a pointer to it: through the direct mapping (or
 * behind it), or for device registers (uncached) at the same linear address.  Boot only.  NULL: out
 * of memory or range.
 */
void *map_phys(paddr_t p, uint32_t size);
