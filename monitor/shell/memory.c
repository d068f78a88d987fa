/*
 * memory.c - where the frames are: mem, space, ptmem.
 *
 * ptmem is the instrument of claim A3: what page tables cost, as frames and as a share of the
 * memory that user programs could have had.  Lessons 2 and 5.
 */
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

static void out_share(const char *name, uint32_t frames_used, const char *what)
{
	uint32_t tenths = frames_total ? frames_used * 1000 / frames_total : 0;

	out("%-9s %7u %7u KB %3u.%u %%  %s\n", name, frames_used, frames_used * 4, tenths / 10,
	    tenths % 10, what);
}

int cmd_mem(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("mem");
	if (mon->keys) {
		out("frames=%u free=%u kernel=%u user=%u tables=%u cache=%u reserved=%u "
		    "kmalloc_bytes=%u kmalloc_frames=%u\n",
		    frames_total, frames_of[FRAME_FREE], frames_of[FRAME_KERNEL],
		    frames_of[FRAME_USER], frames_of[FRAME_TABLE], frames_of[FRAME_CACHE],
		    frames_of[FRAME_RESERVED], kmalloc_bytes, kmalloc_frames);
		return 0;
	}
	out("           FRAMES\n");
	out_share("all", frames_total, "that mem= allows");
	out_share("free", frames_of[FRAME_FREE], "");
	out_share("kernel", frames_of[FRAME_KERNEL], "stacks, small objects");
	out_share("user", frames_of[FRAME_USER], "pages of programs");
	out_share("tables", frames_of[FRAME_TABLE], "page directories and tables of programs");
	out_share("cache", frames_of[FRAME_CACHE], "buffers");
	out_share("reserved", frames_of[FRAME_RESERVED], "the kernel itself, devices, holes");
	out("small objects: %u bytes in %u frames\n", kmalloc_bytes, kmalloc_frames);
	return 0;
}

/* --- space ------------------------------------------------------------------ */

/* Pages of [start, end) that are present, and how many of those are shared by count. */
static uint32_t resident(const struct space *s, const struct area *a, uint32_t *shared)
{
	uint32_t n = 0;

	*shared = 0;
	for (uint32_t page = a->start; page < a->end; page += PAGE_SIZE) {
		uint32_t linear = s->base + page;
		const pte_t *table = peek_table(s->dir[DIR_INDEX(linear)]);

		if (!table) { /* skip what the missing table would map */
			page = ((linear | (TABLE_SPAN - 1)) - s->base) & PAGE_MASK;
			if (page < a->start)
				break;
			continue;
		}
		if (!(table[TBL_INDEX(linear)] & PTE_P))
			continue;
		n++;
		if (frames[table[TBL_INDEX(linear)] >> PAGE_SHIFT].refs > 1)
			++*shared;
	}
	return n;
}

static const char *area_kind(const struct area *a)
{
	if (a->flags & AREA_STACK)
		return "stack";
	if (a->flags & AREA_HEAP)
		return "heap";
	return a->backing ? "file" : "zero";
}

int cmd_space(int argc, char **argv)
{
	const struct task *t;
	const struct space *s;
	const struct area *a;

	if (argc != 2)
		return usage("space");
	t = arg_user_task(argv[1]);
	if (!t)
		return 1;
	s = t->space;
	if (mon->keys)
		out("pid=%u model=%s base=0x%08x limit=0x%08x dir=0x%08x tables=%u rss=%u peak=%u "
		    "faults=%u cpus=0x%x refs=%u users=%u\n",
		    t->pid, space_model_name[s->model], s->base, s->limit, virt_to_phys(s->dir),
		    s->tables, s->rss, s->peak_rss, s->faults, s->cpus, s->refs, s->users);
	else {
		out("%u %s: %s, window of %u MB at linear %08x\ndirectory %08x%s\n"
		    "%u table frames, %u user frames (at most %u), %u faults; %u refs",
		    t->pid, t->name, space_model_name[s->model], s->limit >> 20, s->base,
		    virt_to_phys(s->dir), s->dir == common_dir ? " (the common one)" : "",
		    s->tables, s->rss, s->peak_rss, s->faults, s->refs);
		out(s->cpus ? ", on CPU" : ", on no CPU");
		for (uint32_t cpu = 0; s->cpus >> cpu; cpu++)
			if (s->cpus >> cpu & 1)
				out(" %u", cpu);
		out("\nSTART    END      RIGHTS KIND   PAGES RESIDENT SHARED\n");
	}
	list_for_each_entry (a, &s->areas, link) {
		uint32_t pages = (a->end - a->start) / PAGE_SIZE, shared;
		uint32_t present = resident(s, a, &shared);
		char r = a->flags & AREA_READ ? 'r' : '-', w = a->flags & AREA_WRITE ? 'w' : '-';
		char e = a->flags & AREA_EXEC ? 'x' : '-';

		if (mon->keys)
			out("start=0x%08x end=0x%08x rights=%c%c%c kind=%s pages=%u resident=%u "
			    "shared=%u\n",
			    a->start, a->end, r, w, e, area_kind(a), pages, present, shared);
		else
			out("%08x %08x %c%c%c    %-5s %6u %8u %6u\n", a->start, a->end, r, w, e,
			    area_kind(a), pages, present, shared);
	}
	return 0;
}

/* --- ptmem ------------------------------------------------------------------ */

/* Tenths of a percent: frames for tables, of all that are not the kernel's. */
static uint32_t share_of_user_memory(uint32_t tables, uint32_t user)
{
	return user ? (tables * 1000 + user / 2) / user : 0;
}

int cmd_ptmem(int argc, char **argv)
{
	uint32_t user = frames_of[FRAME_FREE] + frames_of[FRAME_USER] + frames_of[FRAME_TABLE] +
			frames_of[FRAME_CACHE];
	uint32_t total = 0, tenths;
	const struct space *s;

	(void)argv;
	if (argc > 1)
		return usage("ptmem");
	if (!mon->keys)
		out("  PID NAME            MODEL    TABLES   RSS SWAPPED\n");
	list_for_each_entry (s, &space_list, all) {
		const char *name = s->users ? s->name : "(dead)"; /* a CPU still stands on it */

		total += s->tables;
		if (mon->keys) {
			out("pid=%u name=%s model=%s tables=%u rss=%u swapped=0\n", s->pid, name,
			    space_model_name[s->model], s->tables, s->rss);
			continue;
		}
		out("%5u %-15s %-7s %7u %5u %7u ", s->pid, name, space_model_name[s->model],
		    s->tables, s->rss, 0);
		for (uint32_t i = 0; i < MIN(s->tables, 24u); i++)
			out("#");
		out("\n");
	}
	tenths = share_of_user_memory(total, user);
	if (mon->keys)
		out("total tables=%u frames_user=%u percent=%u.%u\n", total, user, tenths / 10,
		    tenths % 10);
	else
		out("%u frames of tables: %u.%u %% of the %u frames that are not the kernel's\n",
		    total, tenths / 10, tenths % 10, user);
	return 0;
}
