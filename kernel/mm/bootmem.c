/*
 * bootmem.c - memory before there is an allocator.
 *
 * A short list of taken ranges, and a search for the lowest hole.  It gives the page tables of the
 * direct mapping and the array of frames; then frame.c takes what is left.
 */
#include "mm/bootmem.h"
#include "boot/boot.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"

/* Real-mode tables, the note of reboot(), the trampoline, the loader's structures. */
#define LOW_RESERVED 0x10000u

#define TAKEN_MAX 24

paddr_t boot_mapped_end = 0x400000; /* by boot/entry.S */

static struct boot_range taken[TAKEN_MAX] = { { 0, LOW_RESERVED } };
static uint32_t taken_count = 1;

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

/* The RAM disk is a range of its own, since it moves. */
static bool in_module(paddr_t start, uint32_t bytes)
{
	paddr_t end = boot_info.module_start + ALIGN_UP(boot_info.module_size, PAGE_SIZE);

	return boot_info.module_size && start < end && boot_info.module_start < start + bytes;
}

bool boot_taken(paddr_t p)
{
	if (in_module(p, PAGE_SIZE))
		return true;
	for (uint32_t i = 0; i < taken_count; i++)
		if (p >= taken[i].start && p < taken[i].end)
			return true;
	return false;
}

/* The end of a taken range that overlaps [start, start + bytes), or 0. */
static paddr_t overlap_end(paddr_t start, uint32_t bytes)
{
	if (in_module(start, bytes))
		return boot_info.module_start + ALIGN_UP(boot_info.module_size, PAGE_SIZE);
	for (uint32_t i = 0; i < taken_count; i++)
		if (start < taken[i].end && taken[i].start < start + bytes)
			return taken[i].end;
	return 0;
}

static paddr_t find_hole(const struct boot_range *ram, uint32_t bytes)
{
	paddr_t end = MIN(ram->end, boot_mapped_end), p = ram->start, after;

	if (boot_info.mem_limit)
		end = MIN(end, boot_info.mem_limit);
	while ((after = overlap_end(p, bytes)) != 0)
		p = after;
	return p < end && end - p >= bytes ? p : 0;
}

void *boot_alloc(uint32_t bytes)
{
	bytes = ALIGN_UP(bytes, PAGE_SIZE);
	for (uint32_t i = 0; i < boot_info.ram_ranges; i++) {
		paddr_t p = find_hole(&boot_info.ram[i], bytes);

		if (p) {
			boot_take(p, p + bytes);
			return memset(phys_to_virt(p), 0, bytes);
		}
	}
	return NULL;
}

void boot_move_module(void)
{
	uint32_t size = ALIGN_UP(boot_info.module_size, PAGE_SIZE);
	paddr_t from = boot_info.module_start, to = ALIGN_UP(boot_info.mem_limit, PAGE_SIZE);

	if (!size || !to || from >= to)
		return;
	if (to + size > MIN(boot_info.ram_top, DIRECT_MAX)) {
		klog("ram disk: %u KB do not fit above mem=: the machine needs mem= + disk\n",
		     size >> 10);
		boot_info.module_size = 0;
		return;
	}
	/* From the end, since the two may overlap. */
	for (uint32_t at = size; at;) {
		at -= PAGE_SIZE;
		memcpy(phys_to_virt(to + at), phys_to_virt(from + at), PAGE_SIZE);
	}
	boot_info.module_start = to;
}
