/*
 * test_block.c - what the request layer and the disk drivers promise.
 */
#include "block/disktime.h"
#include "host/drive.h"

#include "boot/boot.h"

#define SECTORS 1000u

static struct disk *image;
static struct drive *const hda = &drives[0], *const hdc = &drives[1];
static uint8_t out[REQUEST_SECTORS_MAX * SECTOR_SIZE];

static int set_up(void **state)
{
	(void)state;
	image = disk_new(SECTORS * SECTOR_SIZE);
	host_log_clear();
	memset(block_devices, 0, sizeof(struct block_device *) * 2);
	memset(drives, 0, sizeof(drives));
	memset(&boot_info, 0, sizeof(boot_info));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	disk_free(image);
	host_idle = NULL;
	return 0;
}

static struct block_device *plug(enum drive_kind kind)
{
	drive_plug(0, kind, image->image, SECTORS);
	return block_init("ide");
}

static int transfer(struct block_device *d, uint32_t sector, uint32_t count, bool write)
{
	struct request r = { .sector = sector, .count = count, .data = out, .write = write };

	return block_do(d, &r);
}

static int read_sectors(struct block_device *d, uint32_t sector, uint32_t count)
{
	memset(out, 0, sizeof(out));
	return transfer(d, sector, count, false);
}

static void test_ide_reads_what_is_on_the_disk(void **state)
{
	static const uint32_t counts[] = { 1, 2, 8, 255, 256 };
	struct block_device *d = plug(DRIVE_GOOD);

	(void)state;
	assert_non_null(d);
	assert_int_equal(d->sectors, SECTORS);
	for (uint32_t i = 0; i < ARRAY_SIZE(counts); i++) {
		uint32_t at = 7 * i;

		assert_int_equal(read_sectors(d, at, counts[i]), 0);
		assert_memory_equal(out, image->image + at * SECTOR_SIZE, counts[i] * SECTOR_SIZE);
	}
	assert_int_equal(read_sectors(d, SECTORS - 1, 1), 0);
	assert_int_equal(hda->reads, ARRAY_SIZE(counts) + 1);
	assert_int_equal(d->sectors_read, 1 + 2 + 8 + 255 + 256 + 1);
}

static void test_ide_writes_what_it_is_given(void **state)
{
	struct block_device *d = plug(DRIVE_GOOD);

	(void)state;
	memset(out, 0x5A, sizeof(out));
	assert_int_equal(transfer(d, 10, 3, true), 0);
	assert_int_equal(*(uint32_t *)(image->image + 10 * SECTOR_SIZE - 4), 10 * SECTOR_SIZE - 4);
	assert_memory_equal(out, image->image + 10 * SECTOR_SIZE, 3 * SECTOR_SIZE);
	assert_int_equal(*(uint32_t *)(image->image + 13 * SECTOR_SIZE), 13 * SECTOR_SIZE);
	assert_int_equal(d->sectors_written, 3);
}

static void test_request_beyond_the_end_never_reaches_the_drive(void **state)
{
	struct block_device *d = plug(DRIVE_GOOD);

	(void)state;
	assert_int_equal(read_sectors(d, SECTORS, 1), -EINVAL);
	assert_int_equal(read_sectors(d, SECTORS - 1, 2), -EINVAL);
	assert_int_equal(read_sectors(d, UINT32_MAX, 2), -EINVAL);
	assert_int_equal(read_sectors(d, 0, 0), -EINVAL);
	assert_int_equal(read_sectors(d, 0, REQUEST_SECTORS_MAX + 1), -EINVAL);
	assert_int_equal(hda->reads, 0);
}

static void test_ide_error_names_the_sector(void **state)
{
	struct block_device *d = plug(DRIVE_GOOD);

	(void)state;
	hda->bad_sector = 102;
	assert_int_equal(read_sectors(d, 100, 4), -EIO);
	assert_non_null(strstr(host_log, "hda: read sector 102"));
	assert_int_equal(d->errors, 1);
	assert_int_equal(read_sectors(d, 103, 4), 0);
}

static void test_no_drive_is_no_disk(void **state)
{
	(void)state;
	assert_null(plug(DRIVE_NONE));
	assert_null(plug(DRIVE_EMPTY));
	assert_null(plug(DRIVE_PACKET));
	assert_non_null(strstr(host_log, "no disk for root=ide"));
}

static void test_drive_that_never_gets_ready_does_not_hang_boot(void **state)
{
	(void)state;
	assert_null(plug(DRIVE_BUSY));
	assert_non_null(strstr(host_log, "stays busy"));
}

static void test_drive_that_falls_silent_is_an_error_and_reset(void **state)
{
	struct block_device *d = plug(DRIVE_SILENT);

	(void)state;
	assert_non_null(d);
	assert_int_equal(read_sectors(d, 5, 1), -EIO);
	assert_non_null(strstr(host_log, "timed out"));
	hda->kind = DRIVE_GOOD;
	assert_int_equal(read_sectors(d, 5, 1), 0);
}

static void test_lost_interrupts_cost_time_but_no_data(void **state)
{
	struct block_device *d = plug(DRIVE_LOSES_IRQ);

	(void)state;
	assert_int_equal(read_sectors(d, 5, 3), 0);
	assert_memory_equal(out, image->image + 5 * SECTOR_SIZE, 3 * SECTOR_SIZE);
	assert_non_null(strstr(host_log, "interrupt was lost"));
}

/* Last of the IDE tests: the driver does not try such a drive again. */
static void test_dead_drive_is_given_up(void **state)
{
	struct block_device *d = plug(DRIVE_DEAD);

	(void)state;
	assert_int_equal(read_sectors(d, 5, 1), -EIO);
	assert_non_null(strstr(host_log, "given up"));
	assert_int_equal(read_sectors(d, 5, 1), -EIO);
	assert_int_equal(hda->reads, 1);
}

static void plug_ram(void)
{
	host_module = image->image;
	boot_info.module_start = SECTOR_SIZE;
	boot_info.module_size = 100 * SECTOR_SIZE + 10;
}

static void test_ram_disk_is_the_module(void **state)
{
	struct block_device *d;

	(void)state;
	assert_null(block_init("ram"));
	plug_ram();
	d = block_init("ram");
	assert_non_null(d);
	assert_int_equal(d->sectors, 100);
	assert_int_equal(read_sectors(d, 3, 5), 0);
	assert_memory_equal(out, image->image + 4 * SECTOR_SIZE, 5 * SECTOR_SIZE);
	assert_int_equal(transfer(d, 100, 1, false), -EINVAL);
	assert_int_equal(transfer(d, 50, 1, true), 0);
	assert_int_equal(*(uint32_t *)(image->image + 51 * SECTOR_SIZE), 4 * SECTOR_SIZE);
}

/* --- the disk-time model, in microseconds ---------------------------------------------- */

#define TURN_US	  10000 /* at 6,000 a minute */
#define SECTOR_US 100	/* at 100 sectors a track */

static uint32_t disk_us(uint32_t sector, uint32_t count, uint32_t now_us)
{
	return (disk_time_ns(sector, count, now_us * 1000ull) + 500) / 1000;
}

/* A disk of 100 cylinders, 200 sectors each, with its arm on cylinder 0. */
static void small_disk(void)
{
	disk_rpm = 6000;
	disk_sectors = 100;
	disk_heads = 2;
	disk_cylinders = 100;
	disk_seek_min = 1000;
	disk_seek_max = 5000;
	disk_us(0, 1, 0);
}

static void test_a_disk_waits_for_the_sector_to_come_round(void **state)
{
	(void)state;
	small_disk();
	assert_int_equal(disk_us(0, 1, 0), SECTOR_US);
	assert_int_equal(disk_us(50, 1, 0), TURN_US / 2 + SECTOR_US);
	assert_int_equal(disk_us(50, 10, 0), TURN_US / 2 + 10 * SECTOR_US);
	/* Just missed: nearly a whole turn. */
	assert_int_equal(disk_us(50, 1, TURN_US / 2 + 1), TURN_US - 1 + SECTOR_US);
	/* The other surface's sectors pass at the same time. */
	assert_int_equal(disk_us(150, 1, 0), TURN_US / 2 + SECTOR_US);
	assert_int_equal(disk_us(0, 1, 7 * TURN_US), SECTOR_US);
}

static void test_a_seek_grows_with_the_root_of_the_distance(void **state)
{
	(void)state;
	small_disk();
	/* 25 of 100 cylinders: half of the way's time, and the plate goes on turning meanwhile. */
	assert_int_equal(disk_us(25 * 200, 1, TURN_US - 3000), 3000 + SECTOR_US);
	/* From there back to the start, as far; then no seek at all. */
	assert_int_equal(disk_us(0, 1, TURN_US - 3000), 3000 + SECTOR_US);
	assert_int_equal(disk_us(0, 1, 0), SECTOR_US);
	/* The last cylinder: all but the whole way, so the next turn's sector 0 is the first to be
	 * had. */
	assert_in_range(disk_us(99 * 200, 1, TURN_US - 5000), 5000, 5000 + SECTOR_US);
	/* A transfer takes the arm along to where it ends. */
	small_disk();
	disk_us(199, 2, 0);
	assert_int_equal(disk_us(200, 1, 0), SECTOR_US);
}

/* --- requests in parts ------------------------------------------------------------------ */

#define PARTS	     3u
#define PART_SECTORS 8u
#define PART_BYTES   (PART_SECTORS * SECTOR_SIZE)

/* Pieces of `out` that are no neighbours and not in order; the bytes between them are a guard. */
static void *const parts[PARTS] = { out + 5 * PART_BYTES, out, out + 2 * PART_BYTES };

static int transfer_parts(struct block_device *d, uint32_t sector, uint32_t count, bool write)
{
	struct request r = { .sector = sector, .count = count, .write = write };

	r.parts = parts;
	r.part_sectors = PART_SECTORS;
	return block_do(d, &r);
}

/* Does every part hold the disk's sectors from `sector` on, and nothing else been touched? */
static void assert_parts_read(struct block_device *d, const uint8_t *disk, uint32_t sector)
{
	memset(out, 0xEE, sizeof(out));
	assert_int_equal(transfer_parts(d, sector, PARTS * PART_SECTORS - 1, false), 0);
	for (uint32_t i = 0; i < PARTS * PART_SECTORS - 1; i++)
		assert_memory_equal((uint8_t *)parts[i / PART_SECTORS] +
					    i % PART_SECTORS * SECTOR_SIZE,
				    disk + (sector + i) * SECTOR_SIZE, SECTOR_SIZE);
	assert_int_equal(out[PART_BYTES], 0xEE);
	assert_int_equal(out[2 * PART_BYTES - 1], 0xEE);
	/* The last part is one sector short. */
	assert_int_equal(out[3 * PART_BYTES - SECTOR_SIZE], 0xEE);
	assert_int_equal(out[6 * PART_BYTES], 0xEE);
}

static void assert_parts_written(struct block_device *d, uint8_t *disk, uint32_t sector)
{
	const uint32_t sectors = PARTS * PART_SECTORS;

	for (uint32_t i = 0; i < sizeof(out); i++)
		out[i] = i / SECTOR_SIZE * 3 + i % 251;
	assert_int_equal(transfer_parts(d, sector, sectors, true), 0);
	for (uint32_t i = 0; i < PARTS; i++)
		assert_memory_equal(disk + sector * SECTOR_SIZE + i * PART_BYTES, parts[i],
				    PART_BYTES);
	assert_int_equal(*(uint32_t *)(disk + sector * SECTOR_SIZE - 4) % SECTOR_SIZE, 508);
	assert_int_equal(*(uint32_t *)(disk + (sector + sectors) * SECTOR_SIZE) % SECTOR_SIZE, 0);
}

static void test_ide_moves_each_part_to_its_own_place(void **state)
{
	struct block_device *d = plug(DRIVE_GOOD);

	(void)state;
	assert_parts_read(d, image->image, 17);
	assert_parts_written(d, image->image, 40);
	assert_int_equal(hda->reads, 1);
	assert_int_equal(hda->writes, 1);
}

static void test_ram_disk_moves_each_part_to_its_own_place(void **state)
{
	struct block_device *d;

	(void)state;
	plug_ram();
	d = block_init("ram");
	assert_parts_read(d, image->image + SECTOR_SIZE, 17);
	assert_parts_written(d, image->image + SECTOR_SIZE, 40);
}

static void test_an_error_in_a_later_part_leaves_the_rest_alone(void **state)
{
	struct block_device *d = plug(DRIVE_GOOD);
	uint32_t errors = d->errors;

	(void)state;
	hda->bad_sector = 100 + PART_SECTORS + 2;
	memset(out, 0xEE, sizeof(out));
	assert_int_equal(transfer_parts(d, 100, PARTS * PART_SECTORS, false), -EIO);
	assert_non_null(strstr(host_log, "hda: read sector 110"));
	assert_memory_equal(parts[0], image->image + 100 * SECTOR_SIZE, PART_BYTES);
	assert_int_equal(((uint8_t *)parts[1])[2 * SECTOR_SIZE], 0xEE);
	assert_int_equal(((uint8_t *)parts[2])[0], 0xEE);

	host_log_clear();
	assert_int_equal(transfer_parts(d, 100, PARTS * PART_SECTORS, true), -EIO);
	assert_non_null(strstr(host_log, "hda: write sector 110"));
	assert_int_equal(image->image[110 * SECTOR_SIZE + 1], 110 * SECTOR_SIZE >> 8 & 0xFF);
	assert_int_equal(d->errors - errors, 2);
	hda->bad_sector = NO_SECTOR;
	assert_parts_read(d, image->image, 500);
}

static void test_root_chooses_the_disk(void **state)
{
	(void)state;
	plug_ram();
	drive_plug(0, DRIVE_GOOD, image->image, SECTORS);
	assert_string_equal(block_init("ide")->name, "hda");
	block_devices[0] = NULL;
	assert_string_equal(block_init("")->name, "ram0");
	block_devices[0] = NULL;
	assert_string_equal(block_init("floppy")->name, "ram0");
	assert_non_null(strstr(host_log, "root=floppy"));
	boot_info.module_size = 0;
	block_devices[0] = NULL;
	assert_string_equal(block_init("")->name, "hda");
}

/* --- the swap area ---------------------------------------------------------------------- */

#define SIGNATURE_AT 4086

static void test_swap_area_begins_on_the_page_behind_the_ram_disks_image(void **state)
{
	struct block_device *d;
	struct swap_area a;

	(void)state;
	plug_ram(); /* 100 sectors and 10 bytes: 13 pages */
	boot_info.swap_size = 10 * PAGE_SIZE;
	d = block_init("ram");
	a = block_find_swap();
	assert_ptr_equal(a.dev, d);
	assert_int_equal(a.first, 13 * PAGE_SIZE / SECTOR_SIZE);
	assert_int_equal(a.sectors, 10 * PAGE_SIZE / SECTOR_SIZE);
	assert_int_equal(d->sectors, a.first + a.sectors);
	assert_parts_written(d, image->image + SECTOR_SIZE, a.first);
	assert_int_equal(transfer(d, d->sectors - 1, 1, true), 0);
	assert_int_equal(transfer(d, d->sectors, 1, true), -EINVAL);
}

static void test_no_swap_is_no_swap(void **state)
{
	(void)state;
	plug_ram();
	hda->kind = hdc->kind = DRIVE_EMPTY;
	block_init("ram");
	assert_int_equal(block_find_swap().sectors, 0);
	assert_null(strstr(host_log, "swap"));
	hdc->kind = DRIVE_NONE;
	assert_int_equal(block_find_swap().sectors, 0);
	hdc->kind = DRIVE_BUSY;
	assert_int_equal(block_find_swap().sectors, 0);
	assert_non_null(strstr(host_log, "hdc: the drive stays busy"));
}

static void test_swap_behind_a_ram_disk_that_is_not_there_is_said(void **state)
{
	(void)state;
	plug(DRIVE_GOOD);
	hdc->kind = DRIVE_EMPTY;
	boot_info.swap_size = PAGE_SIZE;
	assert_int_equal(block_find_swap().sectors, 0);
	assert_non_null(strstr(host_log, "swap= is for a RAM disk"));
}

static void test_a_second_drive_is_swapped_to_behind_its_signature(void **state)
{
	struct swap_area a;

	(void)state;
	plug(DRIVE_GOOD);
	memcpy(image->image + SIGNATURE_AT, "SWAPSPACE2", 10);
	drive_plug(1, DRIVE_GOOD, image->image, SECTORS);
	a = block_find_swap();
	assert_string_equal(a.dev->name, "hdc");
	assert_int_equal(a.first, PAGE_SIZE / SECTOR_SIZE);
	assert_int_equal(a.first + a.sectors, SECTORS);
	assert_parts_written(a.dev, image->image, a.first + 5);
	assert_parts_read(a.dev, image->image, a.first + 7);
	assert_int_equal(hda->reads + hda->writes, 0);
}

static void test_a_disk_that_does_not_say_so_is_never_written(void **state)
{
	(void)state;
	plug(DRIVE_GOOD);
	drive_plug(1, DRIVE_GOOD, image->image, SECTORS);
	assert_int_equal(block_find_swap().sectors, 0);
	assert_non_null(strstr(host_log, "hdc: mkswap has not been here: left alone"));
	assert_int_equal(hdc->writes, 0);
}

static void test_a_second_drive_that_cannot_be_read_is_left_alone(void **state)
{
	(void)state;
	plug(DRIVE_GOOD);
	memcpy(image->image + SIGNATURE_AT, "SWAPSPACE2", 10);
	drive_plug(1, DRIVE_GOOD, image->image, SECTORS);
	hdc->bad_sector = SIGNATURE_AT / SECTOR_SIZE;
	assert_int_equal(block_find_swap().sectors, 0);
	assert_non_null(strstr(host_log, "hdc: read sector 7"));
	assert_non_null(strstr(host_log, "hdc: cannot be read: left alone"));
	/* Too small for a signature. */
	block_devices[1] = NULL;
	drive_plug(1, DRIVE_GOOD, image->image, 7);
	assert_int_equal(block_find_swap().sectors, 0);
	assert_int_equal(hdc->writes, 0);
}

static void test_the_root_is_never_on_the_second_channel(void **state)
{
	(void)state;
	hda->kind = DRIVE_EMPTY;
	drive_plug(1, DRIVE_GOOD, image->image, SECTORS);
	assert_null(block_init("ide"));
	assert_null(block_init(""));
	assert_int_equal(hdc->reads, 0);
}

/* Interrupts of one channel are no business of the other, even when both are at work. */
static void test_two_drives_work_at_once(void **state)
{
	static uint8_t data[2][4 * SECTOR_SIZE];
	struct request first = { .sector = 20, .count = 4, .data = data[0] };
	struct block_device *d = plug(DRIVE_GOOD);
	struct swap_area a;

	(void)state;
	memcpy(image->image + SIGNATURE_AT, "SWAPSPACE2", 10);
	drive_plug(1, DRIVE_GOOD, image->image, SECTORS);
	a = block_find_swap();
	/* By hand, so that the test does not sleep until both have begun. */
	waitq_init(&first.wait);
	list_add_tail(&first.link, &d->queue);
	d->busy = true;
	d->start(d);
	assert_int_equal(transfer(a.dev, 40, 4, false), 0);
	assert_memory_equal(out, image->image + 40 * SECTOR_SIZE, 4 * SECTOR_SIZE);
	while (!first.done)
		assert_true(host_idle());
	assert_memory_equal(data[0], image->image + 20 * SECTOR_SIZE, sizeof(data[0]));
}

struct reader {
	struct request r;
	int err;
	struct host_task *task;
};

static void read_one(void *arg)
{
	struct reader *r = arg;

	r->err = block_do(&image->dev, &r->r);
}

static void test_many_failing_requests_do_not_pile_up_the_stack(void **state)
{
	static struct reader readers[64];
	static uint8_t data[SECTOR_SIZE];

	(void)state;
	image->mode = DISK_WHEN_TOLD;
	for (uint32_t i = 0; i < 64; i++) {
		readers[i].r = (struct request){ .sector = 3, .count = 1, .data = data };
		readers[i].task = host_start(read_one, &readers[i]);
	}
	image->fail_sector = 3;
	image->mode = DISK_AT_ONCE; /* all those that wait fail inside start() */
	disk_finish(image);
	for (uint32_t i = 0; i < 64; i++) {
		host_join(readers[i].task);
		assert_int_equal(readers[i].err, -EIO);
	}
	assert_int_equal(image->dev.errors, 64);
}

/* --- the order of those that wait ---------------------------------------------------------- */

#define WAIT 6u
static const uint32_t wanted[WAIT] = { 500, 100, 700, 300, 900, 200 };

/* Submit all of `wanted` while the disk is busy with the first; the order in which they end. */
static void serve_waiting(uint32_t *order)
{
	static uint8_t data[SECTOR_SIZE];
	static struct request r[WAIT];

	image->mode = DISK_WHEN_TOLD;
	for (uint32_t i = 0; i < WAIT; i++) {
		r[i] = (struct request){ .sector = wanted[i], .count = 1, .data = data };
		assert_int_equal(block_submit(&image->dev, &r[i]), 0);
	}
	for (uint32_t i = 0; i < WAIT; i++) {
		order[i] = block_head(&image->dev)->sector;
		disk_finish(image);
	}
	assert_false(image->dev.busy);
	for (uint32_t i = 0; i < WAIT; i++)
		assert_true(r[i].done && !r[i].error);
}

static void test_an_elevator_serves_upwards_from_where_the_arm_is(void **state)
{
	static const uint32_t upwards[WAIT] = { 500, 700, 900, 100, 200, 300 };
	uint32_t order[WAIT];

	(void)state;
	disk_elevator = 1;
	serve_waiting(order);
	assert_memory_equal(order, upwards, sizeof(order));
}

static void test_without_an_elevator_first_come_is_first_served(void **state)
{
	uint32_t order[WAIT];

	(void)state;
	disk_elevator = 0;
	serve_waiting(order);
	disk_elevator = 1;
	assert_memory_equal(order, wanted, sizeof(order));
}

static void test_a_seek_is_counted_where_a_request_does_not_follow_the_one_before(void **state)
{
	struct block_device *d = &image->dev;

	(void)state;
	read_sectors(d, 0, 8);
	assert_int_equal(d->seeks, 0);
	read_sectors(d, 8, 8);
	assert_int_equal(d->seeks, 0);
	read_sectors(d, 17, 1);
	read_sectors(d, 17, 1);
	assert_int_equal(d->seeks, 2);
}

static uint32_t ended;
static struct request *to_submit;

static void note_end(struct request *r)
{
	assert_true(r->done);
	ended++;
	if (to_submit) {
		struct request *next = to_submit;

		to_submit = NULL;
		assert_int_equal(block_submit(&image->dev, next), 0);
	}
}

static void test_a_requests_end_is_told_and_may_submit_the_next(void **state)
{
	static uint8_t data[SECTOR_SIZE];
	struct request a = { .sector = 3, .count = 1, .data = data, .end = note_end }, b = a;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		image->mode = i ? DISK_AT_ONCE : DISK_WHEN_TOLD;
		ended = 0;
		to_submit = &b;
		assert_int_equal(block_submit(&image->dev, &a), 0);
		while (image->dev.busy)
			disk_finish(image);
		assert_int_equal(ended, 2);
		assert_true(b.done);
	}
	image->fail_sector = 3;
	assert_int_equal(block_submit(&image->dev, &a), 0);
	assert_int_equal(a.error, -EIO);
	assert_int_equal(ended, 3);
	a.sector = SECTORS;
	assert_int_equal(block_submit(&image->dev, &a), -EINVAL);
	assert_int_equal(ended, 3);
}

static struct waitq done_wait = WAITQ_INIT(done_wait);
static bool is_done;

static void wake_sleeper(struct request *r)
{
	(void)r;
	is_done = true;
	wake_all(&done_wait);
}

static void test_who_sleeps_for_another_request_ends_one_that_is_overdue(void **state)
{
	static uint8_t data[SECTOR_SIZE];
	struct request r = { .sector = 3, .count = 1, .data = data, .end = wake_sleeper };
	struct block_device *d = plug(DRIVE_SILENT);

	(void)state;
	is_done = false;
	assert_int_equal(block_submit(d, &r), 0);
	while (!is_done)
		block_sleep(&done_wait);
	assert_int_equal(r.error, -EIO);
	assert_non_null(strstr(host_log, "timed out"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
		T(test_a_disk_waits_for_the_sector_to_come_round),
		T(test_a_seek_grows_with_the_root_of_the_distance),
		T(test_root_chooses_the_disk),
		T(test_ram_disk_is_the_module),
		T(test_many_failing_requests_do_not_pile_up_the_stack),
		T(test_no_drive_is_no_disk),
		T(test_drive_that_never_gets_ready_does_not_hang_boot),
		T(test_ide_reads_what_is_on_the_disk),
		T(test_ide_writes_what_it_is_given),
		T(test_request_beyond_the_end_never_reaches_the_drive),
		T(test_ide_error_names_the_sector),
		T(test_ide_moves_each_part_to_its_own_place),
		T(test_ram_disk_moves_each_part_to_its_own_place),
		T(test_an_error_in_a_later_part_leaves_the_rest_alone),
		T(test_swap_area_begins_on_the_page_behind_the_ram_disks_image),
		T(test_no_swap_is_no_swap),
		T(test_swap_behind_a_ram_disk_that_is_not_there_is_said),
		T(test_a_second_drive_is_swapped_to_behind_its_signature),
		T(test_a_disk_that_does_not_say_so_is_never_written),
		T(test_a_second_drive_that_cannot_be_read_is_left_alone),
		T(test_the_root_is_never_on_the_second_channel),
		T(test_two_drives_work_at_once),
		T(test_an_elevator_serves_upwards_from_where_the_arm_is),
		T(test_without_an_elevator_first_come_is_first_served),
		T(test_a_seek_is_counted_where_a_request_does_not_follow_the_one_before),
		T(test_a_requests_end_is_told_and_may_submit_the_next),
		T(test_who_sleeps_for_another_request_ends_one_that_is_overdue),
		T(test_drive_that_falls_silent_is_an_error_and_reset),
		T(test_lost_interrupts_cost_time_but_no_data),
		T(test_dead_drive_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
