/*
 * disktime.h - the disk-time model of the RAM disk.
 */
#pragma once

#include "lib/types.h"

/* Parameters; times in microseconds.  See disktime.c. */
extern int disk_rpm, disk_seek_min, disk_seek_max;
extern int disk_cylinders, disk_heads, disk_sectors;

/* What all requests together have waited for, in nanoseconds. */
struct disk_spent {
	uint64_t seek, turn, move;
};
extern struct disk_spent disk_spent;

/*
 * Nanoseconds from `now` (time_ns()) until `count` sectors from `sector` on have been moved, and
 * move the arm there.  disk_rpm is not 0.
 */
uint64_t disk_time_ns(uint32_t sector, uint32_t count, uint64_t now);
