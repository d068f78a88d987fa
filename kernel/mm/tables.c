/*
 * tables.c - page tables on the disk.
 *
 * A table none of whose pages is present says only where on the disk they are.  Nobody needs to
 * know until one of them is wanted: so the table may follow its pages, and the directory remembers
 * where it is.  What is saved is a frame; what it costs is claim A4: the first page that is wanted
 * again takes two reads, the table's and its own.
 *
 * A directory, which the processor stands on, stays as long as its process does.
 *
 * Tunable: swap.tables.  Lesson 6.
 */
#include "cpu/tlb.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/swap.h"
#include "telemetry.h"

int swap_tables = 1;

static struct telemetry_swap *const count = &telemetry.swap;

/* --- going ------------------------------------------------------------------------ */

enum table_fate table_fate(const struct space *s, uint32_t dir)
{
	const pte_t *table = pte_table(s->dir[dir]);
	pte_t any = 0;

	if (!swap_tables || s->pinned)
		return TABLE_STAYS;
	for (uint32_t i = 0; i < PTES; i++) {
		if (pte_has_frame(table[i]))
			return TABLE_STAYS;
		any |= table[i];
	}
	return any ? TABLE_IDLE : TABLE_EMPTY;
}

void *table_take_out(struct space *s, uint32_t dir, pte_t instead)
{
	void *table = pte_table(s->dir[dir]);

	s->dir[dir] = instead;
	s->table_map[dir / 32] &= ~(1u << dir % 32);
	s->tables--;
	tlb_flush_cpus(tlb_cpus_on(s));
	if (instead) {
		s->tables_swapped++;
		count->tables++;
	} else {
		count->table_dropped++;
	}
	return table;
}

void table_put_back(struct space *s, uint32_t dir, void *table)
{
	s->dir[dir] = virt_to_phys(table) | PTE_P | PTE_W | PTE_U;
	s->table_map[dir / 32] |= 1u << dir % 32;
	s->tables++;
	s->tables_swapped--;
	count->tables--;
}

/* --- coming back ------------------------------------------------------------------- */

int swap_table_in(struct space *s, uint32_t linear)
{
	pte_t *pde = &s->dir[DIR_INDEX(linear)];
	uint32_t slot = pte_slot(*pde);
	void *table;
	int error;

	while (swap_is_busy(slot)) /* still on its way out */
		swap_wait();
	if (!pte_is_swapped(*pde)) /* it could not be written */
		return 0;
	table = frame_alloc(FRAME_TABLE);
	if (!table)
		return -ENOMEM;
	error = swap_move(false, slot, 1, &table);
	if (error) {
		frame_put(table);
		return error;
	}
	table_put_back(s, DIR_INDEX(linear), table);
	swap_put(slot);
	count->table_in++;
	return 0;
}

int swap_tables_in(struct space *s, uint32_t start, uint32_t end)
{
	int error = 0;

	if (!s->tables_swapped)
		return 0;
	for (uint32_t dir = DIR_INDEX(start); !error && dir <= DIR_INDEX(end - 1); dir++) {
		while (pte_is_swapped(s->dir[dir]) &&
		       (error = swap_table_in(s, dir * TABLE_SPAN)) == -ENOMEM &&
		       memory_make_room())
			;
	}
	return error;
}

/* --- the end ------------------------------------------------------------------------ */

/* No memory is asked for at the end of a process that may be dying for lack of it. */
static pte_t *scratch;
static bool scratch_taken;

bool swap_tables_init(void)
{
	scratch = frame_alloc(FRAME_KERNEL);
	return scratch;
}

/* Everything that the table in `slot` names.  0, -EIO. */
static int forget_table(struct space *s, uint32_t slot)
{
	int error;

	scratch_taken = true;
	error = swap_move(false, slot, 1, (void *const *)&scratch);
	scratch_taken = false;
	for (uint32_t i = 0; !error && i < PTES; i++) {
		if (!scratch[i])
			continue;
		swap_put(pte_slot(scratch[i]));
		s->swapped--;
		count->pages--;
	}
	swap_put(slot);
	return error;
}

void swap_forget_tables(struct space *s)
{
	uint32_t lost = 0;

	s->pinned++;
	for (uint32_t dir = DIR_INDEX(s->base); s->tables_swapped; dir++) {
		while (pte_is_swapped(s->dir[dir]) &&
		       (scratch_taken || swap_is_busy(pte_slot(s->dir[dir]))))
			swap_wait();
		if (!pte_is_swapped(s->dir[dir]))
			continue;
		lost += forget_table(s, pte_slot(s->dir[dir])) != 0;
		s->dir[dir] = 0;
		s->tables_swapped--;
		count->tables--;
	}
	s->pinned--;
	if (lost)
		klog("swap: %u tables of %s cannot be read: slots they name stay taken\n", lost,
		     s->name);
}
