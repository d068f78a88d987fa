/*
 * test_limits.c - what is promised to who writes: files at every boundary of the format, a disk
 * that is full, a disk that fails, memory that runs out, and several who write at once.
 *
 * Judges are e2fsck, and debugfs, which reads files out of our images with the host's code.
 */
#include "host/image.h"
#include "host/ours.h"

#include <unistd.h>

#include "fs/ext2.h"
#include "fs/namei.h"
#include "fs/names.h"

#define PIECE	   30000u
#define ALARM_SECS 400

static const char *const formats[] = { "-b 1024", "-b 2048", "-b 4096" };

static struct disk *disk;

static void mount(const char *options, const char *blocks)
{
	static const char *nothing;

	if (!nothing)
		nothing = folder_new();
	disk = image_make(nothing, options, blocks);
	disk->mode = DISK_LATER;
	host_log_clear();
	assert_int_equal(ext2_mount(&disk->dev), 0);
}

static void mount_again(void)
{
	assert_int_equal(fs_end(), 0);
	image_check(disk);
	assert_int_equal(ext2_mount(&disk->dev), 0);
}

static void unmount(void)
{
	mount_again();
	image_unmount(disk);
}

/* What must succeed. */
static void ok(const char *what, int64_t answer)
{
	if (answer < 0)
		fail_msg("%s: %lld; log: %s", what, (long long)answer, host_log);
}

static struct inode *open_new(const char *path)
{
	struct inode *i;

	ok(path, ours_open(NULL, path, true, false, 0644, &i));
	return i;
}

/* --- files --- */

/* Write [from, to) of file `path` with its pattern, in pieces.  How far it came. */
static uint32_t write_pattern(const char *path, uint32_t from, uint32_t to, uint32_t seed)
{
	static uint8_t data[PIECE];
	struct inode *i = open_new(path);
	ssize_t n = 0;

	while (from < to) {
		uint32_t len = MIN(to - from, PIECE);

		for (uint32_t k = 0; k < len; k++)
			data[k] = pattern(seed, from + k);
		n = ours_write(i, data, len, from);
		if (n <= 0)
			break;
		from += n;
	}
	if (from < to)
		assert_int_equal(n, -ENOSPC);
	inode_put(i);
	return from;
}

/* Has the file `size` bytes, of which [from, to) are its pattern, and all others nothing? */
static void check_bytes(const char *path, uint32_t from, uint32_t to, uint32_t size, uint32_t seed)
{
	static uint8_t data[PIECE];
	struct inode *i;

	ok(path, path_lookup(path, NULL, LOOKUP_FOLLOW, &i));
	assert_int_equal(i->size, size);
	for (uint32_t at = from > PIECE ? from - PIECE : 0; at < size;) {
		ssize_t n = ours_read(i, data, PIECE, at);

		assert_true(n > 0);
		for (ssize_t k = 0; k < n; k++, at++)
			if (data[k] != (at < from || at >= to ? 0 : pattern(seed, at)))
				fail_msg("%s: byte %u is wrong", path, at);
	}
	inode_put(i);
}

static void check_pattern(const char *path, uint32_t from, uint32_t to, uint32_t seed)
{
	check_bytes(path, from, to, to, seed);
}

/* Where the ways to a file's blocks change, in blocks; how many there are below 2 GB. */
static uint32_t boundaries(uint32_t at[4])
{
	uint64_t p = ext2.block_size / 4, blocks[] = { 0, 12, 12 + p, 12 + p + p * p };
	uint32_t n = 0;

	while (n < 4 && (blocks[n] + 4) * ext2.block_size < 0x7FFFFFFF) {
		at[n] = blocks[n];
		n++;
	}
	return n;
}

/* A file for each size around each boundary: call fn(path, from, to, seed), bytes before `from`
 * are a hole. */
static void each_boundary_file(void (*fn)(const char *path, uint32_t from, uint32_t to,
					  uint32_t seed))
{
	uint32_t at[4], n = boundaries(at), size = ext2.block_size, seed = 0;

	for (uint32_t b = 0; b < n; b++) {
		for (int32_t d = -2; d <= 2; d++) {
			/* In whole blocks, a byte less, a byte more. */
			uint32_t to = (at[b] + (d == 2) - (d == -2)) * size + (d == 1) - (d == -1);
			char path[32];

			if ((int32_t)to < 0 || (b == 3 && size > 1024 && d != 1))
				continue; /* debugfs fills its half a gigabyte of holes: once will
					     do */
			snprintf(path, sizeof(path), "size-%u", to);
			fn(path, to > 400000 ? to - 3 * size - 5 : 0, to, ++seed);
		}
	}
}

static const char *out; /* a folder for what debugfs reads, and what it should be */
static FILE *script;	/* for it */

static void write_here_and_there(const char *path, uint32_t from, uint32_t to, uint32_t seed)
{
	assert_int_equal(write_pattern(path, from, to, seed), to);
	file_put(out, path, from, to - from, seed);
}

static void dump(const char *path, uint32_t from, uint32_t to, uint32_t seed)
{
	(void)from;
	(void)to;
	(void)seed;
	fprintf(script, "dump %s %s/%s.dump\n", path, out, path);
}

static void test_files_around_every_boundary_are_read_by_debugfs(void **state)
{
	char path[64];

	(void)state;
	for (uint32_t f = 0; f < ARRAY_SIZE(formats); f++) {
		mount(formats[f], "8M");
		out = folder_new();
		each_boundary_file(write_here_and_there);
		each_boundary_file(check_pattern);
		mount_again();
		each_boundary_file(check_pattern);
		snprintf(path, sizeof(path), "%s/script", out);
		script = fopen(path, "w");
		each_boundary_file(dump);
		fclose(script);
		image_save(disk, strcat(strcpy((char[64]){ 0 }, out), "/image"));
		run("PATH=$PATH:/sbin:/usr/sbin debugfs -f %s/script %s/image >%s/log 2>&1", out,
		    out, out);
		run("cd %s && for f in size-*.dump; do cmp $f ${f%%.dump} || exit; done", out);
		run("rm -rf %s/*", out);
		unmount();
	}
}

static void put_there(const char *path, uint32_t from, uint32_t to, uint32_t seed)
{
	file_put(out, path, from, to - from, seed);
}

static void test_files_around_every_boundary_are_read_as_mke2fs_wrote_them(void **state)
{
	(void)state;
	for (uint32_t f = 0; f < ARRAY_SIZE(formats); f++) {
		out = folder_new();
		mount(formats[f], "8M"); /* for the block size */
		each_boundary_file(put_there);
		image_unmount(disk);
		disk = image_make(out, formats[f], "8M");
		assert_int_equal(ext2_mount(&disk->dev), 0);
		each_boundary_file(check_pattern);
		run("rm -rf %s/*", out);
		unmount();
	}
}

/* From every boundary over the next, and back: what was cut off is gone, what was not is there. */
static void test_truncate_gives_back_every_block(void **state)
{
	struct fs_room before, after;

	(void)state;
	for (uint32_t f = 0; f < ARRAY_SIZE(formats); f++) {
		uint32_t at[4], n, size;

		mount(formats[f], "8M");
		n = boundaries(at);
		size = ext2.block_size;
		fs_room(&before);
		for (uint32_t b = 0; b < n; b++) {
			for (uint32_t cut = 0; cut <= b; cut++) {
				uint32_t to = (at[b] + 3) * size, left = (at[cut] + 1) * size - 3;
				uint32_t from = to > 900000 ? to - 7 * size : 0;
				struct inode *i;

				write_pattern("file", from, to, b);
				i = open_new("file");
				ok("truncate", inode_truncate(i, left));
				ok("truncate", inode_truncate(i, to));
				inode_put(i);
				check_bytes("file", from, MAX(left, from), to, b);
				mount_again();
				check_bytes("file", from, MAX(left, from), to, b);
				ok("unlink", ours_remove(NULL, "file", false));
				fs_room(&after);
				assert_int_equal(after.free, before.free);
			}
		}
		unmount();
	}
}

/* --- a full disk --- */

static void test_a_full_disk_loses_nothing_and_gets_its_room_back(void **state)
{
	(void)state;
	for (uint32_t f = 0; f < ARRAY_SIZE(formats); f++) {
		uint32_t files = 0, wrote[200], wanted;
		struct fs_room empty, room;
		char path[32], options[64];

		snprintf(options, sizeof(options), "%s -m 0 -N 256", formats[f]);
		mount(options, "2M");
		fs_room(&empty);
		do {
			snprintf(path, sizeof(path), "f%u", files);
			wanted = 1000 + files * 777;
			wrote[files] = write_pattern(path, 0, wanted, files);
			assert_true(files < ARRAY_SIZE(wrote) - 1);
		} while (wrote[files++] == wanted);
		fs_room(&room);
		assert_true(room.free < 3); /* for an indirect block without a block behind it */
		for (uint32_t again = 0; again < 2; again++) {
			for (uint32_t k = 0; k < files; k++) {
				snprintf(path, sizeof(path), "f%u", k);
				check_pattern(path, 0, wrote[k], k);
			}
			mount_again();
		}
		for (uint32_t k = 0; k < files; k++) {
			snprintf(path, sizeof(path), "f%u", k);
			ok(path, ours_remove(NULL, path, false));
		}
		ok("sync", fs_sync());
		fs_room(&room);
		assert_in_range(room.free, empty.free - 8, empty.free); /* the root has grown */
		assert_int_equal(room.free_inodes, empty.free_inodes);
		write_pattern("again", 0, 1000000, 1);
		check_pattern("again", 0, 1000000, 1);
		unmount();
	}
}

/* With so many blocks left: everything that needs some succeeds, or says that there are too few. */
static void need_blocks(uint32_t left)
{
	uint32_t size = ext2.block_size, at[4], n = boundaries(at);
	struct fs_room room;
	struct inode *i;
	char path[300];

	fs_room(&room);
	write_pattern("rest", 0, (room.free + 1) * size, 1); /* all of it */
	i = open_new("rest");
	for (uint32_t cut = i->size; fs_room(&room), room.free < left && cut; cut -= size)
		ok("truncate", inode_truncate(i, cut - size));
	inode_put(i);
	for (uint32_t b = 0; b < n; b++) {
		snprintf(path, sizeof(path), "far-%u", b);
		i = open_new(path);
		ssize_t wrote = ours_write(i, "0123456789", 10, at[b] * size);

		if (wrote < 0)
			assert_int_equal(wrote, -ENOSPC);
		assert_int_equal(i->size, wrote < 0 ? 0 : at[b] * size + wrote);
		inode_put(i);
		ok(path, ours_remove(NULL, path, false));
		fs_room(&room);
	}
	memset(path, 'n', 255);
	for (uint32_t k = 0; k < 20; k++) { /* the directory grows, or cannot */
		int err;

		snprintf(path + 200, 50, "%u", k);
		err = ours_mkdir(NULL, path, 0755);
		if (err)
			assert_int_equal(err, -ENOSPC);
		err = ours_symlink("a text that is longer than what there is room for in an inode",
				   NULL, "link");
		if (err)
			assert_int_equal(err, -ENOSPC);
		else
			ok("link", ours_remove(NULL, "link", false));
		err = ours_link(NULL, "rest", NULL, strcat(path, "+"));
		if (err)
			assert_int_equal(err, -ENOSPC);
		path[200] = '\0';
	}
}

static void test_the_last_blocks(void **state)
{
	(void)state;
	for (uint32_t left = 0; left < 7; left++) {
		mount(formats[left % 3], "400K");
		need_blocks(left);
		unmount();
	}
}

static void test_the_last_inode(void **state)
{
	struct fs_room room;
	struct inode *i;
	uint32_t n = 0;
	char path[32];
	int err;

	(void)state;
	mount("-b 1024 -N 32", "400K");
	fs_room(&room);
	for (;;) {
		snprintf(path, sizeof(path), "f%u", n);
		err = ours_open(NULL, path, true, false, 0644, &i);
		if (err)
			break;
		inode_put(i);
		n++;
	}
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(n, room.free_inodes);
	assert_int_equal(ours_mkdir(NULL, "dir", 0755), -ENOSPC);
	assert_int_equal(ours_symlink("f0", NULL, "link"), -ENOSPC);
	ok("link", ours_link(NULL, "f0", NULL, "f1-too"));
	ok("unlink", ours_remove(NULL, "f1", false));
	ok("sync", fs_sync());
	ok("mkdir", ours_mkdir(NULL, "dir", 0755));
	unmount();
}

/* --- a disk that fails, memory that runs out --- */

struct answers {
	int32_t worst; /* the first error that is not a consequence of another; 0: none */
	uint32_t bad;
};

static struct answers answers;
static int32_t expected; /* -EIO or -ENOMEM */

/* Only the fault itself may be answered, and what follows from it. */
static int64_t note(const char *what, int64_t answer)
{
	if (answer >= 0)
		return answer;
	answers.bad++;
	if (!answers.worst)
		answers.worst = answer;
	if (answer != expected && answer != -ENOENT && answer != -EROFS && answer != -ENOTEMPTY)
		fail_msg("%s: %lld; log: %s", what, (long long)answer, host_log);
	return answer;
}

static void note_write(const char *path, uint32_t at, uint32_t n)
{
	static uint8_t data[120000];
	struct inode *i;
	ssize_t wrote;

	if (note(path, ours_open(NULL, path, true, false, 0644, &i)) < 0)
		return;
	for (uint32_t k = 0; k < n; k++)
		data[k] = pattern(7, at + k);
	wrote = note(path, ours_write(i, data, n, at));
	if (wrote >= 0 && wrote < n)
		note(path, ours_write(i, data + wrote, n - wrote, at + wrote));
	note("fsync", inode_sync(i));
	inode_put(i);
}

static void note_cut(const char *path, uint32_t size)
{
	struct inode *i;

	if (note(path, ours_open(NULL, path, false, false, 0, &i)) < 0)
		return;
	note("truncate", inode_truncate(i, size));
	inode_put(i);
}

/* A bit of everything. */
static void sequence(void)
{
	static uint8_t in[50000];
	struct inode *i;
	char path[64];

	note("mkdir", ours_mkdir(NULL, "d", 0755));
	note_write("d/file", 0, 100000);
	note_write("d/far", 300000, 3000);
	note_cut("d/file", 40000);
	note("mkdir", ours_mkdir(NULL, "d/e", 0755));
	for (uint32_t k = 0; k < 30; k++) {
		snprintf(path, sizeof(path), "d/a name of some length, number %u", k);
		if (!note(path, ours_open(NULL, path, true, false, 0644, &i)))
			inode_put(i);
	}
	note("link", ours_link(NULL, "d/file", NULL, "d/e/link"));
	note("symlink", ours_symlink("a text that does not fit into the inode of a symbolic link",
				     NULL, "d/text"));
	buffer_drop();
	inode_drop();
	note("rename", ours_rename(NULL, "d/far", NULL, "d/e/near"));
	note("rename", ours_rename(NULL, "d/e", NULL, "moved"));
	note("sync", fs_sync());
	buffer_drop();
	inode_drop();
	note("unlink", ours_remove(NULL, "d/file", false));
	if (!note("open", ours_open(NULL, "moved/near", false, false, 0, &i))) {
		note("read", ours_read(i, in, sizeof(in), 290000));
		note("unlink", ours_remove(NULL, "moved/near", false));
		inode_put(i);
	}
	note("chmod", ours_chmod(NULL, "moved/link", 0600));
	note("unlink", ours_remove(NULL, "moved/link", false));
	note("rmdir", ours_remove(NULL, "moved", true));
	note_write("over", 0, 5000);
	note("rename", ours_rename(NULL, "over", NULL, "d/a name of some length, number 3"));
	note("sync", fs_sync());
}

/* A number for all that there is: names, sizes, bytes. */
static uint32_t sum_of(struct inode *dir)
{
	static uint8_t data[PIECE];
	uint32_t n, sum = 0;
	char **names = ours_names(dir, &n);

	for (uint32_t k = 0; k < n; k++) {
		struct inode *i;

		ok(names[k], path_lookup(names[k], dir, 0, &i));
		for (const char *c = names[k]; *c; c++)
			sum = sum * 31 + *c;
		if (inode_is(i, S_IFDIR))
			sum = sum * 31 + sum_of(i);
		for (uint32_t at = 0; inode_is(i, S_IFREG) && at < i->size;) {
			ssize_t got = ours_read(i, data, PIECE, at);

			ok(names[k], got);
			for (ssize_t b = 0; b < got; b++)
				sum = sum * 31 + data[b];
			at += got;
		}
		inode_put(i);
		free(names[k]);
	}
	free(names);
	return sum;
}

static uint8_t *pristine;

static void keep(void)
{
	size_t size = (size_t)disk->dev.sectors * SECTOR_SIZE;

	pristine = malloc(size);
	memcpy(pristine, disk->image, size);
}

/* The disk as it was in the beginning, mounted, nothing in memory. */
static void back_to_the_beginning(void)
{
	struct disk *empty = disk_new(65536);

	assert_int_equal(ext2_mount(&empty->dev), -EINVAL);
	disk_free(empty);
	memcpy(disk->image, pristine, (size_t)disk->dev.sectors * SECTOR_SIZE);
	assert_int_equal(ext2_mount(&disk->dev), 0);
	host_log_clear();
	answers = (struct answers){ 0 };
}

/* e2fsck repairs what is left without asking; `clean`: there is nothing to repair. */
static void check_left(const char *what, uint32_t n, bool clean)
{
	static const char *work;
	char path[64];

	if (!work)
		work = folder_new();
	snprintf(path, sizeof(path), "%s/image", work);
	image_save(disk, path);
	run("PATH=$PATH:/sbin:/usr/sbin; e2fsck -f%s %s >%s/log 2>&1; s=$?; [ $s -le %u ] || "
	    "{ echo '%s %u'; cat %s/log; false; }",
	    clean ? "n" : "p", path, work, !clean, what, n, work);
	assert_true(host_no_buffer_in_use());
	assert_int_equal(inodes_cached, inodes_unused + 1);
}

/*
 * Run the sequence again and again, and each time another request fails.  Either somebody is told,
 * or nothing is lost but room.  The disk works again before the end: what could not be written was
 * kept.
 */
static void fail_each_request(uint32_t then, uint32_t frames, uint32_t step)
{
	uint32_t requests, told = 0, runs = 0, sum;

	host_memory(frames);
	mount("-b 1024 -N 128", "600K");
	keep();
	expected = -EIO;
	back_to_the_beginning();
	requests = disk->reads;
	sequence();
	requests = disk->reads - requests;
	assert_int_equal(answers.bad, 0);
	assert_true(requests > 50);
	ok("end", fs_end());
	check_left("without a fault", 0, true);
	sum = sum_of(root_inode);
	for (uint32_t n = 1; n <= requests; n += step) {
		back_to_the_beginning();
		disk->fail_then = then;
		disk->fail_in = n;
		sequence();
		disk->fail_in = 0;
		disk->fail_sector = NO_SECTOR;
		ok("end", fs_end());
		check_left("request", n, false);
		if (answers.bad)
			told++;
		else if (sum_of(root_inode) != sum)
			fail_msg("request %u failed, something is lost, and nobody was told", n);
		runs++;
	}
	assert_true(told > runs / 3);
	image_unmount(disk);
	free(pristine);
	host_memory(4096);
}

static void test_a_request_that_fails_is_told_or_made_good(void **state)
{
	(void)state;
	fail_each_request(FAIL_ONCE, 4096, 1);
	fail_each_request(FAIL_ONCE, 24, 3);
}

static void test_a_bad_sector_is_told_and_the_disk_can_be_repaired(void **state)
{
	(void)state;
	fail_each_request(FAIL_SECTOR, 4096, 1);
	fail_each_request(FAIL_SECTOR, 24, 3);
}

static void test_a_disk_that_comes_back_loses_nothing_that_was_not_told(void **state)
{
	(void)state;
	fail_each_request(FAIL_ALL, 4096, 3);
}

static void test_without_memory_nothing_breaks(void **state)
{
	uint32_t allocations;

	(void)state;
	mount("-b 1024 -N 128", "600K");
	keep();
	expected = -ENOMEM;
	back_to_the_beginning();
	allocations = host_allocations;
	sequence();
	allocations = host_allocations - allocations;
	for (uint32_t n = 2; n <= allocations + 1; n += 1 + n / 40) {
		back_to_the_beginning();
		host_fail_at = n;
		sequence();
		host_fail_at = 0;
		ok("end", fs_end());
		check_left("allocation", n, true);
	}
	image_unmount(disk);
	free(pristine);
}

/* --- several at once --- */

#define WRITERS	  5
#define ROUNDS	  150
#define RECORD	  48
#define OWN_FILES 4

struct writer {
	struct host_task *task;
	uint32_t number, rnd, records;
	uint32_t size[OWN_FILES], seed[OWN_FILES];
};

static uint32_t any(struct writer *w, uint32_t below)
{
	w->rnd = w->rnd * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(w->rnd >> 4) * below >> 28);
}

static void append_record(struct writer *w)
{
	struct inode *i = open_new("log");
	char record[RECORD + 1];

	snprintf(record, sizeof(record), "%-*u%-*u\n", 10, w->number, RECORD - 11, w->records++);
	assert_int_equal(ours_append(i, record, RECORD), RECORD);
	inode_put(i);
}

static void write_own(struct writer *w)
{
	static uint8_t data[WRITERS][30000];
	uint32_t f = any(w, OWN_FILES), n = any(w, 30000);
	struct inode *i;
	char path[32];

	snprintf(path, sizeof(path), "own%u/f%u", w->number, f);
	w->size[f] = n;
	w->seed[f] = any(w, 1000);
	for (uint32_t k = 0; k < n; k++)
		data[w->number][k] = pattern(w->seed[f], k);
	i = open_new(path);
	ok(path, inode_truncate(i, 0));
	assert_int_equal(ours_write(i, data[w->number], n, 0), n);
	if (!any(w, 4))
		ok("fsync", inode_sync(i));
	inode_put(i);
}

/* Everybody does this with the same few names: any answer will do. */
static void shared(struct writer *w)
{
	char a[32], b[32];
	struct inode *i;

	snprintf(a, sizeof(a), "shared/%c", 'a' + any(w, 4));
	snprintf(b, sizeof(b), "shared/%c%s", 'a' + any(w, 4), any(w, 3) ? "" : "/x");
	switch (any(w, 8)) {
	case 0:
		if (!ours_open(NULL, b, true, false, 0644, &i)) {
			ours_write(i, a, 10, any(w, 20000));
			inode_put(i);
		}
		break;
	case 1:
		ours_mkdir(NULL, a, 0755);
		break;
	case 2:
		ours_remove(NULL, a, true);
		break;
	case 3:
		ours_remove(NULL, b, false);
		break;
	case 4:
	case 5:
		ours_rename(NULL, a, NULL, b);
		break;
	case 6:
		ours_link(NULL, b, NULL, a);
		break;
	default:
		if (!ours_open(NULL, b, false, false, 0, &i)) {
			inode_truncate(i, any(w, 5000));
			inode_put(i);
		}
	}
}

static void write_away(void *arg)
{
	struct writer *w = arg;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		switch (any(w, 8)) {
		case 0:
			write_own(w);
			break;
		case 1:
			append_record(w);
			break;
		case 2:
			if (!any(w, 5))
				ok("sync", fs_sync());
			break;
		default:
			shared(w);
		}
	}
}

static void check_log(struct writer *writers)
{
	uint32_t next[WRITERS] = { 0 }, n, k;
	struct inode *i = open_new("log");
	char record[RECORD + 1] = "";

	for (uint32_t at = 0; at < i->size; at += RECORD) {
		assert_int_equal(ours_read(i, record, RECORD, at), RECORD);
		assert_int_equal(sscanf(record, "%u %u", &n, &k), 2);
		assert_true(n < WRITERS && k == next[n]);
		next[n]++;
	}
	for (n = 0; n < WRITERS; n++)
		assert_int_equal(next[n], writers[n].records);
	inode_put(i);
}

static void write_together(uint32_t seed, uint32_t frames)
{
	struct writer writers[WRITERS] = { 0 };
	char path[32];

	host_memory(frames);
	mount("-b 1024 -N 256", "2M");
	ok("shared", ours_mkdir(NULL, "shared", 0755));
	disk->mode = DISK_WHEN_TOLD;
	for (uint32_t n = 0; n < WRITERS; n++) {
		snprintf(path, sizeof(path), "own%u", n);
		ok(path, ours_mkdir(NULL, path, 0755));
	}
	for (uint32_t n = 0; n < WRITERS; n++) {
		writers[n].number = n;
		writers[n].rnd = seed * 1000 + n;
		writers[n].task = host_start(write_away, &writers[n]);
	}
	while (host_settle()) {
		if (!disk->dev.busy)
			fail_msg("seed %u: asleep for ever", seed);
		disk_finish(disk);
	}
	for (uint32_t n = 0; n < WRITERS; n++)
		host_join(writers[n].task);
	disk->mode = DISK_LATER;
	for (uint32_t again = 0; again < 2; again++) {
		check_log(writers);
		for (uint32_t n = 0; n < WRITERS * OWN_FILES; n++) {
			struct writer *w = &writers[n / OWN_FILES];

			snprintf(path, sizeof(path), "own%u/f%u", w->number, n % OWN_FILES);
			if (w->seed[n % OWN_FILES])
				check_pattern(path, 0, w->size[n % OWN_FILES],
					      w->seed[n % OWN_FILES]);
		}
		mount_again();
	}
	unmount();
	host_memory(4096);
}

static void test_several_write_at_once(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 8; seed++)
		write_together(seed, seed % 2 ? 4096 : 40);
}

static int set_up(void **state)
{
	(void)state;
	alarm(ALARM_SECS); /* a hang is a failure too */
	host_memory(4096);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_around_every_boundary_are_read_by_debugfs),
		cmocka_unit_test(test_files_around_every_boundary_are_read_as_mke2fs_wrote_them),
		cmocka_unit_test(test_truncate_gives_back_every_block),
		cmocka_unit_test(test_a_full_disk_loses_nothing_and_gets_its_room_back),
		cmocka_unit_test(test_the_last_blocks),
		cmocka_unit_test(test_the_last_inode),
		cmocka_unit_test(test_a_request_that_fails_is_told_or_made_good),
		cmocka_unit_test(test_a_bad_sector_is_told_and_the_disk_can_be_repaired),
		cmocka_unit_test(test_a_disk_that_comes_back_loses_nothing_that_was_not_told),
		cmocka_unit_test(test_without_memory_nothing_breaks),
		cmocka_unit_test(test_several_write_at_once),
	};

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, set_up, NULL);
}
