/*
 * test_busy.c - several tasks change the file system at once, in a small cache over a slow disk.
 *
 * So all ways of writing back are taken at the same time.  Now and then the image, as it is between
 * two writes, is what a crash would have left; or the disk takes no writes for a while.
 *
 * For a longer run: OPS=n by each task, EVERY=n writes a crash, SEED=n.
 */
#include "host/image.h"

#include <sys/wait.h>

#include "block/buffer.h"
#include "fs/ext2.h"
#include "fs/namei.h"
#include "fs/names.h"

#define TASKS 3u
#define NAMES 12u

static struct disk *disk;
static uint32_t writes, checks, repaired;
static bool disk_fails; /* now and then */
static char image[128];

static uint32_t option(const char *name, uint32_t usual)
{
	const char *text = getenv(name);

	return text ? (uint32_t)atoi(text) : usual;
}

static uint32_t random_number(void)
{
	static uint32_t x;

	if (!x)
		x = option("SEED", 2463534242u);
	x ^= x << 13;
	x ^= x >> 17;
	return x ^= x << 5;
}

/* 0 nothing, 1 repaired, more: it would have had to ask. */
static int fsck(const char *options)
{
	char command[512];
	FILE *f = fopen(image, "wb");
	size_t size = (size_t)disk->dev.sectors * SECTOR_SIZE;

	assert_non_null(f);
	assert_int_equal(fwrite(disk->image, 1, size, f), size);
	fclose(f);
	snprintf(command, sizeof(command), "PATH=$PATH:/sbin:/usr/sbin e2fsck %s %s >%s.log 2>&1",
		 options, image, image);
	return WEXITSTATUS(system(command));
}

static void crash(uint32_t sector, uint32_t count)
{
	int status;

	(void)sector;
	(void)count;
	if (++writes % option("EVERY", 61))
		return;
	checks++;
	status = fsck("-p");
	repaired += status == 1;
	if (status > 1) {
		snprintf(image + strlen(image), 20, ".log");
		run("cat %s", image);
		fail_msg("after write %u: e2fsck -p says %d", writes, status);
	}
}

static void random_path(char *path, size_t size)
{
	uint32_t n = random_number();

	snprintf(path, size, "/d%u/%sf%u", n % 3, n / 3 % 4 ? "" : "sub/", n / 12 % NAMES);
}

static void write_some(const char *path)
{
	static char bytes[40000];
	uint32_t n = random_number() % (random_number() % 4 ? 3000 : sizeof(bytes));
	uint32_t offset = random_number() % 3 ? 0 : random_number() % 60000;
	struct io io = IO_KERNEL(bytes, n);
	struct inode *i;
	bool created;

	if (name_create(path, NULL, 0, 0644, &i, &created))
		return;
	inode_write(i, &offset, random_number() % 2, &io);
	if (random_number() % 8 == 0)
		inode_truncate(i, random_number() % 50000);
	if (random_number() % 16 == 0)
		assert_true(!inode_sync(i) || disk_fails);
	inode_put(i);
}

static void operate(void *arg)
{
	uint32_t most = option("OPS", 200);

	(void)arg;
	for (uint32_t n = 0; n < most; n++) {
		char path[64], other[64], dir[64];
		struct inode *i;

		random_path(path, sizeof(path));
		random_path(other, sizeof(other));
		snprintf(dir, sizeof(dir), "/d%u/sub", random_number() % 3);
		switch (random_number() % 14) {
		case 0:
			name_make(dir, NULL, S_IFDIR | 0755, 0);
			break;
		case 1:
			name_remove(dir, NULL, true);
			break;
		case 2:
		case 3:
		case 4:
			name_remove(path, NULL, false);
			break;
		case 5:
			name_rename(path, NULL, other, NULL, false);
			break;
		case 6:
			if (!path_lookup(path, NULL, 0, &i)) {
				name_link(i, other, NULL);
				inode_put(i);
			}
			break;
		case 7:
			name_symlink(other, path, NULL);
			break;
		case 8:
			if (random_number() % 4 == 0)
				assert_true(!fs_sync() || disk_fails);
			break;
		default:
			write_some(path);
		}
	}
}

static void run_tasks(void)
{
	struct host_task *t[TASKS];

	disk->mode = DISK_WHEN_TOLD;
	for (uint32_t i = 0; i < TASKS; i++)
		t[i] = host_start(operate, NULL);
	while (host_settle()) {
		assert_true(disk->dev.busy);
		disk->fail_writes = disk_fails && random_number() % 16 == 0;
		disk_finish(disk);
	}
	disk->fail_writes = false;
	for (uint32_t i = 0; i < TASKS; i++)
		host_join(t[i]);
	disk->mode = DISK_AT_ONCE;
}

static void mounted(const char *options, uint32_t frames)
{
	const char *folder = folder_new();

	run("mkdir -p %s/d0 %s/d1 %s/d2", folder, folder, folder);
	snprintf(image, sizeof(image), "%s.img", folder);
	host_memory(frames);
	disk = image_make(folder, options, "3M");
	assert_int_equal(ext2_mount(&disk->dev), 0);
	writes = checks = repaired = 0;
}

static void ended(void)
{
	disk->written = NULL;
	assert_int_equal(fs_end(), 0);
	assert_int_equal(fsck("-fn"), 0);
	run("rm -f %s %s.log", image, image);
}

static const char *const options[] = { "-b 1024 -N 400", "-b 1024 -g 1024 -N 400",
				       "-b 4096 -N 400" };

static void test_a_crash_in_the_middle_of_it_all_is_repaired_without_asking(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ARRAY_SIZE(options); i++) {
		for (cache_write = CACHE_BACK; cache_write <= CACHE_THROUGH; cache_write++) {
			mounted(options[i], 60);
			disk->written = crash;
			run_tasks();
			ended();
			printf("           %s, write %s: %u writes, %u crashes, %u repaired\n",
			       options[i], cache_write ? "through" : "back", writes, checks,
			       repaired);
		}
	}
	cache_write = CACHE_BACK;
}

static void test_writes_that_fail_and_work_later_lose_nothing(void **state)
{
	(void)state;
	disk_fails = true;
	for (uint32_t i = 0; i < ARRAY_SIZE(options); i++) {
		mounted(options[i], 1000);
		run_tasks();
		assert_true(disk->dev.errors > 0);
		ended();
	}
	disk_fails = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_crash_in_the_middle_of_it_all_is_repaired_without_asking),
		cmocka_unit_test(test_writes_that_fail_and_work_later_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
