/*
 * bootmem.c - memory before there is an allocator.
 *
 * A short list of taken ranges, and a search for the lowest hole.  It gives the page tables of the
 * direct mapping and the array of frames; then frame.c takes what is left.
 *
 * With mem= the machine has more memory than it admits.  What lies up there is no part of the
 * machine we pretend to be, so it must not cost that machine a frame: the RAM disk, with the area
 * to swap to, and the page tables that map them.
 */
#include "mm/bootmem.h"
#include "boot/boot.h"
#include "boot/trampoline.h"
#include "cpu/power.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"

#define TAKEN_MAX 24

paddr_t boot_mapped_end = 0x400000; /* by boot/entry.S */

extern char kernel_end[];

/* The loader's own structures are not among them: who comes here has copied what is wanted. */
static struct boot_range taken[TAKEN_MAX] = {
	{ 0, PAGE_SIZE }, /* the BIOS's data, which a reset looks at */
	{ TRAMPOLINE_PHYS, TRAMPOLINE_PHYS + PAGE_SIZE },
	{ BOOT_NOTE_PHYS, BOOT_NOTE_PHYS + PAGE_SIZE },
};
static uint32_t taken_count = 3;

static paddr_t limit_page(void)
{
	return ALIGN_UP(boot_info.mem_limit, PAGE_SIZE);
}

void boot_take(paddr_t start, paddr_t end)
{
	struct boot_range *last = &taken[taken_count - 1];

	start = ALIGN_DOWN(start, PAGE_SIZE);
	end = ALIGN_UP(end, PAGE_SIZE);
	if (last->end == start) {
		last->end = end;
		return;
	}
	if (taken_count == TAKEN_MAX)
		panic("bootmem: more than %d ranges taken", TAKEN_MAX);
	taken[taken_count++] = (struct boot_range){ start, end };
}

/*
 * The RAM disk is a range of its own, since it moves: the image, and what swap= puts behind it,
 * once the place for that is known.
 */
static uint32_t swap_behind;

static uint32_t disk_bytes(void)
{
	return ALIGN_UP(boot_info.module_size, PAGE_SIZE) + swap_behind;
}

static bool in_disk(paddr_t start, uint32_t bytes)
{
	paddr_t end = boot_info.module_start + disk_bytes();

	return boot_info.module_size && start < end && boot_info.module_start < start + bytes;
}

bool boot_taken(paddr_t p)
{
	if (in_disk(p, PAGE_SIZE))
		return true;
	for (uint32_t i = 0; i < taken_count; i++)
		if (p >= taken[i].start && p < taken[i].end)
			return true;
	return false;
}

/* The end of a taken range that overlaps [start, start + bytes), or 0. */
static paddr_t overlap_end(paddr_t start, uint32_t bytes)
{
	if (in_disk(start, bytes))
		return boot_info.module_start + disk_bytes();
	for (uint32_t i = 0; i < taken_count; i++)
		if (start < taken[i].end && taken[i].start < start + bytes)
			return taken[i].end;
	return 0;
}

/* The lowest hole of `bytes` in RAM between `low` and `high`, or 0. */
static paddr_t find_hole(paddr_t low, paddr_t high, uint32_t bytes)
{
	for (uint32_t i = 0; i < boot_info.ram_ranges; i++) {
		paddr_t p = MAX(boot_info.ram[i].start, low), after;
		paddr_t end = MIN(boot_info.ram[i].end, high);

		while (p < end && (after = overlap_end(p, bytes)) != 0)
			p = after;
		if (p < end && end - p >= bytes)
			return p;
	}
	return 0;
}

static void *alloc_between(paddr_t low, paddr_t high, uint32_t bytes)
{
	paddr_t p;

	bytes = ALIGN_UP(bytes, PAGE_SIZE);
	p = find_hole(low, MIN(high, boot_mapped_end), bytes);
	if (!p)
		return NULL;
	boot_take(p, p + bytes);
	return memset(phys_to_virt(p), 0, bytes);
}

void *boot_alloc(uint32_t bytes)
{
	return alloc_between(0, boot_info.mem_limit ? boot_info.mem_limit : DIRECT_MAX, bytes);
}

void *boot_alloc_beyond(uint32_t bytes)
{
	return boot_info.mem_limit ? alloc_between(limit_page(), DIRECT_MAX, bytes) : NULL;
}

static void no_swap(void)
{
	klog("swap: %u KB do not fit behind the RAM disk: no swap\n", boot_info.swap_size >> 10);
	boot_info.swap_size = 0;
}

void boot_memory_begin(void)
{
	paddr_t behind = boot_info.module_start + disk_bytes();

	boot_take(0x100000, virt_to_phys(kernel_end));
	if (!boot_info.module_size || !boot_info.swap_size)
		return;
	if (boot_info.mem_limit)
		return; /* it is boot_move_disk() that finds the place */
	if (find_hole(behind, DIRECT_MAX, boot_info.swap_size) == behind)
		swap_behind = boot_info.swap_size;
	else
		no_swap();
}

/* Where image and swap area fit above mem=, at their present place or above it; 0: nowhere. */
static paddr_t place_of_disk(void)
{
	uint32_t image = boot_info.module_size;
	paddr_t p;

	boot_info.module_size = 0; /* it may overlap itself */
	p = find_hole(MAX(boot_info.module_start, limit_page()), DIRECT_MAX,
		      ALIGN_UP(image, PAGE_SIZE) + boot_info.swap_size);
	boot_info.module_size = image;
	return p;
}

void boot_move_disk(void)
{
	uint32_t size = ALIGN_UP(boot_info.module_size, PAGE_SIZE);
	paddr_t from = boot_info.module_start, to;

	if (!size || !boot_info.mem_limit)
		return;
	to = place_of_disk();
	if (!to && boot_info.swap_size) {
		no_swap();
		to = place_of_disk();
	}
	if (!to) {
		klog("ram disk: %u KB do not fit above mem=: the machine needs mem= + disk\n",
		     size >> 10);
		boot_info.module_size = 0;
		return;
	}
	/* From the end, since the two may overlap. */
	for (uint32_t at = to == from ? 0 : size; at;) {
		at -= PAGE_SIZE;
		memcpy(phys_to_virt(to + at), phys_to_virt(from + at), PAGE_SIZE);
	}
	boot_info.module_start = to;
	swap_behind = boot_info.swap_size;
}
