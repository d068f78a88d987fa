/*
 * test_buffer.c - what the buffer cache promises.
 */
#include "host/host.h"

#include "block/cache.h"
#include "cpu/timer.h"

#define KB 1024u

static struct disk *disk;

static int set_up(void **state)
{
	(void)state;
	host_memory(4096);
	disk = disk_new(8192 * KB);
	return buffer_init(1024);
}

static int tear_down(void **state)
{
	(void)state;
	host_fail_at = 0;
	cache_order = 1;
	cache_policy = CACHE_LRU;
	cache_size = CACHE_DYNAMIC;
	cache_sparse = disk_fail = 0;
	disk->fail_sector = NO_SECTOR;
	disk->fail_writes = false;
	disk->mode = DISK_AT_ONCE;
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(telemetry.cache.dirty, 0);
	assert_int_equal(telemetry.cache.failed, 0);
	assert_true(host_no_buffer_in_use());
	assert_int_equal(buffer_init(1024), 0); /* all of them go */
	assert_int_equal(host_objects, 0);
	assert_int_equal(telemetry.cache.buffers, 0);
	assert_int_equal(telemetry.cache.free, 0);
	disk_free(disk);
	return 0;
}

static struct buffer *get(uint32_t block)
{
	struct buffer *b;

	assert_int_equal(buffer_read(&disk->dev, block, &b), 0);
	assert_int_equal(*(uint32_t *)b->data, block * buffer_size);
	return b;
}

static void touch(uint32_t block)
{
	buffer_put(get(block));
}

static bool cached(uint32_t block)
{
	for (struct buffer *b = buffer_next(NULL); b; b = buffer_next(b))
		if (b->dev && b->block == block && b->valid)
			return true;
	return false;
}

static void test_second_read_of_a_block_is_a_hit(void **state)
{
	struct telemetry_cache before = telemetry.cache;

	(void)state;
	touch(7);
	touch(7);
	assert_int_equal(disk->reads, 1);
	assert_int_equal(telemetry.cache.hits - before.hits, 1);
	assert_int_equal(telemetry.cache.misses - before.misses, 1);
	assert_int_equal(telemetry.cache.reads - before.reads, 1);
}

static void test_block_exists_once(void **state)
{
	struct buffer *a = get(3), *b = get(3);

	(void)state;
	assert_ptr_equal(a, b);
	assert_int_equal(a->refs, 2);
	buffer_put(a);
	buffer_put(b);
}

static void test_devices_do_not_mix(void **state)
{
	struct disk *other = disk_new(64 * KB);
	struct buffer *a = get(3), *b;

	(void)state;
	other->image[3 * KB] = 0x77;
	assert_int_equal(buffer_read(&other->dev, 3, &b), 0);
	assert_ptr_not_equal(a, b);
	assert_int_equal(b->data[0], 0x77);
	buffer_put(a);
	buffer_put(b);
	buffer_drop();
	disk_free(other);
}

static void test_every_block_size_reads_the_same_bytes(void **state)
{
	(void)state;
	for (uint32_t size = 1024; size <= 4096; size *= 2) {
		assert_int_equal(buffer_init(size), 0);
		for (uint32_t block = 0; block < 50; block++)
			touch(block);
		assert_int_equal(telemetry.cache.buffers % (4096 / size), 0);
	}
	assert_int_equal(buffer_init(512), -EINVAL);
	assert_int_equal(buffer_init(3000), -EINVAL);
}

static void test_block_size_cannot_change_under_a_user(void **state)
{
	struct buffer *b = get(1);

	(void)state;
	assert_int_equal(buffer_init(4096), -EBUSY);
	assert_int_equal(*(uint32_t *)b->data, KB);
	buffer_put(b);
	assert_int_equal(buffer_init(4096), 0);
}

static void test_block_beyond_the_end_is_an_error(void **state)
{
	struct buffer *b;

	(void)state;
	touch(8191);
	assert_int_equal(buffer_read(&disk->dev, 8192, &b), -EIO);
	assert_int_equal(buffer_read(&disk->dev, UINT32_MAX, &b), -EIO);
	assert_int_equal(buffer_read(&disk->dev, 0x80000001u, &b),
			 -EIO); /* times 2 it is block 1 */
}

static void test_cache_grows_and_leaves_an_eighth_of_memory(void **state)
{
	(void)state;
	host_memory(800);
	for (uint32_t block = 0; block < 8000; block++)
		touch(block);
	assert_int_equal(frames_of[FRAME_FREE], 100);
	assert_int_equal(telemetry.cache.buffers, 2800);
	assert_int_equal(telemetry.cache.free, 0);
}

static void test_longest_unused_block_goes_first(void **state)
{
	(void)state;
	host_memory(80); /* 70 frames, 280 buffers */
	for (uint32_t block = 0; block < 280; block++)
		touch(block);
	touch(0); /* now 1 is the longest unused */
	touch(1000);
	assert_true(cached(0));
	assert_false(cached(1));
	assert_true(cached(2));
	touch(2);
	touch(1001);
	touch(1002);
	assert_true(cached(2));
	assert_false(cached(3));
	assert_false(cached(4));
	assert_true(cached(5));
}

static void test_buffer_in_use_is_never_taken(void **state)
{
	struct buffer *b = get(5);

	(void)state;
	host_memory(80);
	for (uint32_t block = 1000; block < 3000; block++)
		touch(block);
	assert_int_equal(b->block, 5);
	assert_int_equal(*(uint32_t *)b->data, 5 * KB);
	buffer_put(b);
}

static void test_free_buffer_is_taken_before_a_full_one(void **state)
{
	(void)state;
	touch(1); /* a frame: one full, three free */
	assert_int_equal(telemetry.cache.buffers, 4);
	assert_int_equal(telemetry.cache.free, 3);
	touch(2);
	touch(3);
	touch(4);
	assert_int_equal(telemetry.cache.buffers, 4);
	assert_int_equal(telemetry.cache.free, 0);
	assert_true(cached(1));
}

static void test_all_in_use_and_no_memory_is_enomem(void **state)
{
	struct buffer *held[40], *b;
	uint32_t n = 0;

	(void)state;
	host_memory(10);
	while (buffer_read(&disk->dev, n, &b) == 0)
		held[n++] = b;
	assert_int_equal(n, 40);
	assert_int_equal(buffer_read(&disk->dev, n, &b), -ENOMEM);
	buffer_put(held[--n]);
	touch(500);
	while (n)
		buffer_put(held[--n]);
}

static void test_memory_pressure_takes_unused_frames_longest_unused_first(void **state)
{
	struct buffer *b;
	void *frame;

	(void)state;
	host_memory(16);
	for (uint32_t block = 0; block < 56; block++)
		touch(block);
	assert_int_equal(frames_of[FRAME_CACHE], 14);
	b = get(2); /* blocks 0 to 3 share a frame: it must stay */
	for (int i = 0; i < 3; i++) {
		frame = frame_alloc(FRAME_USER);
		assert_non_null(frame);
		free(frame);
	}
	assert_int_equal(frames_of[FRAME_CACHE], 13);
	assert_true(cached(0) && cached(1) && cached(2) && cached(3));
	assert_false(cached(4) || cached(5) || cached(6) || cached(7));
	assert_true(cached(8));
	assert_int_equal(*(uint32_t *)b->data, 2 * KB);
	buffer_put(b);
	touch(4); /* comes back */
}

static void test_drop_forgets_what_is_unused(void **state)
{
	struct buffer *b = get(0);

	(void)state;
	for (uint32_t block = 1; block < 100; block++)
		touch(block);
	assert_int_equal(buffer_drop(), 99);
	assert_int_equal(telemetry.cache.buffers, 4); /* the frame with block 0 */
	assert_int_equal(telemetry.cache.free, 3);
	assert_true(cached(0));
	buffer_put(b);
	assert_int_equal(buffer_drop(), 1);
	assert_int_equal(telemetry.cache.buffers, 0);
	assert_int_equal(frames_of[FRAME_CACHE], 0);
}

static void test_read_error_is_reported_and_a_later_try_works(void **state)
{
	struct buffer *b;

	(void)state;
	disk->fail_sector = 15; /* the second half of block 7 */
	assert_int_equal(buffer_read(&disk->dev, 7, &b), -EIO);
	assert_int_equal(buffer_read(&disk->dev, 7, &b), -EIO);
	assert_int_equal(disk->reads, 2);
	assert_int_equal(disk->dev.errors, 2);
	assert_false(cached(7));
	assert_int_equal(telemetry.cache.free, telemetry.cache.buffers);
	touch(6);
	touch(8);
	disk->fail_sector = NO_SECTOR;
	touch(7);
}

static void test_every_failing_allocation_is_survived(void **state)
{
	(void)state;
	for (uint32_t at = 1; at < 12; at++) {
		struct buffer *b;

		host_fail_at = at;
		for (uint32_t block = 0; block < 20; block++) {
			int err = buffer_read(&disk->dev, block, &b);

			assert_true(err == 0 || err == -ENOMEM);
			if (!err)
				buffer_put(b);
		}
		host_fail_at = 0;
		assert_true(host_no_buffer_in_use());
		buffer_drop();
		assert_int_equal(frames_of[FRAME_CACHE], 0);
	}
}

struct reader {
	uint32_t block;
	int err;
	struct buffer *b;
	struct host_task *task;
};

static void read_one(void *arg)
{
	struct reader *r = arg;

	r->err = buffer_read(&disk->dev, r->block, &r->b);
}

static void start_readers(struct reader *r, uint32_t n, uint32_t block)
{
	disk->mode = DISK_WHEN_TOLD;
	for (uint32_t i = 0; i < n; i++) {
		r[i].block = block;
		r[i].task = host_start(read_one, &r[i]);
	}
}

static void test_one_reader_fills_while_others_wait(void **state)
{
	struct reader r[4];

	(void)state;
	start_readers(r, 4, 9);
	assert_int_equal(host_settle(), 4);
	assert_int_equal(disk->reads, 1);
	disk_finish(disk);
	for (int i = 0; i < 4; i++) {
		host_join(r[i].task);
		assert_int_equal(r[i].err, 0);
		assert_ptr_equal(r[i].b, r[0].b);
	}
	assert_int_equal(r[0].b->refs, 4);
	assert_int_equal(disk->reads, 1);
	for (int i = 0; i < 4; i++)
		buffer_put(r[i].b);
}

static void test_waiters_learn_of_the_error_too(void **state)
{
	struct reader r[3];

	(void)state;
	disk->fail_sector = 18;
	start_readers(r, 3, 9);
	disk_finish(disk);
	for (int i = 0; i < 3; i++) {
		host_join(r[i].task);
		assert_int_equal(r[i].err, -EIO);
	}
	assert_int_equal(disk->reads, 1);
	disk->fail_sector = NO_SECTOR;
	disk->mode = DISK_AT_ONCE;
	touch(9);
}

static void test_a_block_being_read_survives_memory_pressure(void **state)
{
	struct reader r[1];

	(void)state;
	start_readers(r, 1, 9);
	assert_int_equal(buffer_drop(), 0);
	assert_int_equal(buffer_init(2048), -EBUSY);
	disk_finish(disk);
	host_join(r[0].task);
	assert_int_equal(*(uint32_t *)r[0].b->data, 9 * KB);
	buffer_put(r[0].b);
}

static void test_requests_are_served_in_order(void **state)
{
	struct reader r[3];

	(void)state;
	disk_elevator = 0;
	for (uint32_t i = 0; i < 3; i++)
		start_readers(&r[i], 1, 20 - i);
	assert_int_equal(disk->reads, 1); /* one at a time */
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(block_head(&disk->dev)->sector, (20 - i) * 2);
		disk_finish(disk);
		host_settle();
		assert_int_equal(r[i].err, 0);
		host_join(r[i].task);
		buffer_put(r[i].b);
	}
	disk_elevator = 1;
}

/* Put `value` into the first word of a block; it becomes dirty. */
static void change(uint32_t block, uint32_t ino, uint32_t value)
{
	struct buffer *b;

	assert_int_equal(buffer_read(&disk->dev, block, &b), 0);
	b->ino = ino;
	buffer_begin(b);
	*(uint32_t *)b->data = value;
	buffer_dirty(b);
	buffer_put(b);
}

static uint32_t on_disk(uint32_t block)
{
	return *(uint32_t *)(disk->image + block * buffer_size);
}

static struct buffer *dirty(uint32_t block)
{
	struct buffer *b = get(block);

	buffer_begin(b);
	buffer_dirty(b);
	return b;
}

/* --- what comes along with a read --------------------------------------------------------- */

static struct buffer *read_run(uint32_t block, uint32_t n)
{
	struct buffer *b;

	assert_int_equal(buffer_read_run(&disk->dev, block, n, 9, &b), 0);
	assert_int_equal(*(uint32_t *)b->data, block * buffer_size);
	return b;
}

/* Enough buffers that a quarter of them is more than a run. */
static void fill_cache(void)
{
	for (uint32_t block = 4000; block < 4100; block++)
		touch(block);
}

static void test_blocks_behind_come_along_in_one_request(void **state)
{
	struct telemetry_cache before;
	uint32_t requests;

	(void)state;
	fill_cache();
	before = telemetry.cache;
	requests = disk->reads;
	buffer_put(read_run(100, READ_RUN_MAX));
	assert_int_equal(disk->reads - requests, 1);
	assert_int_equal(telemetry.cache.reads - before.reads, READ_RUN_MAX);
	assert_int_equal(telemetry.cache.readahead - before.readahead, READ_RUN_MAX - 1);
	for (uint32_t block = 100; block < 100 + READ_RUN_MAX; block++) {
		struct buffer *b = buffer_hit(&disk->dev, block);

		assert_non_null(b);
		assert_int_equal(*(uint32_t *)b->data, block * KB);
		assert_int_equal(b->ino, 9);
		assert_int_equal(b->refs, 1);
		buffer_put(b);
	}
	assert_int_equal(telemetry.cache.misses - before.misses, 1);
}

static void test_a_run_ends_at_a_block_that_is_there_and_at_the_disks_end(void **state)
{
	struct buffer *b;
	uint32_t ahead;

	(void)state;
	fill_cache();
	b = dirty(105); /* what is in it is newer than the disk */
	*(uint32_t *)b->data = 1;
	ahead = telemetry.cache.readahead;
	buffer_put(read_run(100, 17));
	assert_int_equal(telemetry.cache.readahead - ahead, 4);
	assert_int_equal(*(uint32_t *)b->data, 1);
	assert_false(cached(106));
	buffer_put(read_run(8190, 17));
	assert_int_equal(telemetry.cache.readahead - ahead, 5);
	buffer_put(b);
}

static void test_an_error_behind_the_block_that_is_wanted_does_not_matter(void **state)
{
	struct buffer *b;

	(void)state;
	fill_cache();
	disk->fail_sector = 105 * 2;
	buffer_put(read_run(100, 17));
	assert_true(cached(100));
	assert_false(cached(101) || cached(105));
	assert_int_equal(buffer_read_run(&disk->dev, 105, 17, 9, &b), -EIO);
	buffer_put(read_run(104, 17));
}

static void read_run_of(void *arg)
{
	struct reader *r = arg;

	r->err = buffer_read_run(&disk->dev, r->block, 17, 9, &r->b);
}

/* Who waits for a block that was to come along learns of its own errors only. */
static void test_who_waits_for_a_block_that_comes_along_reads_it_himself_if_that_fails(void **state)
{
	struct reader r[3] = { { .block = 100 }, { .block = 103 }, { .block = 105 } };

	(void)state;
	fill_cache();
	disk->mode = DISK_WHEN_TOLD;
	disk->fail_sector = 105 * 2;
	r[0].task = host_start(read_run_of, &r[0]);
	r[1].task = host_start(read_one, &r[1]);
	r[2].task = host_start(read_one, &r[2]);
	while (host_settle())
		disk_finish(disk);
	for (uint32_t i = 0; i < 3; i++)
		host_join(r[i].task);
	assert_int_equal(r[0].err, 0);
	assert_int_equal(r[1].err, 0);
	assert_int_equal(r[2].err, -EIO);
	assert_int_equal(*(uint32_t *)r[1].b->data, 103 * KB);
	buffer_put(r[0].b);
	buffer_put(r[1].b);
}

static void test_a_run_takes_at_most_a_quarter_of_a_small_cache(void **state)
{
	uint32_t ahead = telemetry.cache.readahead;

	(void)state;
	host_memory(8);
	for (uint32_t block = 0; block < 100; block++)
		touch(block);
	assert_int_equal(telemetry.cache.buffers, 28);
	buffer_put(read_run(1000, 17));
	assert_int_equal(telemetry.cache.readahead - ahead, 7);
}

/* --- which block goes --------------------------------------------------------------------- */

/* 28 buffers are full of blocks 0 to 27; 0 to 9 are used again, and then twenty others read.  Which
 * of the first are left? */
static void use_and_replace(int policy, bool *left)
{
	host_memory(8);
	cache_policy = policy;
	for (uint32_t block = 0; block < 28; block++)
		touch(block);
	/* Clock: nothing but new blocks so far, each used once.  One more takes all their marks. */
	touch(100);
	for (uint32_t block = 1; block < 10; block++)
		touch(block);
	for (uint32_t block = 1000; block < 1015; block++)
		touch(block);
	for (uint32_t block = 0; block < 28; block++)
		left[block] = cached(block);
}

static void test_policies_differ_in_what_using_a_block_again_does(void **state)
{
	bool left[28];

	(void)state;
	for (int policy = CACHE_LRU; policy <= CACHE_FIFO; policy++) {
		use_and_replace(policy, left);
		assert_false(left[0]);
		for (uint32_t block = 1; block < 28; block++)
			if (policy == CACHE_FIFO)
				assert_int_equal(left[block], block > 15);
			else
				assert_int_equal(left[block], block < 10 || block > 24);
	}
}

/* The clock has one bit, where LRU has an order. */
static void test_clock_does_not_know_who_was_used_last(void **state)
{
	(void)state;
	for (int policy = CACHE_LRU; policy <= CACHE_CLOCK; policy++) {
		host_memory(8);
		cache_policy = policy;
		for (uint32_t block = 0; block < 28; block++)
			touch(block);
		touch(0); /* the latest use of all */
		touch(100);
		assert_int_equal(cached(0), policy == CACHE_LRU);
	}
}

static void test_a_policy_may_change_while_it_runs(void **state)
{
	(void)state;
	host_memory(8);
	for (uint32_t n = 0; n < 3000; n++) {
		cache_policy = n / 100 % 3;
		touch(n * 7 % 61);
	}
	assert_int_equal(telemetry.cache.buffers, 28);
}

/* --- how large it is ---------------------------------------------------------------------- */

static void set_size(int size)
{
	cache_size = size;
	cache_size_changed();
}

static void test_a_fixed_size_is_taken_at_once_and_kept(void **state)
{
	void *frame;

	(void)state;
	host_memory(400);
	set_size(400); /* KB */
	assert_int_equal(telemetry.cache.buffers, 400);
	for (uint32_t block = 0; block < 1000; block++)
		touch(block);
	assert_int_equal(telemetry.cache.buffers, 400);
	while ((frame = frame_alloc(FRAME_USER)))
		free(frame);
	assert_int_equal(frames_of[FRAME_CACHE], 100);
	buffer_drop();
	assert_int_equal(telemetry.cache.buffers, 400);
	assert_int_equal(telemetry.cache.free, 400);
	for (uint32_t block = 0; block < 400; block++)
		change(block, 3, block + 1);
	set_size(100);
	assert_int_equal(telemetry.cache.buffers, 100);
	assert_int_equal(on_disk(399), 400);
	frames_of[FRAME_FREE] += 300;
	set_size(CACHE_DYNAMIC);
	frame = frame_alloc(FRAME_USER);
	free(frame);
	for (uint32_t block = 2000; block < 3000; block++)
		touch(block);
	assert_true(telemetry.cache.buffers > 400);
}

static void test_a_size_that_memory_has_not_is_taken_as_far_as_it_goes(void **state)
{
	(void)state;
	host_memory(80);
	set_size(65536);
	assert_int_equal(frames_of[FRAME_FREE], 80 / 8);
	assert_int_equal(telemetry.cache.buffers, 280);
}

static void test_096c_sizes_its_cache_by_memory(void **state)
{
	static const struct {
		uint32_t memory, cache; /* MB, KB */
	} claim[] = {
		{ 2, 512 }, { 4, 1536 }, { 6, 2048 }, { 8, 2048 }, { 12, 4096 }, { 16, 4096 }
	};

	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(claim); i++) {
		set_size(CACHE_DYNAMIC);
		host_memory(claim[i].memory * 256);
		set_size(CACHE_096C);
		assert_int_equal(telemetry.cache.buffers, claim[i].cache);
	}
}

static void test_a_sparse_cache_has_half_as_many_buffers_in_the_same_memory(void **state)
{
	(void)state;
	cache_sparse = 1;
	for (uint32_t size = 1024; size <= 4096; size *= 2) {
		assert_int_equal(buffer_init(size), 0);
		host_memory(80);
		for (uint32_t block = 0; block < 600; block++)
			touch(block);
		assert_int_equal(frames_of[FRAME_CACHE], 70);
		assert_int_equal(telemetry.cache.buffers, size == 1024 ? 140 : 70);
	}
	/* What there is stays as it is when that changes, and goes as it came. */
	host_memory(1000);
	assert_int_equal(buffer_init(1024), 0);
	for (uint32_t block = 0; block < 400; block++) {
		cache_sparse = block % 2;
		touch(block);
	}
	assert_in_range(telemetry.cache.buffers, 400, 403);
}

/* --- writing ----------------------------------------------------------------------------- */

static void test_sync_writes_what_is_dirty_and_nothing_else(void **state)
{
	struct telemetry_cache before = telemetry.cache;

	(void)state;
	for (uint32_t block = 0; block < 100; block++)
		touch(block);
	change(7, 3, 77);
	change(50, 3, 78);
	change(50, 3, 79);
	assert_int_equal(telemetry.cache.dirty, 2);
	assert_int_equal(on_disk(7), 7 * KB);
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(on_disk(7), 77);
	assert_int_equal(on_disk(50), 79);
	assert_int_equal(telemetry.cache.dirty, 0);
	assert_int_equal(telemetry.cache.writes - before.writes, 2);
	assert_int_equal(disk->dev.sectors_written, 4);
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(disk->dev.sectors_written, 4);
}

static void test_neighbours_are_written_in_one_request(void **state)
{
	struct telemetry_cache before = telemetry.cache;

	(void)state;
	for (uint32_t i = 0; i < 40; i++)
		change(100 + i * 7 % 40, 3, i); /* in no order */
	change(200, 3, 1);
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(on_disk(100 + i * 7 % 40), i);
	assert_in_range(telemetry.cache.write_requests - before.write_requests, 4, 5);
	assert_int_equal(telemetry.cache.writes - before.writes, 41);
}

static void test_a_files_sync_leaves_other_files_blocks_alone(void **state)
{
	struct buffer *b = get(30);

	(void)state;
	b->meta = true;
	b->ino = 9;
	buffer_begin(b);
	*(uint32_t *)b->data = 3;
	buffer_dirty(b);
	buffer_put(b);
	change(10, 5, 1);
	change(11, 6, 2);
	assert_int_equal(buffer_sync(5), 0);
	assert_int_equal(on_disk(10), 1);
	assert_int_equal(on_disk(30), 3);
	assert_int_equal(on_disk(11), 11 * KB);
	assert_int_equal(telemetry.cache.dirty, 1);
}

static void test_a_new_block_is_zeros_and_is_not_read(void **state)
{
	struct buffer *b;

	(void)state;
	assert_int_equal(buffer_new(&disk->dev, 9, &b), 0);
	for (uint32_t i = 0; i < KB; i++)
		assert_int_equal(b->data[i], 0);
	assert_true(b->valid && !b->dirty);
	assert_int_equal(disk->reads, 0);
	buffer_put(b);
	assert_int_equal(buffer_new(&disk->dev, 8192, &b), -EIO);
}

static void test_a_cancelled_block_never_reaches_the_disk(void **state)
{
	(void)state;
	change(7, 3, 77);
	buffer_cancel(&disk->dev, 7);
	buffer_cancel(&disk->dev, 8); /* nobody has it */
	assert_int_equal(telemetry.cache.dirty, 0);
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(on_disk(7), 7 * KB);
}

static void sync_all(void *arg)
{
	*(int *)arg = buffer_sync(BUFFER_ALL);
}

static void change_it(void *arg)
{
	struct buffer *b = arg;

	buffer_begin(b);
	*(uint32_t *)b->data = 2;
	buffer_dirty(b);
}

static void test_what_is_on_its_way_does_not_change(void **state)
{
	struct buffer *b = get(7);
	struct host_task *sync, *other;
	int err = 1;

	(void)state;
	change(7, 3, 1);
	disk->mode = DISK_WHEN_TOLD;
	sync = host_start(sync_all, &err);
	assert_true(b->locked && !b->dirty);
	other = host_start(change_it, b);
	assert_int_equal(*(uint32_t *)b->data, 1);
	disk_finish(disk);
	host_join(sync);
	host_join(other);
	assert_int_equal(err, 0);
	assert_int_equal(on_disk(7), 1);
	assert_true(b->dirty); /* the sync had not to write it a second time */
	assert_int_equal(*(uint32_t *)b->data, 2);
	assert_int_equal(b->written, 1);
	buffer_put(b);
}

static void test_a_buffer_dirtied_on_its_way_stays_dirty(void **state)
{
	struct buffer *b = get(7);
	struct host_task *sync;
	int err = 1;

	(void)state;
	change(7, 3, 1);
	disk->mode = DISK_WHEN_TOLD;
	sync = host_start(sync_all, &err);
	buffer_dirty(b);
	disk_finish(disk);
	host_join(sync);
	assert_int_equal(err, 0);
	assert_true(b->dirty);
	buffer_put(b);
}

/* Others make blocks dirty as fast as the disk writes them. */
static void test_a_sync_ends_however_busy_others_are(void **state)
{
	uint32_t rounds = 0;
	struct host_task *sync;
	int err = 1;

	(void)state;
	for (uint32_t i = 0; i < 50; i++)
		change(10 * i, 3, i);
	disk->mode = DISK_WHEN_TOLD;
	sync = host_start(sync_all, &err);
	while (err == 1 && rounds++ < 1000) {
		for (uint32_t i = 0; i < 50; i++) {
			struct buffer *b = buffer_look(&disk->dev, 10 * i);

			if (!b->locked)
				change(10 * i, 3, rounds);
		}
		disk_finish(disk);
		host_settle();
	}
	host_join(sync);
	assert_int_equal(err, 0);
	assert_in_range(rounds, 1, 50);
}

static void test_a_bad_block_costs_itself_only(void **state)
{
	uint32_t errors;

	(void)state;
	host_log_clear();
	for (uint32_t i = 0; i < 16; i++)
		change(100 + i, 3, i);
	disk->fail_sector = 105 * 2;
	assert_int_equal(buffer_sync(BUFFER_ALL), -EIO);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(on_disk(100 + i), i == 5 ? 105 * KB : i);
	assert_int_equal(telemetry.cache.dirty, 1);
	assert_int_equal(telemetry.cache.failed, 1);
	assert_non_null(strstr(host_log, "disk: block 105 cannot be written"));
	errors = disk->dev.errors;
	assert_int_equal(errors, 2); /* together with others, and alone */

	host_log_clear(); /* it is said once */
	assert_int_equal(buffer_sync(BUFFER_ALL), -EIO);
	assert_int_equal(disk->dev.errors, errors + 1);
	assert_int_equal(buffer_sync(4), 0); /* whose it is not */
	assert_string_equal(host_log, "");
	disk->fail_sector = NO_SECTOR;
	assert_int_equal(buffer_sync(3), 0);
	assert_int_equal(on_disk(105), 5);
	assert_int_equal(telemetry.cache.failed, 0);
}

static void test_a_disk_that_takes_no_writes_hangs_and_exhausts_nothing(void **state)
{
	(void)state;
	host_memory(40);
	host_log_clear();
	disk->fail_writes = true;
	for (uint32_t block = 0; block < 400; block++)
		change(block, 3, block + 1);
	assert_int_equal(buffer_sync(BUFFER_ALL), -EIO);
	assert_true(telemetry.cache.dirty <= telemetry.cache.buffers);
	assert_true(telemetry.cache.lost > 0);
	assert_non_null(strstr(host_log, "disk: block 0 lost"));
	assert_int_equal(telemetry.cache.lost + telemetry.cache.failed, 400);
	touch(5000); /* reading goes on */
	disk->fail_writes = false;
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(on_disk(399), 400);
	telemetry.cache.lost = 0;
}

static void test_injected_errors_are_counted_and_end(void **state)
{
	struct buffer *b;

	(void)state;
	disk_fail = DISK_READ_FAILS;
	assert_int_equal(buffer_read(&disk->dev, 7, &b), -EIO);
	assert_int_equal(disk->dev.errors, 1);
	disk_fail = DISK_WRITE_FAILS;
	change(7, 3, 1);
	assert_int_equal(buffer_sync(BUFFER_ALL), -EIO);
	assert_int_equal(disk->dev.errors, 2);
	disk_fail = DISK_WORKS;
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(on_disk(7), 1);
}

static void test_dirty_buffers_are_written_when_a_buffer_is_needed(void **state)
{
	(void)state;
	host_memory(10); /* 40 buffers at most */
	for (uint32_t block = 0; block < 300; block++)
		change(block, 3, block + 1);
	for (uint32_t block = 0; block < 200; block++)
		assert_int_equal(on_disk(block), block + 1);
	assert_true(telemetry.cache.written[TELEMETRY_FLUSH_PACE] > 0);
}

static void test_no_more_than_half_of_what_the_cache_may_have_is_dirty(void **state)
{
	(void)state;
	host_memory(80); /* 280 buffers */
	for (uint32_t block = 0; block < 1000; block++) {
		change(block, 3, block + 1);
		assert_in_range(telemetry.cache.dirty, 0, 141);
	}
	assert_true(telemetry.cache.dirty > 70);
}

static void test_who_needs_memory_has_dirty_buffers_written(void **state)
{
	uint32_t cached_frames;

	(void)state;
	host_memory(16);
	for (uint32_t block = 0; block < 20; block++)
		change(block, 3, block + 1);
	cached_frames = frames_of[FRAME_CACHE];
	assert_true(cached_frames >= 5);
	assert_true(host_write_back(false));
	assert_true(frames_of[FRAME_CACHE] < cached_frames);
	assert_int_equal(telemetry.cache.dirty, 0);
	assert_int_equal(on_disk(19), 20);
	assert_false(host_write_back(false)); /* there is nothing left to write */

	/* As a last resort what cannot be written is lost. */
	disk->fail_writes = true;
	change(50, 3, 1);
	buffer_drop();
	assert_false(host_write_back(false));
	assert_true(host_write_back(true));
	assert_false(host_write_back(true));
	assert_int_equal(telemetry.cache.dirty, 0);
	telemetry.cache.lost = 0;
}

static void one_turn(void *arg)
{
	(void)arg;
	flusher_turn();
}

static void test_the_flusher_writes_what_has_been_dirty_for_long_enough(void **state)
{
	struct host_task *t;

	(void)state;
	t = host_start(one_turn, NULL);
	assert_int_equal(host_settle(), 1); /* nothing to do */
	change(7, 3, 1);
	host_join(t); /* woken */
	t = host_start(one_turn, NULL);
	timer_ticks += 4 * timer_hz;
	cache_flush_changed();
	host_join(t);
	assert_int_equal(on_disk(7), 7 * KB); /* not yet */
	change(8, 3, 1);
	timer_ticks += timer_hz;
	flusher_turn();
	assert_int_equal(on_disk(7), 1);
	assert_int_equal(on_disk(8), 1);

	cache_flush = 0;
	change(7, 3, 2);
	timer_ticks += 100 * timer_hz;
	t = host_start(one_turn, NULL);
	assert_int_equal(host_settle(), 1);
	assert_int_equal(on_disk(7), 1);
	cache_flush = 5;
	cache_flush_changed();
	host_join(t);
	flusher_turn();
	assert_int_equal(on_disk(7), 2);
	timer_ticks += 5 * timer_hz;
	disk->fail_writes = true;
	change(7, 3, 3);
	timer_ticks += 5 * timer_hz;
	flusher_turn();
	t = host_start(one_turn, NULL); /* it does not try at once again and again */
	assert_int_equal(host_settle(), 1);
	cache_flush_changed();
	host_join(t);
}

static void write_block_of(void *arg)
{
	struct buffer *b = arg;

	assert_int_equal(buffer_write(b), 0);
	assert_false(b->dirty || b->locked);
}

static void test_several_may_write_at_once(void **state)
{
	struct host_task *t[20];
	struct buffer *b[18];
	int err[2] = { 1, 1 };

	(void)state;
	for (uint32_t i = 0; i < 60; i++)
		change(1000 - 3 * i, 3, i);
	for (uint32_t i = 0; i < 18; i++)
		b[i] = get(2000 + i * 5);
	disk->mode = DISK_WHEN_TOLD;
	t[18] = host_start(sync_all, &err[0]);
	t[19] = host_start(sync_all, &err[1]);
	for (uint32_t i = 0; i < 18; i++) {
		buffer_dirty(b[i]);
		t[i] = host_start(write_block_of, b[i]);
	}
	while (host_settle())
		disk_finish(disk);
	for (uint32_t i = 0; i < 20; i++)
		host_join(t[i]);
	assert_int_equal(err[0] | err[1], 0);
	for (uint32_t i = 0; i < 60; i++)
		assert_int_equal(on_disk(1000 - 3 * i), i);
	for (uint32_t i = 0; i < 18; i++)
		buffer_put(b[i]);
	assert_false(disk->dev.busy);
}

/* --- order ------------------------------------------------------------------------------- */

/* Must not reach the disk before `first` has. */
static void follow(struct buffer *first, struct buffer *then)
{
	buffer_order(first, then);
	buffer_begin(then);
	buffer_dirty(then);
}

static uint32_t order[64], order_length;

static void note_write(uint32_t sector, uint32_t count)
{
	for (uint32_t i = 0; i < count; i += buffer_size / SECTOR_SIZE)
		order[order_length++ % 64] = (sector + i) * SECTOR_SIZE / buffer_size;
}

static void watch_writes(void)
{
	order_length = 0;
	disk->written = note_write;
}

/* Blocks x and y were written, in that order. */
static bool was_before(uint32_t x, uint32_t y)
{
	uint32_t i = 0, k = 0;

	while (i < order_length && order[i] != x)
		i++;
	while (k < order_length && order[k] != y)
		k++;
	return i < k && k < order_length;
}

static void put_all(struct buffer **b, uint32_t n)
{
	while (n-- > 0)
		buffer_put(b[n]);
}

static void test_what_is_pointed_to_reaches_the_disk_first(void **state)
{
	struct buffer *b[4] = { dirty(10), dirty(20), dirty(30), dirty(11) };

	(void)state;
	watch_writes();
	follow(b[1], b[0]); /* 20, then 10; 30, then 20; 11 is 10's neighbour */
	follow(b[2], b[1]);
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(order_length, 4);
	assert_true(was_before(30, 20) && was_before(20, 10) && was_before(11, 10));
	put_all(b, 4);
}

static void test_a_write_brings_along_what_must_go_before_it(void **state)
{
	struct buffer *b[4] = { dirty(10), dirty(20), dirty(30), dirty(40) };

	(void)state;
	watch_writes();
	follow(b[1], b[0]);
	follow(b[2], b[1]);
	assert_int_equal(buffer_write(b[0]), 0);
	assert_int_equal(order_length, 3);
	assert_int_equal(order[0], 30);
	assert_int_equal(order[2], 10);
	assert_true(b[3]->dirty);
	/* So does a file's sync, whosever the others are. */
	buffer_dirty(b[1]);
	b[0]->ino = 5;
	b[1]->ino = 6;
	follow(b[1], b[0]);
	assert_int_equal(buffer_sync(5), 0);
	assert_int_equal(order_length, 5);
	assert_int_equal(order[3], 20);
	assert_int_equal(order[4], 10);
	put_all(b, 4);
}

static void test_order_is_kept_for_what_was_noted_only(void **state)
{
	struct buffer *b[2] = { dirty(10), get(20) };

	(void)state;
	buffer_order(b[1], b[0]); /* 20 is clean: it is there already */
	assert_int_equal(b[0]->pending, 0);
	buffer_order(b[0], b[0]);
	cache_order = 0;
	buffer_dirty(b[1]);
	buffer_order(b[1], b[0]);
	assert_int_equal(b[0]->pending, 0);
	cache_order = 1;
	buffer_order(b[1], b[0]);
	buffer_order(b[1], b[0]);
	assert_int_equal(b[0]->pending, 1);
	assert_int_equal(host_objects - telemetry.cache.buffers / 4, 1);
	put_all(b, 2);
}

static void test_an_edge_that_would_close_a_circle_is_a_write_at_once(void **state)
{
	struct buffer *b[3] = { dirty(10), dirty(20), dirty(30) };
	uint32_t forced = telemetry.cache.forced;

	(void)state;
	watch_writes();
	follow(b[0], b[1]);
	follow(b[1], b[2]);
	assert_int_equal(order_length, 0);
	follow(b[2], b[0]); /* 30 now, and before it 10 and 20 */
	assert_int_equal(telemetry.cache.forced - forced, 1);
	assert_int_equal(order_length, 3);
	assert_int_equal(order[0], 10);
	assert_int_equal(order[2], 30);
	assert_int_equal(b[0]->pending, 0);
	assert_true(b[0]->dirty);
	put_all(b, 3);
}

static void test_order_without_memory_is_a_write_at_once(void **state)
{
	struct buffer *b[2] = { dirty(10), dirty(20) };

	(void)state;
	watch_writes();
	host_fail_at = 1;
	follow(b[0], b[1]);
	host_fail_at = 0;
	assert_int_equal(order_length, 1);
	assert_int_equal(order[0], 10);
	put_all(b, 2);
}

static void test_what_is_on_its_way_counts_once_it_is_there(void **state)
{
	struct buffer *b[2] = { dirty(10), get(20) };
	struct host_task *sync[2];
	int err[2] = { 1, 1 };

	(void)state;
	disk->mode = DISK_WHEN_TOLD;
	watch_writes();
	sync[0] = host_start(sync_all, &err[0]);
	follow(b[0], b[1]);
	sync[1] = host_start(sync_all, &err[1]);
	assert_false(b[1]->locked);
	assert_true(b[1]->dirty);
	disk_finish(disk);
	host_settle();
	assert_true(b[1]->locked);
	disk_finish(disk);
	host_join(sync[0]);
	host_join(sync[1]);
	assert_int_equal(order_length, 2);
	assert_int_equal(err[0] | err[1], 0);
	put_all(b, 2);
}

static void test_what_waits_for_a_block_that_cannot_be_written_is_not_written(void **state)
{
	struct buffer *b[3] = { dirty(10), dirty(20), dirty(30) };

	(void)state;
	follow(b[0], b[1]);
	follow(b[1], b[2]);
	disk->fail_sector = 20;
	assert_int_equal(buffer_sync(BUFFER_ALL), -EIO);
	assert_int_equal(buffer_write(b[2]), -EIO);
	assert_true(b[0]->dirty && b[1]->dirty && b[2]->dirty);
	assert_int_equal(b[2]->written, 0);
	disk->fail_sector = NO_SECTOR;
	assert_int_equal(buffer_write(b[2]), 0);
	assert_int_equal(b[0]->written, 1);
	put_all(b, 3);
}

static void test_a_cancelled_block_holds_nobody_back(void **state)
{
	struct buffer *b[3] = { dirty(10), dirty(20), dirty(30) };

	(void)state;
	watch_writes();
	follow(b[0], b[1]);
	follow(b[1], b[2]);
	buffer_cancel(&disk->dev, 20);
	assert_int_equal(b[2]->pending, 0);
	assert_int_equal(host_objects - telemetry.cache.buffers / 4, 1); /* 10 will free it */
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(order_length, 2);
	assert_int_equal(host_objects, telemetry.cache.buffers / 4);
	put_all(b, 3);
}

/* Said to wait for another, and then not changed: it may be forgotten before that is written. */
static void test_a_clean_buffer_that_waits_may_go(void **state)
{
	struct buffer *b[2] = { dirty(10), get(20) };

	(void)state;
	buffer_order(b[0], b[1]);
	put_all(b, 2);
	buffer_drop();
	assert_false(cached(20));
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	assert_int_equal(on_disk(10), 10 * KB);
}

static struct waitq turn = WAITQ_INIT(turn);
static uint32_t added;
static bool enough;

/* Always one more that must reach the disk before `b`. */
static void add_firsts(void *arg)
{
	struct buffer *b = arg;

	while (!enough) {
		struct buffer *first = dirty(2000 + 3 * added++);

		follow(first, b);
		buffer_put(first);
		sleep_on(&turn);
	}
}

static void test_a_sync_ends_even_if_what_it_writes_always_waits_for_more(void **state)
{
	struct buffer *b = dirty(10);
	struct host_task *adder, *sync;
	uint32_t rounds = 0;
	int err = 1;

	(void)state;
	added = 0;
	enough = false;
	for (uint32_t i = 0; i < 300; i++)
		touch(2000 + 3 * i);
	adder = host_start(add_firsts, b);
	while (disk->dev.busy)
		disk_finish(disk);
	disk->mode = DISK_WHEN_TOLD;
	sync = host_start(sync_all, &err);
	while (err == 1 && rounds++ < 1000) {
		wake_all(&turn);
		host_settle();
		if (disk->dev.busy)
			disk_finish(disk);
		host_settle();
	}
	assert_int_equal(err, 0);
	assert_true(b->written > 0);
	assert_in_range(added, 60, 200);
	host_join(sync);
	enough = true;
	do {
		wake_all(&turn);
		host_settle();
		if (disk->dev.busy)
			disk_finish(disk);
	} while (host_settle());
	host_join(adder);
	buffer_put(b);
}

#define CHAINED 1500u

static void test_long_chains_need_no_stack_and_wide_ones_no_time(void **state)
{
	struct buffer *b[CHAINED];

	(void)state;
	for (uint32_t i = 0; i < CHAINED; i++) {
		b[i] = dirty(i);
		if (i % 100)
			follow(b[i - 1], b[i]);
		if (i > 200)
			buffer_order(b[i], b[200 + i % 100]);
	}
	assert_int_equal(buffer_write(b[200]), 0);
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	put_all(b, CHAINED);
}

/*
 * Random changes by several tasks, and a disk that ends requests now and then; a version is kept in
 * each block.  An edge promises that when `then` is on the disk in its version or a later one,
 * `first` is in the version that it had.  Checked after every write.
 */
#define BLOCKS 24u
#define EDGES  4096u

static struct {
	uint32_t first, first_version, then, then_version;
} promised[EDGES];
static uint32_t promises, version[BLOCKS];

static uint32_t random_number(void)
{
	static uint32_t x = 12345;

	x ^= x << 13;
	x ^= x >> 17;
	return x ^= x << 5;
}

static uint32_t block_of(uint32_t n)
{
	return 100 + n * 5 / 3; /* some are neighbours */
}

static void check_promises(uint32_t sector, uint32_t count)
{
	(void)sector;
	(void)count;
	for (uint32_t i = 0; i < promises; i++)
		if (on_disk(block_of(promised[i].then)) >= promised[i].then_version)
			assert_true(on_disk(block_of(promised[i].first)) >=
				    promised[i].first_version);
}

static void change_version(struct buffer *b, uint32_t n)
{
	buffer_begin(b);
	*(uint32_t *)b->data = ++version[n];
	buffer_dirty(b);
}

static void random_changes(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < 700; i++) {
		uint32_t x = random_number() % BLOCKS, y = random_number() % BLOCKS, seen;
		struct buffer *first, *then;

		assert_int_equal(buffer_read(&disk->dev, block_of(x), &first), 0);
		assert_int_equal(buffer_read(&disk->dev, block_of(y), &then), 0);
		change_version(first, x);
		seen = version[x];
		if (x != y) {
			buffer_order(first, then);
			buffer_begin(then);
			*(uint32_t *)then->data = ++version[y];
			buffer_dirty(then);
			promised[promises].first = x;
			promised[promises].first_version = seen;
			promised[promises].then = y;
			promised[promises++].then_version = version[y];
		}
		buffer_put(first);
		buffer_put(then);
		if (random_number() % 23 == 0)
			assert_int_equal(buffer_sync(random_number() % 2 ? BUFFER_ALL : 7), 0);
	}
}

static void test_no_write_ever_breaks_a_promised_order(void **state)
{
	struct host_task *t[3];

	(void)state;
	for (uint32_t i = 0; i < BLOCKS; i++)
		memset(disk->image + block_of(i) * KB, 0, KB);
	disk->written = check_promises;
	disk->mode = DISK_WHEN_TOLD;
	for (uint32_t i = 0; i < 3; i++)
		t[i] = host_start(random_changes, NULL);
	while (host_settle()) {
		assert_true(disk->dev.busy);
		disk_finish(disk);
	}
	for (uint32_t i = 0; i < 3; i++)
		host_join(t[i]);
	assert_true(promises > 1900);
	assert_true(telemetry.cache.forced > 0);
	disk->mode = DISK_AT_ONCE;
	assert_int_equal(buffer_sync(BUFFER_ALL), 0);
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(on_disk(block_of(i)), version[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
		T(test_second_read_of_a_block_is_a_hit),
		T(test_block_exists_once),
		T(test_devices_do_not_mix),
		T(test_every_block_size_reads_the_same_bytes),
		T(test_block_size_cannot_change_under_a_user),
		T(test_block_beyond_the_end_is_an_error),
		T(test_cache_grows_and_leaves_an_eighth_of_memory),
		T(test_longest_unused_block_goes_first),
		T(test_buffer_in_use_is_never_taken),
		T(test_free_buffer_is_taken_before_a_full_one),
		T(test_all_in_use_and_no_memory_is_enomem),
		T(test_memory_pressure_takes_unused_frames_longest_unused_first),
		T(test_drop_forgets_what_is_unused),
		T(test_read_error_is_reported_and_a_later_try_works),
		T(test_every_failing_allocation_is_survived),
		T(test_one_reader_fills_while_others_wait),
		T(test_waiters_learn_of_the_error_too),
		T(test_a_block_being_read_survives_memory_pressure),
		T(test_requests_are_served_in_order),
		T(test_blocks_behind_come_along_in_one_request),
		T(test_a_run_ends_at_a_block_that_is_there_and_at_the_disks_end),
		T(test_an_error_behind_the_block_that_is_wanted_does_not_matter),
		T(test_who_waits_for_a_block_that_comes_along_reads_it_himself_if_that_fails),
		T(test_a_run_takes_at_most_a_quarter_of_a_small_cache),
		T(test_policies_differ_in_what_using_a_block_again_does),
		T(test_clock_does_not_know_who_was_used_last),
		T(test_a_policy_may_change_while_it_runs),
		T(test_a_fixed_size_is_taken_at_once_and_kept),
		T(test_a_size_that_memory_has_not_is_taken_as_far_as_it_goes),
		T(test_096c_sizes_its_cache_by_memory),
		T(test_a_sparse_cache_has_half_as_many_buffers_in_the_same_memory),
		T(test_sync_writes_what_is_dirty_and_nothing_else),
		T(test_neighbours_are_written_in_one_request),
		T(test_a_files_sync_leaves_other_files_blocks_alone),
		T(test_a_new_block_is_zeros_and_is_not_read),
		T(test_a_cancelled_block_never_reaches_the_disk),
		T(test_what_is_on_its_way_does_not_change),
		T(test_a_buffer_dirtied_on_its_way_stays_dirty),
		T(test_a_sync_ends_however_busy_others_are),
		T(test_a_bad_block_costs_itself_only),
		T(test_a_disk_that_takes_no_writes_hangs_and_exhausts_nothing),
		T(test_injected_errors_are_counted_and_end),
		T(test_dirty_buffers_are_written_when_a_buffer_is_needed),
		T(test_no_more_than_half_of_what_the_cache_may_have_is_dirty),
		T(test_who_needs_memory_has_dirty_buffers_written),
		T(test_the_flusher_writes_what_has_been_dirty_for_long_enough),
		T(test_several_may_write_at_once),
		T(test_what_is_pointed_to_reaches_the_disk_first),
		T(test_a_write_brings_along_what_must_go_before_it),
		T(test_order_is_kept_for_what_was_noted_only),
		T(test_an_edge_that_would_close_a_circle_is_a_write_at_once),
		T(test_order_without_memory_is_a_write_at_once),
		T(test_what_is_on_its_way_counts_once_it_is_there),
		T(test_what_waits_for_a_block_that_cannot_be_written_is_not_written),
		T(test_a_cancelled_block_holds_nobody_back),
		T(test_a_clean_buffer_that_waits_may_go),
		T(test_a_sync_ends_even_if_what_it_writes_always_waits_for_more),
		T(test_long_chains_need_no_stack_and_wide_ones_no_time),
		T(test_no_write_ever_breaks_a_promised_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
