/*
 * pagetables.c - pt: the page tables of a process; walk: what the processor does with them.
 *
 * Both read the tables in memory.  What the processor remembers of them may be older: that
 * is the TLB's subject.  Lessons 1 and 2.
 */
#include "cpu/x86.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/runs.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

/* "PWUAD--G---": a letter for each flag that is set. */
static const char *flag_letters(pte_t e, char buf[12])
{
	static const struct {
		pte_t bit;
		char letter;
	} flags[] = {
		{ PTE_P, 'P' },	  { PTE_W, 'W' },      { PTE_U, 'U' },	     { PTE_A, 'A' },
		{ PTE_D, 'D' },	  { PTE_PCD, 'C' },    { PTE_PS, '4' },	     { PTE_G, 'G' },
		{ PTE_COW, 'c' }, { PTE_HIDDEN, 'h' }, { PTE_SWAPPED, 's' },
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		buf[i] = e & flags[i].bit ? flags[i].letter : '-';
	buf[i] = 0;
	return buf;
}

/* --- pt ---------------------------------------------------------------------- */

static void out_run(const struct pt_run *r)
{
	uint32_t first = r->vpn << PAGE_SHIFT, last = ((r->vpn + r->pages) << PAGE_SHIFT) - 1;
	char flags[12];
	bool swapped;

	if (!r->pages)
		return;
	flag_letters(r->flags, flags);
	swapped = pte_is_swapped(r->flags);
	if (mon->keys)
		out(swapped ? "first=0x%08x last=0x%08x pages=%u slot=%u step=%u flags=%s\n"
			    : "first=0x%08x last=0x%08x pages=%u frame=0x%08x step=%u flags=%s\n",
		    first, last, r->pages, swapped ? r->frame : r->frame << PAGE_SHIFT, r->step,
		    flags);
	else
		out(swapped ? "  %08x-%08x %5u page%s slot  %8u%s %s\n"
			    : "  %08x-%08x %5u page%s frame %08x%s %s\n",
		    first, last, r->pages, r->pages == 1 ? " " : "s",
		    swapped ? r->frame : r->frame << PAGE_SHIFT,
		    r->pages == 1 ? " "
		    : r->step	  ? "+"
				  : "=",
		    flags);
}

static void out_directory_entry(const struct space *s, uint32_t index, pte_t pde)
{
	bool swapped = pte_is_swapped(pde);
	uint32_t first = index * TABLE_SPAN - s->base;
	uint32_t where = swapped ? pte_slot(pde) : pde & PAGE_MASK;
	char flags[12];

	flag_letters(pde, flags);
	if (mon->keys)
		out(swapped ? "dir=%u first=0x%08x slot=%u flags=%s\n"
			    : "dir=%u first=0x%08x table=0x%08x flags=%s\n",
		    index, first, where, flags);
	else
		out(swapped ? "dir %4u %08x-%08x     on disk, slot %u  %s\n"
			    : "dir %4u %08x-%08x        table %08x  %s\n",
		    index, first, first + TABLE_SPAN - 1, where, flags);
}

/* The runs of one table, as far as [first, last] (window-relative) reaches. */
static void out_table(const struct space *s, uint32_t index, uint32_t first, uint32_t last)
{
	const pte_t *table = peek_table(s->dir[index]);
	uint32_t start = index * TABLE_SPAN - s->base;
	struct pt_run run = { 0 };

	if (!table) {
		out("  (that cannot be a table: it is not RAM)\n");
		return;
	}
	for (uint32_t i = 0; i < PTES && !mon->quit; i++) {
		uint32_t addr = start + i * PAGE_SIZE;

		if (!(pte_has_frame(table[i]) || pte_is_swapped(table[i])) ||
		    (addr | ~PAGE_MASK) < first || addr > last)
			continue;
		if (run_add(&run, addr >> PAGE_SHIFT, table[i]))
			continue;
		out_run(&run);
		run.pages = 0;
		run_add(&run, addr >> PAGE_SHIFT, table[i]);
	}
	out_run(&run);
}

int cmd_pt(int argc, char **argv)
{
	const struct task *t;
	const struct space *s;
	uint32_t first = 0, last, kernel = 0;

	if (argc != 2 && argc != 3)
		return usage("pt");
	t = arg_user_task(argv[1]);
	if (!t)
		return 1;
	s = t->space;
	last = s->limit - 1;
	if (argc == 3 && !arg_range(argv[2], &first, &last))
		return 1;
	last = MIN(last, s->limit - 1);
	if (!mon->keys)
		out("%u %s: directory %08x, window at linear %08x\n", t->pid, t->name,
		    virt_to_phys(s->dir), s->base);
	for (uint32_t i = DIR_INDEX(s->base + first); i <= DIR_INDEX(s->base + last); i++) {
		pte_t pde = s->dir[i];

		if (!(pde & PTE_P) && !pte_is_swapped(pde))
			continue;
		out_directory_entry(s, i, pde);
		if (pde & PTE_P)
			out_table(s, i, first, last);
	}
	for (uint32_t i = KERNEL_FIRST_DIR; i < PTES; i++)
		kernel += s->dir[i] & PTE_P;
	if (!mon->keys)
		out("dir %u-1023: the kernel's, %u tables, the same in every directory\n",
		    KERNEL_FIRST_DIR, kernel);
	return 0;
}

/* --- walk -------------------------------------------------------------------- */

/* Rights of a page are the AND of both entries: SDM 3A 4.6. */
static void out_verdict(pte_t rights)
{
	bool read = (rights & PTE_P) && (rights & PTE_U), write = read && (rights & PTE_W);
	const char *why_read = !(rights & PTE_P) ? "not present (error code 4)"
			       : !read		 ? "only the kernel may (error code 5)"
						 : "goes through";
	const char *why_write = !(rights & PTE_P) ? "not present (error code 6)"
				: !read		  ? "only the kernel may (error code 7)"
				: !write && (rights & PTE_COW)
					? "read-only: will be copied (error code 7)"
				: !write ? "read-only (error code 7)"
					 : "goes through";

	if (mon->keys) {
		out("step=verdict user_read=%s user_write=%s\n", read ? "ok" : "fault",
		    write ? "ok" : "fault");
		return;
	}
	out("user read      %s%s\n", read ? "" : "FAULT: ", why_read);
	out("user write     %s%s\n", write ? "" : "FAULT: ", why_write);
}

/* An entry whose page or table is on the disk: the processor sees only that it is not present. */
static void out_swapped_entry(const char *what, uint32_t index, uint32_t at, pte_t e)
{
	bool table = what[0] == 'd';

	if (mon->keys) {
		out("step=%s index=%u at=0x%08x entry=0x%08x slot=%u\n", what, index, at, e,
		    pte_slot(e));
		return;
	}
	out("%-9s [%4u] at %08x: %08x = on the disk, slot %u: page fault\n", what, index, at, e,
	    pte_slot(e));
	out("               the kernel will bring back the %s%s\n", table ? "table" : "page",
	    table ? ", then look for the page" : "");
}

static void out_entry(const char *what, uint32_t index, uint32_t at, pte_t e)
{
	char flags[12];

	if (pte_is_swapped(e)) {
		out_swapped_entry(what, index, at, e);
		return;
	}
	flag_letters(e, flags);
	if (mon->keys)
		out("step=%s index=%u at=0x%08x entry=0x%08x frame=0x%08x flags=%s\n", what, index,
		    at, e, e & PAGE_MASK, flags);
	else
		out("%-9s [%4u] at %08x: %08x = %s %08x %s\n", what, index, at, e,
		    what[0] == 'd' ? "table" : "frame", e & PAGE_MASK, flags);
}

/* The segment: base and limit of the window.  False: the processor stops here. */
static bool walk_segment(const struct space *s, uint32_t addr)
{
	bool inside = addr < s->limit;

	if (mon->keys)
		out("step=segment base=0x%08x limit=0x%08x linear=0x%08x inside=%u\n", s->base,
		    s->limit, s->base + addr, inside);
	else
		out("segment        base %08x, limit %08x: linear %08x\n", s->base, s->limit,
		    s->base + addr);
	if (inside)
		return true;
	if (addr >= KERNEL_BASE) { /* show what protects it besides */
		if (!mon->keys)
			out("               beyond the limit (general protection); the kernel's "
			    "own\n"
			    "               segments are flat, so on with linear %08x\n",
			    addr);
		return true;
	}
	if (mon->keys)
		out("step=verdict user_read=fault user_write=fault\n");
	else
		out("user access    FAULT: beyond the segment's limit (general protection)\n");
	return false;
}

static void walk(const struct space *s, uint32_t linear)
{
	uint32_t d = DIR_INDEX(linear), i = TBL_INDEX(linear);
	pte_t pde = s->dir[d], pte;
	const pte_t *table;
	paddr_t physical;

	out_entry("directory", d, virt_to_phys(&s->dir[d]), pde);
	if (!(pde & PTE_P)) {
		out_verdict(0);
		return;
	}
	if (pde & PTE_PS) {
		pte = pde;
		physical = (pde & ~(TABLE_SPAN - 1)) | (linear & (TABLE_SPAN - 1));
	} else {
		table = peek_table(pde);
		if (!table) {
			out("table          %08x is not RAM: the directory is corrupt\n",
			    pde & PAGE_MASK);
			return;
		}
		pte = table[i];
		out_entry("table", i, virt_to_phys(&table[i]), pte);
		if (!(pte & PTE_P)) {
			out_verdict(0);
			return;
		}
		physical = (pte & PAGE_MASK) | (linear & ~PAGE_MASK);
	}
	if (mon->keys)
		out("step=physical addr=0x%08x\n", physical);
	else
		out("physical       %08x = frame %08x + offset %03x\n", physical,
		    physical & PAGE_MASK, linear & ~PAGE_MASK);
	out_verdict((pde & pte & (PTE_P | PTE_U | PTE_W)) | (pte & PTE_COW));
}

int cmd_walk(int argc, char **argv)
{
	const struct task *t;
	uint32_t addr;

	if (argc != 3)
		return usage("walk");
	t = arg_user_address(argv[1], argv[2], &addr);
	if (!t)
		return 1;
	if (!mon->keys)
		out("CR3            %08x, the directory of %u %s\n", virt_to_phys(t->space->dir),
		    t->pid, t->name);
	if (walk_segment(t->space, addr))
		walk(t->space, addr < t->space->limit ? t->space->base + addr : addr);
	return 0;
}
