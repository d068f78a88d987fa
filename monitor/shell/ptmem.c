/*
 * ptmem.c - what page tables cost, by process, and in one of them table by table.
 *
 * The instrument of claim A3.  A table is a frame, and most of its 1,024 entries are empty: what is
 * paid is frames, what is used is entries.  Both are counted here from the tables themselves.
 *
 * A table on the disk (swap.tables) costs no frame; what is in it nobody knows without reading it.
 * Lessons 2, 5 and 6.
 */
#include "lib/printf.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

/* What a process has; of its tables on the disk only how many. */
struct usage {
	uint32_t dir;	  /* directories of its own: 1 or 0 */
	uint32_t tables;  /* in memory, the directory not counted */
	uint32_t present; /* entries with a page in memory */
	uint32_t swapped; /* entries with a page on the disk */
};

static void use_table(const pte_t *table, struct usage *u)
{
	u->tables++;
	for (uint32_t i = 0; i < PTES; i++) {
		u->present += pte_has_frame(table[i]);
		u->swapped += pte_is_swapped(table[i]);
	}
}

static uint32_t tenths_used(const struct usage *u)
{
	return tenths(u->present + u->swapped, u->tables * PTES);
}

/* --- one process, table by table ---------------------------------------------- */

static void out_table(const struct space *s, uint32_t index, const struct usage *u)
{
	uint32_t first = index * TABLE_SPAN - s->base, last = first + (TABLE_SPAN - 1);
	uint32_t used = tenths_used(u);
	pte_t pde = s->dir[index];
	bool on_disk = pte_is_swapped(pde);

	if (mon->keys) {
		out("pid=%u dir=%u first=0x%08x last=0x%08x table=0x%08x present=%u swapped=%u "
		    "percent=%u.%u ",
		    s->pid, index, first, last, on_disk ? 0 : pde & PAGE_MASK, u->present,
		    u->swapped, used / 10, used % 10);
		out(on_disk ? "slot=%u\n" : "slot=-\n", pte_slot(pde));
		return;
	}
	out("%4u %08x-%08x ", index, first, last);
	if (on_disk) {
		out("  the table is on the disk, slot %u\n", pte_slot(pde));
		return;
	}
	out("%9u %7u %3u.%u %%  ", u->present, u->swapped, used / 10, used % 10);
	out_bar(u->present + u->swapped, PTES, 30);
	out("\n");
}

static int show_one(const struct task *t)
{
	const struct space *s = t->space;
	struct usage all = { .dir = s->model == SPACE_PRIVATE };
	uint32_t used;

	if (!mon->keys)
		out("%u %s: %s, directory %08x%s\n"
		    " DIR ADDRESSES         IN MEMORY ON DISK    USED\n",
		    t->pid, t->name, space_model_name[s->model], virt_to_phys(s->dir),
		    all.dir ? "" : " (the common one)");
	for (uint32_t i = DIR_INDEX(s->base); i <= DIR_INDEX(s->base + s->limit - 1); i++) {
		const pte_t *table = peek_table(s->dir[i]);
		struct usage u = { 0 };

		if (table)
			use_table(table, &u);
		if (table || pte_is_swapped(s->dir[i]))
			out_table(s, i, &u);
		all.tables += u.tables;
		all.present += u.present;
		all.swapped += u.swapped;
	}
	if (mon->keys)
		return 0;
	used = tenths_used(&all);
	out("%u + %u frames of tables: %u of %u entries used, %u.%u %%\n", all.dir, all.tables,
	    all.present + all.swapped, all.tables * PTES, used / 10, used % 10);
	if (s->tables_swapped) /* a world stopped at the wrong moment may see one too many */
		out("%u table%s on the disk, with %u entries used\n", s->tables_swapped,
		    s->tables_swapped == 1 ? "" : "s", s->swapped - MIN(all.swapped, s->swapped));
	return 0;
}

/* --- all of them ----------------------------------------------------------------- */

static struct usage usage_of(const struct space *s)
{
	struct usage u = { .dir = s->model == SPACE_PRIVATE };

	for (uint32_t i = 0; i < KERNEL_FIRST_DIR; i++) {
		const pte_t *table = NULL;

		if (s->table_map[i / 32] >> i % 32 & 1)
			table = peek_table(s->dir[i]);
		if (table)
			use_table(table, &u);
	}
	return u;
}

static void out_space(const struct space *s, const struct usage *u)
{
	const char *name = s->users ? s->name : "(dead)"; /* a CPU still stands on it */
	uint32_t used = tenths_used(u), entries = u->present + u->swapped;

	if (mon->keys) {
		out("pid=%u name=%s model=%s tables=%u rss=%u swapped=%u dir=%u entries=%u "
		    "percent=%u.%u tables_swapped=%u\n",
		    s->pid, name, space_model_name[s->model], s->tables, s->rss, s->swapped, u->dir,
		    entries, used / 10, used % 10, s->tables_swapped);
		return;
	}
	out("%5u %-12.12s %-7s %u + %-3u %4u %7u %3u.%u %% ", s->pid, name,
	    space_model_name[s->model], u->dir, u->tables, s->tables_swapped, entries, used / 10,
	    used % 10);
	out_bar(entries, u->tables * PTES, 10);
	out(" %5u %7u\n", s->rss, s->swapped);
}

/* All frames that are not the kernel's, in 64 cells: a cell shows what its first frame is for. */
static void out_user_memory(uint32_t tables, uint32_t user)
{
	const uint32_t end[] = { tables, tables + frames_of[FRAME_USER],
				 tables + frames_of[FRAME_USER] + frames_of[FRAME_CACHE], user };

	for (uint32_t cell = 0, kind = 0; cell < 64; cell++) {
		while (kind < 3 && cell * user / 64 >= end[kind])
			kind++;
		out("%c", "#uc."[kind]);
	}
	out("\n# tables  u pages of programs  c cache  . free\n");
}

static void show_all(void)
{
	uint32_t user = frames_of[FRAME_FREE] + frames_of[FRAME_USER] + frames_of[FRAME_TABLE] +
			frames_of[FRAME_CACHE];
	uint32_t total = 0, swapped = 0, entries = 0, share;
	const struct space *s;

	if (!mon->keys)
		out_heading(
			"  PID NAME         MODEL   DIR+TAB DISK ENTRIES  USED              RSS "
			"SWAPPED");
	list_for_each_entry (s, &space_list, all) {
		struct usage u = usage_of(s);

		out_space(s, &u);
		total += s->tables;
		swapped += s->tables_swapped;
		entries += u.present + u.swapped;
	}
	share = tenths(total, user);
	if (mon->keys) {
		out("total tables=%u frames_user=%u percent=%u.%u tables_swapped=%u entries=%u\n",
		    total, user, share / 10, share % 10, swapped, entries);
		return;
	}
	out("%u frames of tables: %u.%u %% of the %u frames that are not the kernel's\n", total,
	    share / 10, share % 10, user);
	if (swapped)
		out("%u tables are on the disk\n", swapped);
	out_user_memory(total, user);
}

int cmd_ptmem(int argc, char **argv)
{
	const struct task *t;

	if (argc > 2)
		return usage("ptmem");
	if (argc == 1) {
		show_all();
		return 0;
	}
	t = arg_user_task(argv[1]);
	return t ? show_one(t) : 1;
}
