/*
 * evict.c - which pages go when memory is short.
 *
 * The one idea is a clock: its hand goes round all entries of all tables of all spaces.  A page
 * that was used since the hand last came by (the processor has set ACCESSED) is spared and its mark
 * is cleared; one that was not must go.  Nobody does this beforehand: who needs a frame and finds
 * none turns the hand until a batch of frames is free.
 *
 * What goes where:
 *  - a page that is as its file has it, or all zeros, is dropped: it can be made again;
 *  - any other is written to a slot; a batch of them lies in slots in a row, and goes in one
 * request;
 *  - a table behind whose entries the hand found nothing present follows its pages (tables.c).
 *
 * Clearing ACCESSED in memory does not clear it in a TLB: as long as the entry stays cached there
 * no walk sets it again, and a page in use looks idle.  swap.invalidate=on flushes whoever may have
 * it cached; off does as 0.97 did.
 *
 * Taking a page away from several CPUs: the entry goes first, in one atomic step (another may set
 * DIRTY in it until then), then all TLBs, and only then the page is written.
 *
 * Tunables: swap.invalidate, swap.tables.  Lesson 6.
 */
#include "cpu/pda.h"
#include "cpu/tlb.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "lib/list.h"
#include "mm/swap.h"
#include "sched/task.h"
#include "sched/wait.h"
#include "telemetry.h"

#define BATCH 16	  /* frames that are freed at a time */
#define MOST  (BATCH + 1) /* the last page of a table, and the table */
#define FEW   4 /* less than that of all memory is not worth going on: better one process dies */

int swap_invalidate = 1;
bool (*memory_exhausted)(void);

static struct telemetry_swap *const count = &telemetry.swap;

/* Where the hand stands: before an entry of a space, which may be NULL for the first of all. */
static struct {
	struct space *space;
	uint32_t linear;
} hand;

/* What the running turn of the hand has found.  One turns it, others wait. */
static struct {
	bool busy;
	struct waitq end;
	uint32_t freed;
	uint32_t cpus; /* whose TLBs may still have what was taken out */
	bool full;     /* no slot for a page that needed one */
	uint32_t n;    /* to be written */
	uint32_t runs; /* of slots in a row, a request each */
	struct swap_transfer run[MOST];
	struct {
		uint32_t slot;
		struct space *
			table_of; /* of a table: its space, with a reference, and its place there */
		uint32_t dir;
		uaddr_t addr; /* of a page, in every space that has it */
	} out[MOST];
	void *frame[MOST];
} turn = { .end = WAITQ_INIT(turn.end) };

/* --- was it used? ------------------------------------------------------------------- */

/* The bit that a model of a TLB keeps in the place of ACCESSED; NULL: none does. */
static uint32_t *model_bit(pte_t pte, uint32_t *mask)
{
	uint32_t n = pte >> PAGE_SHIFT;

	if (swap_invalidate || !telemetry.accessed_kept || n >= telemetry.accessed_frames)
		return NULL;
	*mask = 1u << n % 32;
	return (uint32_t *)phys_to_virt(telemetry.accessed) + n / 32;
}

static bool was_used(const struct space *s, pte_t *pte)
{
	uint32_t mask, *word = model_bit(*pte, &mask);

	if (word)
		return __sync_fetch_and_and(word, ~mask) & mask;
	if (!(*pte & PTE_A))
		return false;
	__sync_fetch_and_and(pte, ~PTE_A);
	if (swap_invalidate)
		turn.cpus |= tlb_cpus_on(s);
	return true;
}

void evict_spare(pte_t *pte)
{
	uint32_t mask, *word = model_bit(*pte, &mask);

	if (word)
		__sync_fetch_and_or(word, mask);
	__sync_fetch_and_or(pte, PTE_A);
}

/* --- one page ----------------------------------------------------------------------- */

/* The next space behind `s` (NULL: the first) that has `frame` at `addr`, with its entry. */
static struct space *next_with(struct space *s, uaddr_t addr, const void *frame, pte_t **entry)
{
	struct list *l = s ? s->all.next : space_list.next;

	for (; l != &space_list; l = l->next) {
		s = list_entry(l, struct space, all);
		*entry = s->users && addr < s->limit ? pte_find(s->dir, s->base + addr) : NULL;
		if (*entry && pte_has_frame(**entry) && pte_frame(**entry) == frame)
			return s;
	}
	return NULL;
}

/* Look at all entries that have the frame: may it go, and is what it holds anywhere else? */
static bool may_go(uaddr_t addr, const void *frame, bool *dirty)
{
	uint32_t found = 0;
	struct space *s = NULL;
	uint32_t mask;
	pte_t *pte;

	*dirty = false;
	while ((s = next_with(s, addr, frame, &pte))) {
		found++;
		if (*pte & PTE_A && !model_bit(*pte, &mask))
			return false; /* another has used it */
		if (*pte & PTE_D)
			*dirty = true;
	}
	return found == frame_of(frame)->refs;
}

/* Take the page out everywhere, which makes its frame the caller's. */
static void take_out(uaddr_t addr, void *frame, pte_t instead)
{
	struct space *s = NULL;
	pte_t *pte;

	frame_get(frame);
	while ((s = next_with(s, addr, frame, &pte))) {
		xchg32(pte, instead);
		turn.cpus |= tlb_cpus_on(s);
		s->rss--;
		frame_put(frame);
		if (!instead)
			continue;
		swap_get(pte_slot(instead));
		s->swapped++;
		count->pages++;
	}
}

/* A slot for the next of the batch; SWAP_NONE: there is none. */
static uint32_t take_slot(void)
{
	struct swap_transfer *last = &turn.run[turn.runs - 1];
	uint32_t slot = swap_take();

	if (slot == SWAP_NONE)
		turn.full = true;
	else if (turn.runs && slot == last->first + last->n)
		last->n++;
	else
		turn.run[turn.runs++] = (struct swap_transfer){ .first = slot, .n = 1 };
	return slot;
}

/*
 * A page without DIRTY is dropped, unless another CPU writes to it in this very moment: only one
 * that has it alone can.
 */
static void drop_page(uaddr_t addr, void *frame)
{
	struct space *s;
	pte_t *pte, old;

	if (frame_of(frame)->refs == 1) {
		s = next_with(NULL, addr, frame, &pte);
		old = *pte;
		if (old & PTE_D || !__sync_bool_compare_and_swap(pte, old, 0))
			return;
		turn.cpus |= tlb_cpus_on(s);
		s->rss--;
		frame_put(frame);
	} else {
		take_out(addr, frame, 0);
		frame_put(frame);
	}
	turn.freed++;
	count->data_dropped++;
}

static void write_page(uaddr_t addr, void *frame)
{
	uint32_t slot = turn.full ? SWAP_NONE : take_slot();

	if (slot == SWAP_NONE)
		return;
	take_out(addr, frame, slot << PAGE_SHIFT | PTE_SWAPPED);
	swap_put(slot); /* ours; those of the entries are left */
	turn.out[turn.n].slot = slot;
	turn.out[turn.n].table_of = NULL;
	turn.out[turn.n].addr = addr;
	turn.frame[turn.n++] = frame;
}

/*
 * The model has one mark for a frame, not one for each entry.  So of several that have the frame
 * the first looks at it for all: the next would find what that has just cleared, and take it for
 * idle.
 */
static bool mark_is_anothers(const struct space *s, uaddr_t addr, pte_t pte)
{
	uint32_t mask;
	pte_t *first;

	return frame_of(pte_frame(pte))->refs > 1 && model_bit(pte, &mask) &&
	       next_with(NULL, addr, pte_frame(pte), &first) != s;
}

/* The hand passes `pte`. */
static void look(struct space *s, uint32_t linear, pte_t *pte)
{
	void *frame = pte_frame(*pte);
	uaddr_t addr = linear - s->base;
	bool dirty;

	if (mark_is_anothers(s, addr, *pte))
		return;
	count->scanned++;
	if (was_used(s, pte))
		count->cleared++;
	else if (!may_go(addr, frame, &dirty))
		return;
	else if (dirty)
		write_page(addr, frame);
	else
		drop_page(addr, frame);
}

/* --- one table ------------------------------------------------------------------------ */

/* The hand leaves a table. */
static void leave_table(struct space *s, uint32_t dir)
{
	enum table_fate fate = table_fate(s, dir);
	uint32_t slot;

	if (fate == TABLE_EMPTY) {
		frame_put_zeroed(table_take_out(s, dir, 0));
		turn.freed++;
	} else if (fate == TABLE_IDLE && !turn.full && (slot = take_slot()) != SWAP_NONE) {
		turn.out[turn.n].slot = slot;
		turn.out[turn.n].table_of = s;
		turn.out[turn.n].dir = dir;
		turn.frame[turn.n++] = table_take_out(s, dir, slot << PAGE_SHIFT | PTE_SWAPPED);
		space_get(s);
	}
}

static bool enough(void)
{
	return turn.freed + turn.n >= BATCH;
}

/* The hand moves on through a table.  False: it stopped inside, there is enough. */
static bool pass_table(struct space *s, uint32_t dir)
{
	pte_t *table = pte_table(s->dir[dir]);
	uint32_t end = dir * TABLE_SPAN + (TABLE_SPAN - PAGE_SIZE);

	for (;; hand.linear += PAGE_SIZE) {
		pte_t *pte = &table[TBL_INDEX(hand.linear)];

		if (enough())
			return false;
		if (pte_has_frame(*pte))
			look(s, hand.linear, pte);
		if (hand.linear == end)
			break;
	}
	leave_table(s, dir);
	return true;
}

/* --- the hand --------------------------------------------------------------------------- */

/* The first table at or behind directory entry `dir`; KERNEL_FIRST_DIR: none. */
static uint32_t next_table(const struct space *s, uint32_t dir)
{
	while (dir < KERNEL_FIRST_DIR && !(s->table_map[dir / 32] >> dir % 32 & 1))
		dir = s->table_map[dir / 32] >> dir % 32 ? dir + 1 : ALIGN_DOWN(dir, 32) + 32;
	return dir;
}

/* False: there is enough. */
static bool pass_space(struct space *s)
{
	uint32_t dir = next_table(s, DIR_INDEX(hand.linear));

	while (dir < KERNEL_FIRST_DIR) {
		if (dir != DIR_INDEX(hand.linear))
			hand.linear = dir * TABLE_SPAN;
		if (!pass_table(s, dir))
			return false;
		dir = next_table(s, dir + 1);
	}
	return true;
}

static void move_to(struct space *s)
{
	hand.space = s;
	hand.linear = s ? s->base : 0;
}

void evict_forget(struct space *s)
{
	struct list *next = s->all.next;

	if (unlikely(hand.space == s))
		move_to(next == &space_list ? NULL : list_entry(next, struct space, all));
}

static void flush(void)
{
	tlb_flush_cpus(turn.cpus);
	turn.cpus = 0;
}

/* Not init: if it could not be brought back from a bad disk all others would go with it. */
static bool may_lose(const struct space *s)
{
	return s->users && s->pid != PID_INIT;
}

/*
 * Twice round at most: the second time finds all whose mark the first has cleared.  False: it went
 * round, and found too little.
 */
static bool turn_hand(void)
{
	uint32_t ends = 0;

	while (ends < 3) {
		if (!hand.space) {
			flush(); /* or what is in use looks idle when the hand comes back */
			ends++;
			if (list_empty(&space_list))
				break;
			move_to(list_first(&space_list, struct space, all));
		}
		if (may_lose(hand.space) && !pass_space(hand.space))
			return true;
		evict_forget(hand.space); /* on to the next */
	}
	return turn.freed + turn.n >= FEW;
}

/* --- to the disk --------------------------------------------------------------------------- */

/* Write a run, whose first page is number `first` of the batch.  A bit for each that failed. */
static uint32_t write_run(const struct swap_transfer *run, uint32_t first)
{
	uint32_t failed = 0;

	if (!swap_move(true, run->first, run->n, &turn.frame[first]))
		return 0;
	for (uint32_t i = 0; i < run->n; i++) /* which of them was it? */
		if (swap_move(true, run->first + i, 1, &turn.frame[first + i]))
			failed |= 1u << (first + i);
	return failed;
}

/*
 * The disk has page or table `i`; or it has not, then that comes back to where it was.  A page
 * comes back to its table, so if any page has to, all tables do, before it.
 */
static void finish_table(uint32_t i, bool failed)
{
	struct space *s = turn.out[i].table_of;

	if (failed && pte_is_swapped(s->dir[turn.out[i].dir])) {
		table_put_back(s, turn.out[i].dir, turn.frame[i]);
		swap_put(turn.out[i].slot);
	} else {
		frame_put(turn.frame[i]);
		turn.freed++;
		count->table_out++;
	}
	space_put(s);
}

static void finish_page(uint32_t i, bool failed)
{
	if (failed) {
		swap_give_back(turn.out[i].addr, turn.out[i].slot, turn.frame[i]);
	} else {
		frame_put(turn.frame[i]);
		turn.freed++;
		count->data_out++;
	}
}

/* The slots stay busy from before anybody sleeps until all of this is settled. */
static void write_batch(void)
{
	uint32_t first = 0, failed = 0;

	for (uint32_t r = 0; r < turn.runs; r++)
		swap_begin(&turn.run[r]);
	for (uint32_t r = 0; r < turn.runs; r++) {
		failed |= write_run(&turn.run[r], first);
		first += turn.run[r].n;
	}
	for (uint32_t i = 0; i < turn.n; i++)
		if (turn.out[i].table_of)
			finish_table(i, failed);
	for (uint32_t i = 0; i < turn.n; i++)
		if (!turn.out[i].table_of)
			finish_page(i, failed >> i & 1);
	for (uint32_t r = 0; r < turn.runs; r++)
		swap_end(&turn.run[r]);
	for (uint32_t i = 0; i < turn.n; i++)
		if (failed >> i & 1 && !swap_users(turn.out[i].slot))
			swap_condemn(turn.out[i].slot);
}

/* Some frames more.  False: there is too little to be had. */
static bool make_room(void)
{
	struct space *own = current->space;
	bool found;

	if (turn.busy) {
		sleep_on(&turn.end);
		return true;
	}
	turn.busy = true;
	turn.n = turn.runs = turn.freed = turn.cpus = 0;
	turn.full = false;
	if (own) /* its table is about to be used */
		own->pinned++;
	found = turn_hand();
	flush();
	write_batch();
	if (own)
		own->pinned--;
	turn.busy = false;
	wake_all(&turn.end);
	return found && turn.freed;
}

bool memory_spare(uint32_t n)
{
	while (!frames_spare(n))
		if (current->oom_killed || !(frames_write_back(false) || make_room()))
			return false;
	return true;
}

bool memory_make_room(void)
{
	if (current->oom_killed)
		return false;
	/* What is only to be written back need not be read again, as a program's page will be. */
	return frames_write_back(false) || make_room() || frames_reclaim(FEW) ||
	       frames_write_back(true) || (memory_exhausted && memory_exhausted());
}
