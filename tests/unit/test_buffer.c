/*
 * test_buffer.c - what the buffer cache promises.
 */
#include "host/host.h"

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
	assert_true(host_no_buffer_in_use());
	assert_int_equal(buffer_init(1024), 0); /* all of them go */
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
