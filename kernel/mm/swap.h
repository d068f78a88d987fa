/*
 * swap.h - pages and page tables on the disk.
 *
 * The swap area is cut into slots of a page each.  An entry whose page is there is not present and
 * has PTE_SWAPPED and the slot's number; so has a directory's entry whose table is there.
 *
 *	swap.c    the slots: who uses which, moving pages to and from the disk
 *	evict.c   which pages go, and when: a clock over all spaces
 *	swapin.c  how they come back
 *	tables.c  the same for page tables
 *
 * A page goes for everybody who has it, and comes back for everybody.  So there is no swap cache,
 * nothing that finds the frame of a slot or the slot of a frame: no entry has its page at both
 * places, and a slot is free as soon as all who name it have it back.  All who have a page are
 * found without a table of who they are: only fork (and text.share) makes two spaces have one, and
 * both leave it at the same window-relative address.  Not found is who has it by a table that is
 * on the disk: he reads the page again, and has it alone.
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

/* --- making room (evict.c).  Task context, may sleep. ----------------------- */

/*
 * A frame was wanted and there was none.  True: there may be one now, try again.  False: nothing
 * can be done, or the running task is the one to die for it.
 */
bool memory_make_room(void);

/* As frames_spare(), but makes room. */
bool memory_spare(uint32_t n);

/* Handed down by proc/: kill somebody.  False: there is nobody, or it is the running task. */
extern bool (*memory_exhausted)(void);

/* The page has just been used, or will be at once: the clock spares it once. */
void evict_spare(pte_t *pte);

/* `s` will be no more: the clock's hand leaves it. */
void evict_forget(struct space *s);

/* --- coming back -------------------------------------------------------------- */

/*
 * The page at `page` of the running task's space, which is on the disk; and the next ones, as far
 * as they lie behind it there, too.  0 (look again whether it is there), -ENOMEM, -EIO.  Sleeps.
 */
int swap_in(struct space *s, uaddr_t page);

/*
 * The frame holds what `slot` is meant to hold: put it wherever an entry at `addr` names the slot.
 * Takes the caller's reference to the frame.  Slots' users in tables on the disk are not reached:
 * for them it stays there.
 */
void swap_give_back(uaddr_t addr, uint32_t slot, void *frame);

/* --- page tables (tables.c) ------------------------------------------------------ */

/* The table for `linear`, which is on the disk, comes back.  0, -ENOMEM, -EIO.  Sleeps. */
int swap_table_in(struct space *s, uint32_t linear);

/* All of them for [start, end) (linear).  The space is pinned, or they may go again. */
int swap_tables_in(struct space *s, uint32_t start, uint32_t end);

/* The space ends: free the slots that its tables on the disk name, and theirs.  Sleeps. */
void swap_forget_tables(struct space *s);

/* Memory for that.  Boot. */
bool swap_tables_init(void);

/*
 * The clock has looked at all entries of the table of directory entry `dir`.  If none is present
 * the table may go: for good if it is empty, else to the disk.
 */
enum table_fate { TABLE_STAYS, TABLE_EMPTY, TABLE_IDLE };
enum table_fate table_fate(const struct space *s, uint32_t dir);

/* Take it out of the directory; no CPU walks it any more.  Returns its frame, for the caller to
 * put. */
void *table_take_out(struct space *s, uint32_t dir, pte_t instead);
void table_put_back(struct space *s, uint32_t dir, void *table);

/* --- the slots (swap.c) ------------------------------------------------------------ */

#define SWAP_NONE UINT32_MAX

/* A free slot, with one user: the next one on the disk, if that is free.  SWAP_NONE: none is. */
uint32_t swap_take(void);

/* A user more: there are at most as many as there may be processes.  One less: free with the last.
 */
void swap_get(uint32_t slot);
void swap_put(uint32_t slot);

/* Never use it again. */
void swap_condemn(uint32_t slot);

uint32_t swap_users(uint32_t slot);

/* Is it being read or written?  And wait until some transfer has ended. */
bool swap_is_busy(uint32_t slot);
void swap_wait(void);

/* Slots on their way: they stay taken, and nobody reads them, until the end. */
struct swap_transfer {
	struct list link;
	uint32_t first, n;
};

void swap_begin(struct swap_transfer *t);
void swap_end(struct swap_transfer *t);

/* Move `n` pages to or from `first` and the slots behind it, in one request.  0, -EIO.  Sleeps. */
int swap_move(bool write, uint32_t first, uint32_t n, void *const *pages);
