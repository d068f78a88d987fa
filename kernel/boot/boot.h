/*
 * boot.h - what the boot loader said.
 */
#pragma once

#include "lib/types.h"

struct boot_range {
	uint32_t start, end; /* physical, end exclusive */
};

struct boot_info {
	char cmdline[2048]; /* cut into words where it lies */
	const char *mon;    /* mon="...": commands for the monitor at boot; "" if not given */
	char root[8];	    /* root=ide|ram */
	uint32_t mem_limit; /* mem=, bytes; 0 if not given */
	struct boot_range ram[16];
	uint32_t ram_ranges;
	uint32_t ram_top;     /* end of the highest RAM below 4 GB, reserved tail included */
	paddr_t module_start; /* the RAM disk, after it was moved above mem_limit; 0 bytes if none
			       */
	uint32_t module_size;
	uint32_t swap_size; /* swap=, bytes behind the RAM disk, in whole pages; 0 if none */
};

extern struct boot_info boot_info;
