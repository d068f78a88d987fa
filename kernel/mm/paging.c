/*
 * paging.c - the kernel's own page tables.
 *
 * All RAM is mapped at KERNEL_BASE, in tables that are made once, before the first space: every
 * directory's upper quarter points to these same tables, so a change in them is seen everywhere and
 * no directory ever needs updating.  Code and constants are read-only, which the
 * kernel itself heeds where the processor has CR0.WP.
 *
 * They are the same in all directories, so a TLB need not forget them when CR3 is loaded:
 * processors from the Pentium Pro on keep pages marked global (SDM 3A 4.10.2.4).
 *
 * Tunable: page.global.  Lesson 4.
 */
#include "mm/paging.h"
#include "boot/boot.h"
#include "cpu/pda.h"
#include "cpu/x86.h"
#include "lib/panic.h"
#include "mm/bootmem.h"
#include "telemetry.h"

extern pte_t boot_dir[], boot_table[]; /* boot/entry.S */
extern char kernel_text_start[], kernel_rodata_end[];

/* Behind it are the registers of devices, which map_phys() maps where they are. */
#define BEYOND_END 0xFE000000u

pte_t *common_dir = boot_dir;
int page_global;
static uint32_t kernel_flags = PTE_P | PTE_W; /* of every page of the kernel's */

/* Memory for a table.  One that maps only what lies above mem= is kept there, too. */
static pte_t *new_table(uint32_t linear)
{
	pte_t *table = NULL;

	if (frames)
		return frame_alloc_zeroed(FRAME_KERNEL);
	if (ALIGN_DOWN(linear, TABLE_SPAN) - KERNEL_BASE >= boot_info.mem_limit)
		table = boot_alloc_beyond(PAGE_SIZE);
	return table ? table : boot_alloc(PAGE_SIZE);
}

/* The table for `linear` in the kernel's directory, made if need be. */
static pte_t *kernel_table(uint32_t linear)
{
	pte_t *pde = &common_dir[DIR_INDEX(linear)];

	if (!(*pde & PTE_P)) {
		pte_t *table = new_table(linear);

		if (!table)
			return NULL;
		*pde = virt_to_phys(table) | PTE_P | PTE_W;
	}
	return pte_table(*pde);
}

static bool map(uint32_t linear, paddr_t p, uint32_t flags)
{
	pte_t *table = kernel_table(linear);

	if (table && !(table[TBL_INDEX(linear)] & PTE_P))
		table[TBL_INDEX(linear)] = p | flags;
	return table != NULL;
}

void paging_init(void)
{
	paddr_t top = MIN(boot_info.ram_top, DIRECT_MAX);

	if (page_global && cpu_features & CPUID_PGE)
		kernel_flags |= PTE_G;
	common_dir[0] = 0; /* we run above KERNEL_BASE now */

	/* Upwards, a table at a time, so that memory for the next one is always mapped. */
	for (paddr_t p = boot_mapped_end; p < top; p += PAGE_SIZE) {
		if (!map(p + KERNEL_BASE, p, kernel_flags))
			panic("no memory for the kernel's page tables");
		if (p % TABLE_SPAN == TABLE_SPAN - PAGE_SIZE)
			boot_mapped_end = p + PAGE_SIZE;
	}
	boot_mapped_end = MAX(boot_mapped_end, top);

	for (uint32_t i = 0; i < PTES; i++)
		boot_table[i] |= kernel_flags & PTE_G;
	for (char *p = kernel_text_start; p < kernel_rodata_end; p += PAGE_SIZE)
		boot_table[TBL_INDEX(p)] &= ~PTE_W;
}

void paging_init_cpu(void)
{
	if (kernel_flags & PTE_G)
		write_cr4(pda_read(stats)->cr4 = read_cr4() | CR4_PGE);
}

/* Linear addresses behind the direct mapping, for what lies beyond its reach (ACPI tables at 1 GB).
 */
static uint32_t next_beyond = KERNEL_BASE + DIRECT_MAX;

void *map_phys(paddr_t p, uint32_t size)
{
	paddr_t first = ALIGN_DOWN(p, PAGE_SIZE), last = ALIGN_DOWN(p + size - 1, PAGE_SIZE);
	uint32_t flags = kernel_flags, linear = first + KERNEL_BASE;

	if (last < first)
		return NULL;
	if (p >= KERNEL_BASE) {
		linear = first;
		flags |= PTE_PCD | PTE_PWT;
	} else if (last >= DIRECT_MAX) {
		linear = next_beyond;
		next_beyond += last - first + PAGE_SIZE;
		if (next_beyond > BEYOND_END)
			return NULL;
	}
	for (uint32_t at = 0; at <= last - first; at += PAGE_SIZE)
		if (!map(linear + at, first + at, flags))
			return NULL;
	return (void *)(linear + p % PAGE_SIZE);
}
