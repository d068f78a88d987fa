/*
 * disktime.c - how long a disk of 1992 would have taken.
 *
 * A disk image in memory answers at once, which no disk ever did.  This is the disk that the
 * machine profile describes, as an arm over a spinning plate: the arm moves to the request's
 * cylinder (the farther the longer, by the square root of the distance, since it accelerates half
 * the way and brakes the other half), then the plate must turn until the first sector is under the
 * head, then the sectors pass by.  Where the plate stands follows from the time of day alone, so
 * the same requests at the same times take the same time: two runs are equal.
 *
 * Left out: the drive's own buffer, the time to change heads, bad sectors, and the bus.
 *
 * Tunables: disk.rpm (0: no waiting), disk.seek_min, disk.seek_max, disk.cylinders, disk.heads,
 * disk.sectors.  Lesson 8.
 */
#include "block/disktime.h"
#include "cpu/timer.h"

#define NS_PER_US     1000ull
#define NS_PER_MINUTE 60000000000ull

int disk_rpm;
int disk_seek_min = 4000, disk_seek_max = 27000;
int disk_cylinders = 750, disk_heads = 4, disk_sectors = 53;

struct disk_spent disk_spent;

static uint32_t arm; /* the cylinder it stands on */

static uint32_t square_root(uint32_t n)
{
	uint32_t root = 0;

	for (uint32_t bit = 1u << 15; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return root;
}

/* In microseconds.  The root of the distance, as a share of the whole way's, in thousandths. */
static uint32_t seek_us(uint32_t distance)
{
	uint32_t share;

	if (!distance)
		return 0;
	share = square_root(MIN(distance * 1000ull / disk_cylinders, 1000u) * 1000);
	return disk_seek_min + (uint64_t)(disk_seek_max - disk_seek_min) * share / 1000;
}

uint64_t disk_time_ns(uint32_t sector, uint32_t count, uint64_t now)
{
	uint32_t per_cylinder = disk_sectors * disk_heads, cylinder = sector / per_cylinder;
	uint64_t turn = NS_PER_MINUTE / disk_rpm, one = turn / disk_sectors, seek, passed, wanted,
		 wait;

	seek = seek_us(cylinder > arm ? cylinder - arm : arm - cylinder) * NS_PER_US;
	arm = (sector + count - 1) / per_cylinder;
	passed = (now + seek) % turn;
	wanted = sector % disk_sectors * one;
	wait = wanted >= passed ? wanted - passed : wanted + turn - passed;
	disk_spent.seek += seek;
	disk_spent.turn += wait;
	disk_spent.move += count * one;
	return seek + wait + count * one;
}
