/*
 * ramdisk.c - a disk image that the boot loader left in memory.
 *
 * Nothing about it depends on the host's time, which is why experiments use it.  A request takes
 * as long as disktime.c says, by a one-shot timer; without a model it ends as soon as it starts.
 *
 * With swap= on the command line the disk goes on behind the image, page aligned, as a disk that is
 * cut into a partition for the files and one to swap to: one arm serves both (mm/bootmem.c keeps
 * that memory).
 */
#include "block/block.h"
#include "block/disktime.h"
#include "boot/boot.h"
#include "cpu/timer.h"
#include "lib/string.h"
#include "mm/frame.h"

static struct block_device ram0;

/* Where the image lies: the launcher looks for it in the machine's memory when that has ended
 * (KEEP=). */
struct {
	uint32_t start, size;
} ramdisk_image;

static void finish(struct block_device *d)
{
	struct request *r = block_head(d);
	char *sector = (char *)phys_to_virt(boot_info.module_start) + r->sector * SECTOR_SIZE;

	for (uint32_t i = 0; i < r->count; i++, sector += SECTOR_SIZE) {
		if (r->write)
			memcpy(sector, request_sector(r, i), SECTOR_SIZE);
		else
			memcpy(request_sector(r, i), sector, SECTOR_SIZE);
	}
	block_done(d, 0);
}

static void time_is_up(void)
{
	finish(&ram0);
}

static void start(struct block_device *d)
{
	struct request *r = block_head(d);

	if (!disk_rpm || !timer_once(disk_time_ns(r->sector, r->count, time_ns()), time_is_up))
		finish(d);
}

/* With the rest of its last page. */
static uint32_t image_bytes(void)
{
	return ALIGN_UP(boot_info.module_size, PAGE_SIZE);
}

struct block_device *ramdisk_probe(void)
{
	if (boot_info.module_size < SECTOR_SIZE)
		return NULL;
	ramdisk_image.start = boot_info.module_start;
	ramdisk_image.size = boot_info.module_size;
	ram0.name = "ram0";
	ram0.sectors = boot_info.module_size / SECTOR_SIZE;
	if (boot_info.swap_size)
		ram0.sectors = (image_bytes() + boot_info.swap_size) / SECTOR_SIZE;
	ram0.start = start;
	return &ram0;
}

struct swap_area ramdisk_swap(void)
{
	return (struct swap_area){ .dev = &ram0,
				   .first = image_bytes() / SECTOR_SIZE,
				   .sectors = boot_info.swap_size / SECTOR_SIZE };
}
