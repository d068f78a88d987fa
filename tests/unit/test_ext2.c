/*
 * test_ext2.c - what ext2 and path lookup promise, on images as mke2fs makes them.
 *
 * One folder is filled, and made into an image in every variant of the format; what is read from
 * the image must be what was put into the folder.
 */
#include "host/image.h"

#include "fs/ext2.h"
#include "fs/namei.h"

#define NAMES	  3000u
#define LONG_NAME 255u

struct variant {
	const char *name, *options, *blocks;
	uint32_t block_size;
};

static const struct variant variants[] = {
	{ "1 KB", "-b 1024 -N 4096", "24M", 1024 },
	{ "2 KB", "-b 2048 -N 4096", "24M", 2048 },
	{ "4 KB", "-b 4096 -N 4096", "24M", 4096 },
	{ "inodes of 256 bytes", "-b 1024 -I 256 -N 4096", "24M", 1024 },
	{ "inodes of 128 bytes", "-b 4096 -I 128 -N 4096", "24M", 4096 },
	{ "revision 0", "-r 0 -b 1024 -N 4096", "24M", 1024 },
	{ "no entry types", "-b 1024 -O ^filetype,^dir_index -N 4096", "24M", 1024 },
	{ "many groups", "-b 1024 -g 1024 -N 6144", "24M", 1024 },
};

static const char *folder;
static char long_name[LONG_NAME + 1];
static struct disk *disk; /* the mounted one */

static void fill_folder(void)
{
	folder = folder_new();
	memset(long_name, 'n', LONG_NAME);
	run("cd %s && mkdir -p deep/a/b/c many && : > empty", folder);
	file_put(folder, "small", 0, 6, 1);
	file_put(folder, "direct", 0, 12 * 1024, 2);
	file_put(folder, "indirect", 0, 200 * 1024 + 77, 3);
	file_put(folder, "double", 0, 700 * 1024 + 1, 4);
	file_put(folder, "deep/a/b/c/file", 0, 5000, 5);
	/* Holes: before, between and behind the data; the same around where each level begins. */
	file_put(folder, "holes", 5000, 10, 6);
	file_put(folder, "holes", 70000, 3000, 6);
	run("truncate -s 300001 %s/holes", folder);
	for (uint32_t k = 10; k <= 12; k++) {
		uint64_t size = 1ull << k, p = size / 4;
		uint64_t starts[] = { 12, 12 + p, 12 + p + p * p };
		char name[16];

		snprintf(name, sizeof(name), "levels%u", k);
		for (uint32_t s = 0; s < 3; s++)
			if (starts[s] * size + 4 * size < 0x7FFFFFFF)
				file_put(folder, name, starts[s] * size - 2 * size, 4 * size, k);
	}
	for (uint32_t i = 0; i < NAMES; i++) {
		char name[32];

		snprintf(name, sizeof(name), "many/name-%u", i);
		if (i % 100 == 0)
			file_put(folder, name, 0, 3, i);
	}
	run("cd %s/many && i=0 && while [ $i -lt %u ]; do [ -e name-$i ] || ln name-0 name-$i; "
	    "i=$((i + 1)); done",
	    folder, NAMES);
	file_put(folder, long_name, 0, 20, 7);
	run("cd %s && ln -s small short && ln -s loop2 loop1 && ln -s loop1 loop2 && "
	    "ln -s nowhere dangling && ln -s /deep/a abs && ln -s ../../.. deep/a/b/up && "
	    "ln -s deep/ slashed && ln -s . self && "
	    "ln -s deep/a/./b/./../b/./../b/./../b/./../b/./../b/./../b/./c/./file long && "
	    "ln -s small c0 && for i in 1 2 3 4 5 6 7 8; do ln -s c$((i - 1)) c$i; done",
	    folder);
}

static int set_up(void **state)
{
	(void)state;
	fill_folder();
	host_memory(4096);
	return 0;
}

/* Everything the tests used must have been given back. */
static void check_at_rest(void)
{
	assert_true(host_no_buffer_in_use());
	assert_int_equal(inodes_cached, inodes_unused + (root_inode ? 1 : 0));
}

static void mount_variant(const struct variant *v)
{
	host_log_clear();
	disk = image_make(folder, v->options, v->blocks);
	assert_int_equal(ext2_mount(&disk->dev), 0);
	assert_int_equal(ext2.block_size, v->block_size);
}

/* Take the root away, as a mount of nonsense does. */
static void unmount(void)
{
	struct disk *empty = disk_new(65536);

	check_at_rest();
	assert_int_equal(ext2_mount(&empty->dev), -EINVAL);
	assert_null(root_inode);
	assert_int_equal(inodes_cached, 0);
	buffer_drop();
	assert_int_equal(host_objects, 0);
	disk_free(empty);
	disk_free(disk);
}

static struct inode *look_up(const char *path, uint32_t flags)
{
	struct inode *i;
	int err = path_lookup(path, NULL, flags, &i);

	if (err)
		fail_msg("%s: %d; log: %s", path, err, host_log);
	return i;
}

static int error_of(const char *path, uint32_t flags)
{
	struct inode *i;
	int err = path_lookup(path, NULL, flags, &i);

	if (!err)
		inode_put(i);
	return err;
}

/* Read [at, at + n) of a file and compare it with the folder's, chunks of `chunk` bytes. */
static void compare(const char *name, uint64_t at, uint64_t n, uint32_t chunk)
{
	struct inode *i = look_up(name, LOOKUP_FOLLOW);
	uint8_t *ours = malloc(chunk), *theirs = malloc(chunk);
	char path[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	assert_int_equal(ftell(f), i->size);
	fseek(f, at, SEEK_SET);
	while (n) {
		struct io io = IO_KERNEL(ours, MIN(chunk, n));
		ssize_t got = inode_read(i, at, &io);
		size_t real = fread(theirs, 1, MIN(chunk, n), f);

		assert_int_equal(got, real);
		if (memcmp(ours, theirs, real))
			fail_msg("%s differs behind %lu", name, (unsigned long)at);
		if (!got)
			break;
		at += got;
		n -= got;
	}
	fclose(f);
	free(ours);
	free(theirs);
	inode_put(i);
}

static void test_files_read_as_they_were_written(void **state)
{
	static const char *const files[] = {
		"empty",	   "small", "direct", "indirect", "double",	 "holes",
		"deep/a/b/c/file", "short", "long",   "c7",	  "many/name-0", "many/name-2999"
	};

	(void)state;
	for (uint32_t v = 0; v < ARRAY_SIZE(variants); v++) {
		mount_variant(&variants[v]);
		for (uint32_t f = 0; f < ARRAY_SIZE(files); f++) {
			compare(files[f], 0, UINT32_MAX, 65536);
			compare(files[f], 0, UINT32_MAX, 1000);
			compare(files[f], 4321, 20000, 7);
		}
		compare(long_name, 0, UINT32_MAX, 100);
		assert_string_equal(strstr(host_log, "corrupt") ?: "", "");
		unmount();
	}
}

static void test_all_levels_of_indirect_blocks(void **state)
{
	(void)state;
	for (uint32_t v = 0; v < 3; v++) {
		uint64_t size = variants[v].block_size, p = size / 4;
		uint64_t starts[] = { 12, 12 + p, 12 + p + p * p };
		char name[16];

		mount_variant(&variants[v]);
		snprintf(name, sizeof(name), "levels%u", 10 + v);
		for (uint32_t s = 0; s < 3; s++)
			if (starts[s] * size + 4 * size < 0x7FFFFFFF)
				compare(name, starts[s] * size - 5 * size, 10 * size, 3 * size + 1);
		unmount();
	}
}

static void test_read_stops_at_the_end(void **state)
{
	uint8_t out[100];
	struct io io;
	struct inode *i;

	(void)state;
	mount_variant(&variants[0]);
	i = look_up("/small", 0);
	memset(out, 0x99, sizeof(out));
	io = IO_KERNEL(out, sizeof(out));
	assert_int_equal(inode_read(i, 2, &io), 4);
	assert_int_equal(io.left, sizeof(out) - 4);
	assert_int_equal(out[3], pattern(1, 5));
	assert_int_equal(out[4], 0x99);
	assert_int_equal(inode_read(i, 6, &io), 0);
	assert_int_equal(inode_read(i, UINT32_MAX, &io), 0);
	inode_put(i);
	unmount();
}

static void test_reading_in_order_asks_once_for_an_indirect_block(void **state)
{
	static uint8_t out[64 * 1024];
	struct io io = IO_KERNEL(out, sizeof(out));
	struct inode *i;
	uint32_t hits;

	(void)state;
	mount_variant(&variants[0]);
	compare("indirect", 0, UINT32_MAX, 65536);
	i = look_up("/indirect", 0);
	hits = telemetry.cache.hits;
	assert_int_equal(inode_read(i, 0, &io), sizeof(out));
	assert_int_equal(telemetry.cache.hits - hits, 64 + 1);
	inode_put(i);
	unmount();
}

static void test_directory_lists_every_name_once(void **state)
{
	static bool seen[NAMES];
	static struct dir_entry e;

	(void)state;
	for (uint32_t v = 0; v < ARRAY_SIZE(variants); v++) {
		uint32_t offset = 0, n = 0, dots = 0;
		struct inode *dir;

		mount_variant(&variants[v]);
		dir = look_up("/many", LOOKUP_DIRECTORY);
		memset(seen, 0, sizeof(seen));
		while (dir_next(dir, &offset, &e) == 1) {
			unsigned int i;

			assert_int_equal(strlen(e.name), e.length);
			assert_true(e.type == (e.name[0] == '.' ? 4 : 8) || !ext2.filetype);
			if (e.name[0] == '.') {
				dots++;
				continue;
			}
			assert_int_equal(sscanf(e.name, "name-%u", &i), 1);
			assert_true(i < NAMES && !seen[i]);
			seen[i] = true;
			n++;
		}
		assert_int_equal(n, NAMES);
		assert_int_equal(dots, 2);
		assert_int_equal(dir_next(dir, &offset, &e), 0);
		inode_put(dir);
		unmount();
	}
}

static void test_indexed_directory_reads_the_same(void **state)
{
	static struct dir_entry e;
	uint32_t offset = 0, n = 0;
	const char *work = folder_new();
	struct inode *dir;

	(void)state;
	run("PATH=$PATH:/sbin:/usr/sbin; cd %s && "
	    "mke2fs -q -F -t ext2 -O dir_index -b 1024 -N 4096 -d %s image 24M >log 2>&1 && "
	    "{ e2fsck -fyD image >>log 2>&1; [ $? -le 1 ]; } && "
	    "debugfs -R 'htree_dump /many' image 2>&1 | grep -q 'Root node dump'",
	    work, folder);
	disk = disk_open(strcat(strcpy((char[64]){ 0 }, work), "/image"));
	assert_int_equal(ext2_mount(&disk->dev), 0);
	dir = look_up("/many", 0);
	while (dir_next(dir, &offset, &e) == 1)
		n++;
	assert_int_equal(n, NAMES + 2);
	inode_put(dir);
	compare("many/name-1234", 0, 10, 10);
	unmount();
}

static void test_any_directory_offset_is_safe(void **state)
{
	static struct dir_entry e;
	uint32_t last_ino = 0, last = 0;
	struct inode *dir;

	(void)state;
	mount_variant(&variants[0]);
	host_log_clear();
	dir = look_up("/many", 0);
	/* From every offset the same entries follow as in order. */
	for (uint32_t from = 0; from < 3000; from++) {
		uint32_t offset = from;

		assert_int_equal(dir_next(dir, &offset, &e), 1);
		assert_true(offset > from && offset >= last);
		if (offset == last)
			assert_int_equal(e.ino, last_ino);
		last = offset;
		last_ino = e.ino;
	}
	for (uint32_t from = UINT32_MAX - 8; from >= UINT32_MAX - 16; from--) {
		uint32_t offset = from;

		assert_int_equal(dir_next(dir, &offset, &e), 0);
	}
	assert_string_equal(host_log, "");
	inode_put(dir);
	unmount();
}

static void expect_same(const char *a, const char *b)
{
	struct inode *i = look_up(a, LOOKUP_FOLLOW), *j = look_up(b, LOOKUP_FOLLOW);

	assert_ptr_equal(i, j);
	assert_int_equal(i->refs, i == root_inode ? 3 : 2);
	inode_put(i);
	inode_put(j);
}

static void test_paths(void **state)
{
	static char path[PATH_LENGTH_MAX];
	struct inode *cwd, *i;

	(void)state;
	mount_variant(&variants[0]);
	expect_same("/", "//");
	expect_same("/", "/.");
	expect_same("/", "/../..");
	expect_same("/", "/deep/a/b/up");
	expect_same("/deep", "//deep///");
	expect_same("/deep", "/deep/a/..");
	expect_same("/deep", "/slashed");
	expect_same("/deep/a/b/c/file", "/abs/b/c/file");
	expect_same("/deep/a/b/c/file", "/long");
	expect_same("/deep/a/b/c/file", "/slashed/a/b/up/self/self/long");
	expect_same("/small", "/c7");

	assert_int_equal(error_of("", 0), -ENOENT);
	assert_int_equal(error_of("/nothing", 0), -ENOENT);
	assert_int_equal(error_of("/nothing/more", 0), -ENOENT);
	assert_int_equal(error_of("/dangling", LOOKUP_FOLLOW), -ENOENT);
	assert_int_equal(error_of("/dangling", 0), 0);
	assert_int_equal(error_of("/small/", 0), -ENOTDIR);
	assert_int_equal(error_of("/small/.", 0), -ENOTDIR);
	assert_int_equal(error_of("/small/x", 0), -ENOTDIR);
	assert_int_equal(error_of("/small", LOOKUP_DIRECTORY), -ENOTDIR);
	assert_int_equal(error_of("/short/", 0), -ENOTDIR);
	assert_int_equal(error_of("/loop1", LOOKUP_FOLLOW), -ELOOP);
	assert_int_equal(error_of("/loop1/x", 0), -ELOOP);
	assert_int_equal(error_of("/loop1", 0), 0);
	assert_int_equal(error_of("/c8", LOOKUP_FOLLOW), -ELOOP); /* nine links */
	assert_int_equal(error_of("/dee", 0), -ENOENT);
	assert_int_equal(error_of("/deepx", 0), -ENOENT);

	snprintf(path, sizeof(path), "/%s", long_name);
	assert_int_equal(error_of(path, 0), 0);
	snprintf(path, sizeof(path), "/%sn", long_name);
	assert_int_equal(error_of(path, 0), -ENAMETOOLONG);
	path[0] = '\0';
	while (strlen(path) + 5 < sizeof(path))
		strcat(path, "/./.");
	assert_int_equal(error_of(path, 0), 0);

	cwd = look_up("/deep/a", 0);
	assert_int_equal(path_lookup("b/c/../c/file", cwd, 0, &i), 0);
	inode_put(i);
	assert_int_equal(path_lookup("/deep/a", cwd, 0, &i), 0);
	assert_ptr_equal(i, cwd);
	inode_put(i);
	assert_int_equal(path_lookup("../../small", cwd, 0, &i), 0);
	inode_put(i);
	inode_put(cwd);
	i = look_up("/slashed", 0);
	assert_true(inode_is(i, S_IFLNK));
	inode_put(i);
	i = look_up("/slashed/", 0);
	assert_true(inode_is(i, S_IFDIR));
	inode_put(i);
	unmount();
}

static void test_path_of_a_directory_leads_back_to_it(void **state)
{
	static const char *const paths[] = { "/", "/deep", "/deep/a", "/deep/a/b/c", "/many" };
	char buf[64];

	(void)state;
	mount_variant(&variants[0]);
	for (uint32_t p = 0; p < ARRAY_SIZE(paths); p++) {
		struct inode *i = look_up(paths[p], 0);
		uint32_t n = strlen(paths[p]);

		assert_int_equal(path_of(i, buf, sizeof(buf)), n);
		assert_string_equal(buf, paths[p]);
		assert_int_equal(path_of(i, buf, n + 1), n);
		assert_int_equal(path_of(i, buf, n), -ERANGE);
		assert_int_equal(path_of(i, buf, 1), -ERANGE);
		inode_put(i);
	}
	unmount();
}

static void test_links_say_where_they_lead(void **state)
{
	char buf[100];
	struct inode *i;

	(void)state;
	for (uint32_t v = 0; v < ARRAY_SIZE(variants); v++) {
		mount_variant(&variants[v]);
		i = look_up("/short", 0);
		assert_int_equal(inode_readlink(i, buf, sizeof(buf)), 5);
		assert_string_equal(buf, "small");
		assert_int_equal(inode_readlink(i, buf, 6), 5);
		assert_int_equal(inode_readlink(i, buf, 5), -ENAMETOOLONG);
		inode_put(i);
		i = look_up("/long", 0);
		assert_int_equal(inode_readlink(i, buf, sizeof(buf)), 63);
		assert_memory_equal(buf, "deep/a/./b/", 11);
		inode_put(i);
		i = look_up("/small", 0);
		assert_int_equal(inode_readlink(i, buf, sizeof(buf)), -EINVAL);
		inode_put(i);
		unmount();
	}
}

static void test_device_nodes_keep_their_numbers(void **state)
{
	const char *work = folder_new();
	struct inode *i;

	(void)state;
	run("PATH=$PATH:/sbin:/usr/sbin; cd %s && mke2fs -q -F -t ext2 image 1M >log 2>&1 && "
	    "printf 'mknod console c 5 1\nmknod big c 300 7\nmknod pipe p\n' | "
	    "debugfs -w -f - image >log 2>&1",
	    work);
	disk = disk_open(strcat(strcpy((char[64]){ 0 }, work), "/image"));
	assert_int_equal(ext2_mount(&disk->dev), 0);
	i = look_up("/console", 0);
	assert_true(inode_is(i, S_IFCHR));
	assert_int_equal(i->rdev, 5 << 8 | 1);
	inode_put(i);
	i = look_up("/big", 0);
	assert_int_equal(i->rdev, 300 << 8 | 7);
	inode_put(i);
	i = look_up("/pipe", 0);
	assert_true(inode_is(i, S_IFIFO));
	inode_put(i);
	unmount();
}

static void test_inode_exists_once_and_unused_ones_are_bounded(void **state)
{
	char path[32];
	void *frame;

	(void)state;
	mount_variant(&variants[0]);
	for (uint32_t n = 0; n < NAMES; n += 100) {
		snprintf(path, sizeof(path), "/many/name-%u", n);
		expect_same(path, path);
		assert_true(inodes_unused <= 128);
	}
	host_memory(64);
	for (uint32_t n = 0; n < NAMES; n += 100) {
		snprintf(path, sizeof(path), "/many/name-%u", n);
		expect_same(path, path);
	}
	compare("double", 0, UINT32_MAX, 65536);
	for (uint32_t n = 0; frames_of[FRAME_CACHE]; n++) {
		assert_true(n < 64); /* pressure takes all of the cache ... */
		free(frame_alloc(FRAME_USER));
	}
	while ((frame = frame_alloc(FRAME_USER)))
		free(frame);
	assert_int_equal(inodes_unused, 0); /* ... and then the inodes */
	host_memory(4096);
	unmount();
}

static void test_read_errors_pass(void **state)
{
	struct inode *i;
	uint8_t out[4096];
	struct io io;

	(void)state;
	mount_variant(&variants[0]);
	i = look_up("/direct", 0);
	disk->fail_sector = i->block[2] * 2;
	io = IO_KERNEL(out, sizeof(out));
	assert_int_equal(inode_read(i, 0, &io), 2048); /* what came before the bad block */
	assert_int_equal(inode_read(i, 2048, &io), -EIO);
	assert_non_null(strstr(host_log, "cannot be read\n"));
	disk->fail_sector = NO_SECTOR;
	assert_int_equal(inode_read(i, 2048, &io), 2048);
	inode_put(i);
	check_at_rest();

	/* Every sector in turn, of what a lookup and a read need. */
	for (uint32_t s = 0; s < disk->dev.sectors; s++) {
		struct inode *root = root_inode;
		int err;

		if (s > 200 && s % 16 != s / 16 % 16)
			continue;
		inode_drop();
		buffer_drop();
		disk->fail_sector = s;
		err = path_lookup("/long", NULL, LOOKUP_FOLLOW, &i);
		if (!err) {
			io = IO_KERNEL(out, sizeof(out));
			assert_true(inode_read(i, 0, &io) != 0);
			inode_put(i);
		} else {
			assert_int_equal(err, -EIO);
		}
		assert_ptr_equal(root, root_inode);
		check_at_rest();
	}
	disk->fail_sector = NO_SECTOR;
	compare("long", 0, UINT32_MAX, 1000);
	unmount();
}

static void test_memory_failures_are_survived(void **state)
{
	struct inode *i;

	(void)state;
	mount_variant(&variants[0]);
	for (uint32_t at = 2; at < 20; at++) {
		int err;

		inode_drop();
		buffer_drop();
		host_fail_at = at;
		err = path_lookup("/deep/a/b/c/file", NULL, 0, &i);
		host_fail_at = 0;
		if (!err)
			inode_put(i);
		else
			assert_int_equal(err, -ENOMEM);
		check_at_rest();
	}
	compare("deep/a/b/c/file", 0, UINT32_MAX, 1000);
	unmount();
}

struct seeker {
	const char *path;
	int err;
	struct inode *i;
	struct host_task *task;
};

static void seek(void *arg)
{
	struct seeker *s = arg;

	s->err = path_lookup(s->path, NULL, LOOKUP_FOLLOW, &s->i);
}

static void test_tasks_that_want_the_same_inode_get_one(void **state)
{
	struct seeker s[8];
	uint32_t reads, asleep;

	(void)state;
	mount_variant(&variants[0]);
	inode_drop();
	buffer_drop();
	disk->mode = DISK_WHEN_TOLD;
	reads = disk->reads;
	for (uint32_t n = 0; n < 8; n++) {
		s[n].path = "/deep/a/b/c/file";
		s[n].task = host_start(seek, &s[n]);
	}
	while ((asleep = host_settle()) != 0) {
		assert_int_equal(asleep, 8);
		disk_finish(disk);
	}
	for (uint32_t n = 0; n < 8; n++) {
		host_join(s[n].task);
		assert_int_equal(s[n].err, 0);
		assert_ptr_equal(s[n].i, s[0].i);
	}
	assert_int_equal(s[0].i->refs, 8);
	for (uint32_t n = 0; n < 8; n++)
		inode_put(s[n].i);
	reads = disk->reads - reads;
	assert_true(reads < 16); /* as many as one task needs */
	disk->mode = DISK_LATER;
	compare("double", 0, UINT32_MAX, 5000);
	unmount();
}

static void test_mount_in_use_cannot_be_replaced(void **state)
{
	struct inode *i;

	(void)state;
	mount_variant(&variants[0]);
	i = look_up("/small", 0);
	assert_int_equal(ext2_mount(&disk->dev), -EBUSY);
	inode_put(i);
	i = inode_ref(root_inode);
	assert_int_equal(ext2_mount(&disk->dev), -EBUSY);
	inode_put(i);
	assert_int_equal(ext2_mount(&disk->dev), 0);
	compare("small", 0, 10, 10);
	unmount();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_read_as_they_were_written),
		cmocka_unit_test(test_all_levels_of_indirect_blocks),
		cmocka_unit_test(test_read_stops_at_the_end),
		cmocka_unit_test(test_reading_in_order_asks_once_for_an_indirect_block),
		cmocka_unit_test(test_directory_lists_every_name_once),
		cmocka_unit_test(test_indexed_directory_reads_the_same),
		cmocka_unit_test(test_any_directory_offset_is_safe),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_path_of_a_directory_leads_back_to_it),
		cmocka_unit_test(test_links_say_where_they_lead),
		cmocka_unit_test(test_device_nodes_keep_their_numbers),
		cmocka_unit_test(test_inode_exists_once_and_unused_ones_are_bounded),
		cmocka_unit_test(test_read_errors_pass),
		cmocka_unit_test(test_memory_failures_are_survived),
		cmocka_unit_test(test_tasks_that_want_the_same_inode_get_one),
		cmocka_unit_test(test_mount_in_use_cannot_be_replaced),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
