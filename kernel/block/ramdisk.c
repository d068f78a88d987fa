/*
 * ramdisk.c - a disk image that the boot loader left in memory.
 *
 * Nothing about it depends on the host's time, which is why experiments use it.  start() is
 * where a model of seek, rotation and transfer belongs: it would set a one-shot timer
 * whose interrupt calls finish().  As it is, a request ends as soon as it starts.
 */
#include "block/block.h"
#include "boot/boot.h"
#include "lib/string.h"
#include "mm/frame.h"

static struct block_device ram0;

static void finish(struct block_device *d)
{
	struct request *r = block_head(d);
	char *sector = (char *)phys_to_virt(boot_info.module_start) + r->sector * SECTOR_SIZE;

	if (r->write)
		memcpy(sector, r->data, r->count * SECTOR_SIZE);
	else
		memcpy(r->data, sector, r->count * SECTOR_SIZE);
	block_done(d, 0);
}

struct block_device *ramdisk_probe(void)
{
	if (boot_info.module_size < SECTOR_SIZE)
		return NULL;
	ram0.name = "ram0";
	ram0.sectors = boot_info.module_size / SECTOR_SIZE;
	ram0.start = finish;
	return &ram0;
}
