/*
 * bootmem.h - memory before there is an allocator.
 */
#pragma once

#include "lib/types.h"

/*
 * Before all others here: the kernel and the RAM disk are taken.  Without mem= the disk stays where
 * the loader left it, and swap= is room right behind it.
 */
void boot_memory_begin(void);

/*
 * `bytes` (rounded up to pages) of zeroed memory that stay taken for good.  Only what is already
 * mapped is given out.  NULL: none.  Until frame_init() has taken over.
 */
void *boot_alloc(uint32_t bytes);

/* The same above the limit of mem=, where it uses up nothing; NULL also when there is no limit. */
void *boot_alloc_beyond(uint32_t bytes);

/* Keep physical [start, end) from being given out. */
void boot_take(paddr_t start, paddr_t end);

/* True if physical page `p` was taken. */
bool boot_taken(paddr_t p);

/* Physical memory below this is mapped and may be given out.  paging_init() raises it. */
extern paddr_t boot_mapped_end;

/*
 * The RAM disk that the loader left right behind the kernel is moved above the limit of mem=, where
 * it does not use up the memory we pretend to have.
 */
void boot_move_disk(void);
