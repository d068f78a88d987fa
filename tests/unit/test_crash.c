/*
 * test_crash.c - whatever write a machine dies behind, its disk can be repaired.
 *
 * A random sequence of changes, seeded, runs on a disk that shows itself after each write, as a
 * crash would leave it.  With cache.order=on `e2fsck -p` repairs that without asking; with off
 * `e2fsck -y` does, and -p often does not: that the test can tell is a test of the test.
 *
 * Directories do not move here: no order of single writes can do that safely (kernel/fs/names.c).
 */
#include "host/image.h"

#include <sys/wait.h>

#include "fs/ext2.h"
#include "fs/namei.h"
#include "fs/names.h"

#define FILES	 30u
#define FOLDERS	 5u
#define EVERY	 11u /* of so many writes one is looked behind */
#define CHANGES	 1000u
#define FEW	 150u /* frames, of which the cache gets less than all that is changed */
#define REPAIRED 1

static struct disk *disk;
static void (*disk_start)(struct block_device *d);
static char image[128];
static uint32_t seed, writes, looks, asked, lost;

static uint32_t any(uint32_t n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 8) % n;
}

static void save_image(void)
{
	FILE *f = fopen(image, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(disk->image, SECTOR_SIZE, disk->dev.sectors, f), disk->dev.sectors);
	fclose(f);
}

static int e2fsck(const char *how)
{
	char command[512];
	int status;

	snprintf(command, sizeof(command), "PATH=$PATH:/sbin:/usr/sbin e2fsck %s %s >%s.log 2>&1",
		 how, image, image);
	status = system(command);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The machine dies now.  Can the disk be repaired? */
static void look(void)
{
	looks++;
	save_image();
	if (e2fsck("-p") <= REPAIRED)
		return;
	asked++;
	if (cache_order) {
		run("cat %s.log", image);
		fail_msg("behind write %u e2fsck -p would have to ask", writes);
	}
	if (e2fsck("-y") > REPAIRED || e2fsck("-fn"))
		lost++;
}

static void start(struct block_device *d)
{
	bool write = block_head(d)->write;

	disk_start(d);
	if (write && ++writes % EVERY == 0)
		look();
}

/* --- changes ----------------------------------------------------------------------- */

static void name_some(char *name, const char *kind)
{
	uint32_t n = any(FILES);

	sprintf(name, "/%u/%s%u", n % FOLDERS, kind, n);
}

static void write_some(const char *name)
{
	static const char bytes[40000];
	struct io io = IO_KERNEL(bytes, 1 + any(any(3) ? 5000 : sizeof(bytes)));
	struct inode *i;
	bool created;
	uint32_t at;

	if (name_create(name, NULL, 0, 0644, &i, &created))
		return;
	at = any(2) ? i->size : any(30000);
	inode_write(i, &at, false, &io);
	inode_put(i);
}

static void cut_some(const char *name)
{
	struct inode *i;

	if (path_lookup(name, NULL, 0, &i))
		return;
	inode_truncate(i, any(20000));
	inode_put(i);
}

static void link_some(const char *name, const char *to)
{
	struct inode *i;

	if (path_lookup(name, NULL, 0, &i))
		return;
	name_link(i, to, NULL);
	inode_put(i);
}

static void change_some(void)
{
	char name[32], other[32];

	name_some(name, "file");
	name_some(other, "file");
	switch (any(10)) {
	case 0:
	case 1:
	case 2:
		write_some(name);
		break;
	case 3:
		name_remove(name, NULL, false);
		break;
	case 4:
		name_rename(name, NULL, other, NULL, false);
		break;
	case 5:
		cut_some(name);
		break;
	case 6:
		link_some(name, other);
		break;
	case 7:
		name_some(name, "folder");
		if (name_make(name, NULL, S_IFDIR | 0755, 0))
			name_remove(name, NULL, true);
		break;
	case 8:
		name_some(other, "symlink");
		if (name_symlink(name, other, NULL))
			name_remove(other, NULL, false);
		break;
	case 9:
		if (any(3) == 0)
			fs_sync();
		else if (any(2))
			buffer_sync(any(FILES));
		break;
	}
}

/* --- the tests ---------------------------------------------------------------------- */

static void die_again_and_again(const char *options, uint32_t frames, bool order, uint32_t with)
{
	const char *folder = folder_new();
	struct disk *empty = disk_new(65536);

	snprintf(image, sizeof(image), "%s/image", folder_new());
	host_memory(frames);
	run("cd %s && mkdir 0 1 2 3 4", folder);
	disk = image_make(folder, options, "2M");
	disk_start = disk->dev.start;
	disk->dev.start = start;
	cache_order = order;
	seed = with;
	writes = looks = asked = lost = 0;
	assert_int_equal(ext2_mount(&disk->dev), 0);
	for (uint32_t n = 0; n < CHANGES; n++)
		change_some();
	disk->dev.start = disk_start;
	assert_int_equal(fs_end(), 0);
	save_image();
	assert_int_equal(e2fsck("-fn"), 0);
	print_message("order %s: %u writes; behind %u of them e2fsck -p would ask %u times\n",
		      order ? "on" : "off", writes, looks, asked);
	assert_int_equal(ext2_mount(&empty->dev), -EINVAL);
	assert_true(host_no_buffer_in_use());
	buffer_drop();
	disk_free(empty);
	disk_free(disk);
	cache_order = 1;
}

static void test_with_order_e2fsck_repairs_without_asking(void **state)
{
	(void)state;
	die_again_and_again("-b 1024 -N 256", 4096, true, 1);
	die_again_and_again("-b 4096 -N 256", 4096, true, 2);
	assert_true(looks > 0);
}

static void test_with_order_and_little_memory_too(void **state)
{
	(void)state;
	die_again_and_again("-b 1024 -N 256", FEW, true, 3);
}

static void test_through_too(void **state)
{
	(void)state;
	cache_write = CACHE_THROUGH;
	die_again_and_again("-b 1024 -N 256", 4096, true, 4);
	cache_write = CACHE_BACK;
}

static void test_without_order_it_would_ask_but_can_repair(void **state)
{
	(void)state;
	die_again_and_again("-b 1024 -N 256", 4096, false, 1);
	assert_true(asked > 0);
	assert_int_equal(lost, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with_order_e2fsck_repairs_without_asking),
		cmocka_unit_test(test_with_order_and_little_memory_too),
		cmocka_unit_test(test_through_too),
		cmocka_unit_test(test_without_order_it_would_ask_but_can_repair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
