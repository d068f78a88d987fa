/*
 * swap.h - pages and page tables on the disk.
 *
 * The swap area is cut into slots of a page each.  An entry whose page is there is not present and
 * has PTE_SWAPPED and the slot's number; so has a directory's entry whose table is there.
 *
 *	swap.c    the slots: who uses which, moving pages to and from the disk
 *	evict.c   which pages go: a clock over all spaces
 *	swapin.c  how they, and their tables, come back
 */
#pragma once

#include "mm/space.h"

extern int swap_tables;	    /* tunable swap.tables: page tables may go, too */
extern int swap_invalidate; /* tunable swap.invalidate: to clear ACCESSED is to flush */
extern int swap_fail;	    /* tunable swap.fail: enum swap_failure, for tests of errors */

enum swap_failure { SWAP_WORKS, SWAP_READ_FAILS, SWAP_WRITE_FAILS };

/* Find the swap area, if there is one.  Boot, in a task. */
void swap_init(void);

/* For display: users of a slot (0: free), and whether it is in use for a transfer, or bad. */
enum swap_slot_state { SLOT_FREE, SLOT_USED, SLOT_BUSY, SLOT_BAD };
enum swap_slot_state swap_slot_state(uint32_t slot, uint32_t *users);
