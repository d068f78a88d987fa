/*
 * test_fuzz.c - no disk image can hurt the kernel.
 *
 * Small good images are damaged a few bytes at a time, where it hurts most, and everything that can
 * be reached is walked and read under a budget of disk reads and calls; then it is written to,
 * changed, moved and removed.  The damage comes from a
 * seeded generator: a failure names its number, `test_fuzz NUMBER` runs that image alone.
 * AddressSanitizer and UBSan are the judges of memory; the 4 KB images matter most to them, because
 * there a buffer ends where its frame does.
 */
#include "host/image.h"
#include "host/ours.h"

#include <unistd.h>

#include "fs/ext2.h"
#include "fs/namei.h"

#define IMAGES	   9000u
#define CALLS_MAX  200000u /* far above what a sound image needs */
#define DEPTH_MAX  12
#define CHANGES	   40 /* to each image that can be mounted */
#define PATHS	   60 /* that are remembered to be changed */
#define PATH_SIZE  300
#define ALARM_SECS 300

static struct disk *good[3]; /* 1, 2 and 4 KB blocks */
static struct disk *disk;
static uint32_t rnd_state, calls, number;
static char paths[PATHS][PATH_SIZE];
static uint32_t path_count; /* as many as there were, more than are remembered */
static int only = -1;	    /* the image to run alone */

static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(rnd_state >> 4) * below >> 28);
}

static void count_call(void)
{
	if (++calls > CALLS_MAX)
		fail_msg("image %u: too many operations", number);
}

/* An error must be one that a caller can expect of a damaged disk. */
static void check_error(int err)
{
	switch (err) {
	case -EIO:
	case -EUCLEAN:
	case -EOVERFLOW:
	case -ENOENT:
	case -ENOTDIR:
	case -ELOOP:
	case -ERANGE:
	case -ENAMETOOLONG:
	/* And of changing it. */
	case -EEXIST:
	case -ENOTEMPTY:
	case -EISDIR:
	case -EINVAL:
	case -EBUSY:
	case -EPERM:
	case -EMLINK:
	case -ENOSPC:
	case -EFBIG:
	case -EROFS:
		return;
	}
	fail_msg("image %u: error %d", number, err);
}

static void read_at(struct inode *i, uint32_t at)
{
	static char out[20000];
	struct io io = IO_KERNEL(out, sizeof(out));
	ssize_t n = inode_read(i, at, &io);

	count_call();
	if (n < 0)
		check_error(n);
	else
		assert_true((size_t)n <= sizeof(out) && io.left == sizeof(out) - n);
}

static void read_file(struct inode *i)
{
	for (uint32_t at = 0; at < i->size && at < 100000; at += 20000)
		read_at(i, at);
	for (uint32_t n = 0; n < 4 && i->size; n++)
		read_at(i, rnd(i->size)); /* far out: other levels of indirect blocks */
	read_at(i, i->size - 1);
	read_at(i, UINT32_MAX);
}

static void walk(struct inode *dir, const char *path, uint32_t depth);

/* Everything a program could do with one name. */
static void visit(const char *dir_path, const char *name, uint32_t depth)
{
	char path[DEPTH_MAX * 260], text[4096];
	struct inode *i;
	int err;

	snprintf(path, sizeof(path), "%s/%s", dir_path, name);
	if (strlen(path) < PATH_SIZE - 20 && name[0] != '.')
		strcpy(paths[path_count < PATHS ? path_count : rnd(PATHS)], path);
	path_count += name[0] != '.';
	count_call();
	err = path_lookup(path, NULL, LOOKUP_FOLLOW, &i);
	if (!err)
		inode_put(i);
	else
		check_error(err);
	err = path_lookup(path, NULL, 0, &i);
	if (err) {
		check_error(err);
		return;
	}
	if (inode_is(i, S_IFLNK)) {
		err = inode_readlink(i, text, sizeof(text));
		if (err < 0)
			check_error(err);
	} else if (inode_is(i, S_IFREG)) {
		read_file(i);
	} else if (inode_is(i, S_IFDIR) && depth < DEPTH_MAX - 1 && name[0] != '.') {
		walk(i, path, depth + 1);
	}
	inode_put(i);
}

static void walk(struct inode *dir, const char *path, uint32_t depth)
{
	struct dir_entry e;
	uint32_t offset = 0, before;
	char cwd[300];
	int err;

	err = path_of(dir, cwd, sizeof(cwd));
	if (err < 0)
		check_error(err);
	for (;;) {
		before = offset;
		count_call();
		err = dir_next(dir, &offset, &e);
		if (err != 1)
			break;
		assert_true(offset > before && e.length && strlen(e.name) == e.length);
		visit(path, e.name, depth);
	}
	if (err)
		check_error(err);
	offset = rnd(dir->size);
	err = dir_next(dir, &offset, &e);
	if (err < 0)
		check_error(err);
}

/* --- writing --- */

static void check_answer(int64_t answer)
{
	count_call();
	if (answer < 0)
		check_error(answer);
}

static void change_file(const char *path)
{
	static const char bytes[3000] = "written by the test";
	struct inode *i;
	int err = ours_open(NULL, path, rnd(2), false, 0644, &i);

	check_answer(err);
	if (err)
		return;
	switch (rnd(4)) {
	case 0:
		check_answer(ours_append(i, bytes, rnd(sizeof(bytes))));
		break;
	case 1:
		check_answer(inode_truncate(i, rnd(3) ? rnd(i->size + 1) : 0));
		break;
	case 2:
		check_answer(inode_truncate(i, i->size + rnd(100000)));
		break;
	default:
		check_answer(
			ours_write(i, bytes, sizeof(bytes), rnd(rnd(2) ? 70000 : i->size + 1)));
	}
	if (!rnd(8))
		check_answer(inode_sync(i));
	inode_put(i);
}

static void change_something(void)
{
	char from[PATH_SIZE] = "/new", to[PATH_SIZE] = "/newer";

	if (path_count) {
		strcpy(from, paths[rnd(MIN(path_count, PATHS))]);
		strcpy(to, paths[rnd(MIN(path_count, PATHS))]);
	}
	if (rnd(2))
		snprintf(to + strlen(to), 16, "/made%u", rnd(5));
	switch (rnd(10)) {
	case 0:
		check_answer(ours_mkdir(NULL, to, 0755));
		break;
	case 1:
		check_answer(ours_remove(NULL, from, true));
		break;
	case 2:
		check_answer(ours_remove(NULL, from, false));
		break;
	case 3:
	case 4:
		check_answer(ours_rename(NULL, from, NULL, to));
		break;
	case 5:
		check_answer(ours_link(NULL, from, NULL, to));
		break;
	case 6:
		check_answer(ours_symlink(from, NULL, to));
		break;
	case 7:
		check_answer(ours_chmod(NULL, from, 0600));
		break;
	default:
		change_file(rnd(3) ? from : to);
	}
}

static void change(void)
{
	for (uint32_t n = 0; n < CHANGES; n++)
		change_something();
	check_answer(fs_sync());
	disk->fail_sector = NO_SECTOR;
	fs_sync(); /* what could not be written can be now */
}

/* A word of the sound image. */
static uint32_t get32(size_t at)
{
	return *(uint32_t *)(disk->image + (size_t)disk->dev.sectors * SECTOR_SIZE + at);
}

/* A value that is likely to hurt. */
static uint32_t nasty(void)
{
	static const uint32_t values[] = { 0,	       1,	   2,	       3,
					   0x7F,       0x80,	   0xFF,       0x100,
					   0x7FFF,     0x8000,	   0xFFFF,     0x10000,
					   0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFC00,
					   0x3FFFFFFF };

	switch (rnd(4)) {
	case 0:
		return rnd(UINT32_MAX);
	case 1:
		return rnd(2 * disk->dev.sectors); /* a block number, or nearly */
	default:
		return values[rnd(ARRAY_SIZE(values))];
	}
}

static void damage_at(size_t at)
{
	static const uint8_t sizes[] = { 1, 1, 2, 4 };
	uint32_t v = nasty(), n = sizes[rnd(4)];

	at &= ~(size_t)(n - 1);
	if (at + n <= (size_t)disk->dev.sectors * SECTOR_SIZE)
		memcpy(disk->image + at, &v, n);
}

/* Byte offset of an inode, as the undamaged superblock and group descriptor 0 say. */
static size_t inode_at(uint32_t ino, uint32_t block_size)
{
	size_t table = get32((block_size == 1024 ? 2 : 1) * block_size + 8);

	return table * block_size + (ino - 1) * ext2.inode_size;
}

/* Offset of the block that an inode's word `n` leads to; 0: none. */
static size_t block_of(uint32_t ino, uint32_t n, uint32_t block_size)
{
	return (size_t)get32(inode_at(ino, block_size) + 40 + 4 * n) * block_size;
}

/* Damage what matters.  `ext2` still has the sound image's numbers. */
static void damage(uint32_t block_size)
{
	uint32_t hits = 1 + rnd(6), inodes = 60;

	while (hits--) {
		uint32_t ino = rnd(8) ? 11 + rnd(inodes - 11) : 2;
		size_t block;

		switch (rnd(12)) {
		case 0:
			damage_at(1024 + rnd(264)); /* superblock */
			break;
		case 1:
			damage_at((block_size == 1024 ? 2 : 1) * block_size + rnd(32));
			break;
		case 2:
		case 3:
		case 4: /* an inode, its mode, size, flags or block numbers */
			damage_at(inode_at(ino, block_size) + rnd(112));
			break;
		case 5: /* its first word: another type, the rest as it was */
			disk->image[inode_at(ino, block_size) + 1] ^= 1 << (4 + rnd(4));
			break;
		case 6: /* its block numbers lead to each other */
			block = inode_at(ino, block_size) + 40;
			memcpy(disk->image + block + 4 * rnd(15), disk->image + block + 4 * rnd(15),
			       4);
			break;
		case 7: /* an indirect block, which may lead to itself */
			block = block_of(ino, 12 + rnd(3), block_size);
			if (block &&
			    block + block_size <= (size_t)disk->dev.sectors * SECTOR_SIZE) {
				uint32_t v = rnd(2) ? block / block_size : nasty();

				memcpy(disk->image + block + 4 * rnd(rnd(2) ? 8 : block_size / 4),
				       &v, 4);
			}
			break;
		case 8:
		case 9:
		case 10: /* what its first block holds: of a directory, the entries */
			block = block_of(rnd(2) ? ino : 2, rnd(3), block_size);
			if (block)
				damage_at(block + rnd(rnd(2) ? 64 : block_size));
			break;
		default:
			damage_at(rnd(disk->dev.sectors * SECTOR_SIZE));
		}
	}
}

static void restore(uint32_t which)
{
	disk = good[which];
	memcpy(disk->image, disk->image + (size_t)disk->dev.sectors * SECTOR_SIZE,
	       (size_t)disk->dev.sectors * SECTOR_SIZE);
	assert_int_equal(ext2_mount(&disk->dev), 0);
}

static int run_image(uint32_t which)
{
	uint32_t block_size = 1024u << which;
	int err;

	rnd_state = number * 2654435761u + 12345;
	calls = path_count = 0;
	restore(which);
	damage(block_size);
	if (!rnd(8))
		disk->fail_sector = rnd(disk->dev.sectors);
	host_log_clear();
	err = ext2_mount(&disk->dev);
	if (err)
		assert_true(err == -EINVAL || err == -EUCLEAN || err == -EIO || err == -EOVERFLOW);
	else
		walk(root_inode, "", 0);
	if (err)
		assert_true(host_log[0]); /* says why */
	else
		change();
	disk->fail_sector = NO_SECTOR;
	assert_true(host_no_buffer_in_use());
	assert_int_equal(inodes_cached, inodes_unused + (root_inode ? 1 : 0));
	return err;
}

static void test_no_image_hurts(void **state)
{
	uint32_t mounted = 0;

	(void)state;
	alarm(ALARM_SECS); /* a hang is a failure too */
	for (number = 0; number < IMAGES; number++) {
		if (only >= 0 && number != (uint32_t)only)
			continue;
		mounted += !run_image(number % 3);
		if (only >= 0)
			fputs(host_log, stderr);
	}
	if (only < 0)
		assert_in_range(mounted, IMAGES / 2, IMAGES - IMAGES / 50); /* both kinds */
}

static void test_undamaged_image_gives_no_error(void **state)
{
	(void)state;
	for (uint32_t which = 0; which < 3; which++) {
		restore(which);
		host_log_clear();
		calls = 0;
		walk(root_inode, "", 0);
		assert_string_equal(host_log, "");
		assert_true(calls > 300 && calls < CALLS_MAX / 20);
	}
}

/* Each of these alone must keep the image from being mounted, with a line that says why. */
static void test_mount_refuses_and_says_why(void **state)
{
	static const struct {
		uint32_t at, value;
		const char *said;
	} cases[] = {
		{ 1024 + 56, 0x1234, "magic" },
		{ 1024 + 24, 3, "block size" },
		{ 1024 + 24, 0x80000000, "block size" },
		{ 1024 + 4, 0xFFFFFFFF, "more blocks than the disk" },
		{ 1024 + 4, 0, "number of blocks" },
		{ 1024 + 0, 0, "number of inodes" },
		{ 1024 + 20, 7, "first data block" },
		{ 1024 + 32, 0, "blocks a group" },
		{ 1024 + 40, 0, "inodes a group" },
		{ 1024 + 40, 0xFFFFFFFF, "inodes a group" },
		{ 1024 + 76, 2, "revision" },
		{ 1024 + 88, 100, "inode size" },
		{ 1024 + 88, 8192, "inode size" },
		{ 1024 + 84, 0, "first inode" },
		{ 1024 + 96, 0x42, "extents" },
		{ 1024 + 96, 0x10002, "as bits: 65536" },
		{ 2048 + 8, 0, "group 0: inode table" },
		{ 2048 + 8, 0xFFFFFFFF, "group 0: inode table" },
	};

	(void)state;
	for (uint32_t c = 0; c < ARRAY_SIZE(cases); c++) {
		restore(0);
		memcpy(disk->image + cases[c].at, &cases[c].value, 4);
		host_log_clear();
		assert_true(ext2_mount(&disk->dev) < 0);
		if (!strstr(host_log, cases[c].said))
			fail_msg("case %u: %s", c, host_log);
	}
}

/* A block of block numbers that leads to itself 256 times, three levels deep. */
static void test_a_file_of_circles_can_be_cut_and_removed(void **state)
{
	uint32_t circle, requests;
	struct inode *i;

	(void)state;
	restore(0);
	assert_int_equal(ours_open(NULL, "d/triple", false, false, 0, &i), 0);
	circle = i->block[14];
	inode_put(i);
	host_log_clear();
	for (uint32_t n = 0; n < 256; n++)
		((uint32_t *)(disk->image + (size_t)circle * 1024))[n] = circle;
	inode_drop();
	buffer_drop();
	alarm(20);
	requests = disk->reads;
	assert_int_equal(ours_open(NULL, "d/triple", false, false, 0, &i), 0);
	check_answer(inode_truncate(i, 40000000));
	check_answer(inode_truncate(i, 0));
	inode_put(i);
	check_answer(ours_remove(NULL, "d/triple", false));
	assert_int_equal(fs_sync(), 0);
	assert_true(disk->reads - requests < 200);
	alarm(0);
	assert_non_null(strstr(host_log, "leads to more blocks than it has"));
	assert_true(strlen(host_log) < 2000);
}

static int set_up(void **state)
{
	const char *folder = folder_new();

	(void)state;
	run("cd %s && mkdir -p a/b/c d && for i in $(seq 40); do echo $i > a/$i; done && "
	    "ln -s a/1 short && ln -s d/../d/../d/../d/../d/../d/../d/../d/../d/../d/../a/b/long "
	    "long && "
	    "ln -s ../../a a/b/loop",
	    folder);
	file_put(folder, "a/b/long", 0, 60000, 1);
	file_put(folder, "d/double", 0, 20000, 2);
	file_put(folder, "d/double", 400000, 2000, 2);
	file_put(folder, "d/triple", 68000000, 5000, 3);
	host_memory(2048);
	for (uint32_t which = 0; which < 3; which++) {
		char options[64];
		size_t size;

		snprintf(options, sizeof(options), "-b %u -N 64", 1024u << which);
		good[which] = image_make(folder, options, "400K");
		/* The image twice: one to be damaged, one to restore it from. */
		size = (size_t)good[which]->dev.sectors * SECTOR_SIZE;
		good[which]->image = realloc(good[which]->image, 2 * size);
		memcpy(good[which]->image + size, good[which]->image, size);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_undamaged_image_gives_no_error),
		cmocka_unit_test(test_mount_refuses_and_says_why),
		cmocka_unit_test(test_a_file_of_circles_can_be_cut_and_removed),
		cmocka_unit_test(test_no_image_hurts),

	};

	if (argc > 1)
		only = atoi(argv[1]);
	return cmocka_run_group_tests(tests, set_up, NULL);
}
