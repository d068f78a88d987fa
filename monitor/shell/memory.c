/*
 * memory.c - where the frames are: mem; and what one process has of them: space.
 *
 * Page tables have a file of their own: ptmem.c.  Lesson 5.
 */
#include "cpu/pda.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"
#include "telemetry.h"

/* --- mem -------------------------------------------------------------------- */

static void out_share(const char *name, uint32_t n, const char *what)
{
	uint32_t share = tenths(n, frames_total);

	out("%-9s %7u %7u %3u.%u %%  ", name, n, n * 4, share / 10, share % 10);
	out_bar(n, frames_total, 16);
	out(*what ? "  %s\n" : "\n", what);
}

static bool has_stack(const struct task *t)
{
	return t && frame_of(t->stack)->kind == FRAME_KERNEL;
}

/* Kernel stacks: a frame each, of the tasks and, on no list, of the idle ones. */
static uint32_t stack_frames(void)
{
	const struct task *t;
	uint32_t n = 0;

	list_for_each_entry (t, &task_list, all)
		n += has_stack(t);
	for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
		n += pda_of[cpu] && has_stack(pda_of[cpu]->idle);
	return n;
}

static uint32_t shared_frames(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < frames_end; i++)
		n += frames[i].kind == FRAME_USER && frames[i].refs > 1;
	return n;
}

int cmd_mem(int argc, char **argv)
{
	uint32_t kernel = frames_of[FRAME_KERNEL], user = frames_of[FRAME_USER];
	uint32_t stacks = stack_frames(), shared = shared_frames();
	uint32_t other = kernel - stacks - kmalloc_frames;

	(void)argv;
	if (argc > 1)
		return usage("mem");
	if (mon->keys) {
		out("frames=%u free=%u kernel=%u user=%u tables=%u cache=%u reserved=%u "
		    "kmalloc_bytes=%u kmalloc_frames=%u ",
		    frames_total, frames_of[FRAME_FREE], kernel, user, frames_of[FRAME_TABLE],
		    frames_of[FRAME_CACHE], frames_of[FRAME_RESERVED], kmalloc_bytes,
		    kmalloc_frames);
		out("stacks=%u kernel_other=%u user_private=%u user_shared=%u\n", stacks, other,
		    user - shared, shared);
		return 0;
	}
	out_heading("           FRAMES      KB   SHARE");
	out_share("all", frames_total, "that mem= allows");
	out_share("free", frames_of[FRAME_FREE], "");
	out_share("kernel", kernel, "");
	out_share("  stacks", stacks, "one a task");
	out_share("  objects", kmalloc_frames, "small ones: kmalloc");
	out_share("  other", other, "pipes, hash tables");
	out_share("user", user, "pages of programs");
	out_share("  private", user - shared, "of one process");
	out_share("  shared", shared, "of several processes");
	out_share("tables", frames_of[FRAME_TABLE], "their page tables (ptmem)");
	out_share("cache", frames_of[FRAME_CACHE], "buffers");
	out_share("reserved", frames_of[FRAME_RESERVED], "kernel's image, devices");
	out("small objects: %u bytes in %u frames\n", kmalloc_bytes, kmalloc_frames);
	if (telemetry.swap.slots)
		out("on the disk: %u of %u slots used (swap)\n", telemetry.swap.used,
		    telemetry.swap.slots);
	return 0;
}

/* --- space ------------------------------------------------------------------ */

/* Where the pages of an area are. */
struct places {
	uint32_t resident, swapped;
	uint32_t shared; /* resident ones that others have, too */
	bool on_disk;	 /* one of its tables is on the disk: what that names is not counted */
};

static struct places places_of(const struct space *s, const struct area *a)
{
	struct places n = { 0 };
	const pte_t *table = NULL;

	for (uint32_t page = a->start; page < a->end; page += PAGE_SIZE) {
		uint32_t linear = s->base + page, index = TBL_INDEX(linear);

		if (page == a->start || !index) {
			table = peek_table(s->dir[DIR_INDEX(linear)]);
			n.on_disk |= pte_is_swapped(s->dir[DIR_INDEX(linear)]);
		}
		if (!table) { /* on to the last page it would map */
			page += (PTES - 1 - index) * PAGE_SIZE;
			continue;
		}
		n.swapped += pte_is_swapped(table[index]);
		if (!pte_has_frame(table[index]))
			continue;
		n.resident++;
		n.shared += frames[table[index] >> PAGE_SHIFT].refs > 1;
	}
	return n;
}

/*
 * Pages on the disk that only tables on the disk know of.  If all such tables map one area they are
 * that area's, `*whose`; else it is NULL.
 */
static uint32_t unseen_pages(const struct space *s, const struct area **whose)
{
	uint32_t seen = 0, areas = 0;
	const struct area *a;

	*whose = NULL;
	list_for_each_entry (a, &s->areas, link) {
		struct places n = places_of(s, a);

		seen += n.swapped;
		areas += n.on_disk;
		if (n.on_disk)
			*whose = a;
	}
	if (areas != 1)
		*whose = NULL;
	/* Stopped between an entry and its count, we may see one too many. */
	return s->swapped > seen ? s->swapped - seen : 0;
}

static const char *area_kind(const struct area *a)
{
	if (a->flags & AREA_STACK)
		return "stack";
	if (a->flags & AREA_HEAP)
		return "heap";
	return a->backing ? "file" : "zero";
}

/* `unknown`: there may be more on the disk than those. */
static void out_area(const struct area *a, const struct places *n, bool unknown)
{
	uint32_t pages = (a->end - a->start) / PAGE_SIZE;
	char r = a->flags & AREA_READ ? 'r' : '-', w = a->flags & AREA_WRITE ? 'w' : '-';
	char e = a->flags & AREA_EXEC ? 'x' : '-';

	out(mon->keys ? "start=0x%08x end=0x%08x rights=%c%c%c kind=%s pages=%u resident=%u "
			"shared=%u swapped=%u"
		      : "%08x %08x %c%c%c    %-5s %6u %8u %6u %7u",
	    a->start, a->end, r, w, e, area_kind(a), pages, n->resident, n->shared, n->swapped);
	out(unknown && !mon->keys ? "+\n" : "\n");
}

static void out_header(const struct task *t, const struct space *s, uint32_t unseen)
{
	if (mon->keys) {
		out("pid=%u model=%s base=0x%08x limit=0x%08x dir=0x%08x tables=%u rss=%u peak=%u "
		    "faults=%u cpus=0x%x refs=%u users=%u ",
		    t->pid, space_model_name[s->model], s->base, s->limit, virt_to_phys(s->dir),
		    s->tables, s->rss, s->peak_rss, s->faults, s->cpus, s->refs, s->users);
		out("swapped=%u tables_swapped=%u unplaced=%u\n", s->swapped, s->tables_swapped,
		    unseen);
		return;
	}
	out("%u %s: %s, window of %u MB at linear %08x\ndirectory %08x%s\n"
	    "%u table frames, %u user frames (at most %u), %u faults; %u refs",
	    t->pid, t->name, space_model_name[s->model], s->limit >> 20, s->base,
	    virt_to_phys(s->dir), s->dir == common_dir ? " (the common one)" : "", s->tables,
	    s->rss, s->peak_rss, s->faults, s->refs);
	out(s->cpus ? ", on CPU" : ", on no CPU");
	for (uint32_t cpu = 0; s->cpus >> cpu; cpu++)
		if (s->cpus >> cpu & 1)
			out(" %u", cpu);
	if (s->swapped || s->tables_swapped)
		out("\non the disk: pages %u, tables %u", s->swapped, s->tables_swapped);
	out("\n");
	out_heading("START    END      RIGHTS KIND   PAGES RESIDENT SHARED SWAPPED");
}

int cmd_space(int argc, char **argv)
{
	const struct area *a, *whose;
	const struct task *t;
	const struct space *s;
	uint32_t unseen;

	if (argc != 2)
		return usage("space");
	t = arg_user_task(argv[1]);
	if (!t)
		return 1;
	s = t->space;
	unseen = unseen_pages(s, &whose);
	out_header(t, s, whose ? 0 : unseen);
	list_for_each_entry (a, &s->areas, link) {
		struct places n = places_of(s, a);

		if (a == whose)
			n.swapped += unseen;
		out_area(a, &n, unseen && !whose && n.on_disk);
	}
	if (unseen && !whose && !mon->keys)
		out("+ in all %u more, of which only tables on the disk know\n", unseen);
	return 0;
}
