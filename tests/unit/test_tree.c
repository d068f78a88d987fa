/*
 * test_tree.c - any sequence of file operations leaves the tree that Linux leaves.
 *
 * The same random operations are done in a mounted image by our code and in a folder by the host's
 * kernel, a step here, a step there.  Every answer is compared, errors too; every so often the
 * whole trees; and at the end e2fsck must find nothing.  The sequence comes from a seed:
 * `test_tree SEED` runs that one alone, on all images, and says each operation.
 *
 * Paths are made so that they cannot leave the folder: ".." comes behind a name only, and no
 * symbolic link says "..".
 */
#include "host/image.h"
#include "host/ours.h"
#include "host/theirs.h"

#include <unistd.h>

#include "cpu/timer.h"
#include "fs/namei.h"

#define OPERATIONS 10000u
#define HANDLES	   6
#define POOL	   48 /* paths that were used before */
#define PATH_MAX_  1024
#define WRITE_MAX  20000u
#define NEAR	   120000u    /* most offsets are below it */
#define FAR	   5000000u   /* few are beyond */
#define TIME_FIRST 700000000u /* times that are set: nobody's clock shows them */
#define TIME_RANGE 1000000u
#define LINKS_MAX  6  /* symbolic links: fewer than we follow in one path */
#define DIFFERING  50 /* of so many answers one may tell of another mistake */
#define ALARM_SECS 400

struct variant {
	const char *name, *options, *blocks;
	uint32_t frames;
};

static const struct variant variants[] = {
	{ "1 KB", "-b 1024 -N 4096", "48M", 4096 },
	{ "2 KB, little memory", "-b 2048 -N 4096", "48M", 160 },
	{ "4 KB", "-b 4096 -N 4096", "48M", 4096 },
	{ "inodes of 256 bytes, little memory", "-b 1024 -I 256 -N 4096", "48M", 160 },
	{ "revision 0", "-r 0 -b 1024 -N 4096", "48M", 1024 },
	{ "no entry types", "-b 1024 -O ^filetype,^dir_index -N 4096", "48M", 1024 },
	{ "many groups, no sparse copies", "-b 1024 -g 1024 -O ^sparse_super,^resize_inode -N 8192",
	  "48M", 1024 },
	{ "directories with an index", "-b 1024 -O dir_index,filetype -N 4096", "48M", 1024 },
};

struct handle {
	struct inode *ours; /* NULL: not open */
	int theirs;
};

static struct disk *disk;
static const char *folder;
static struct handle handles[HANDLES], cwd; /* cwd.ours NULL: the root */
static int root_fd;
static char pool[POOL][PATH_MAX_];
static uint32_t rnd_state, seed = 1, step, symlinks, differing;
static bool tell;

static uint32_t rnd(uint32_t below)
{
	rnd_state = rnd_state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(rnd_state >> 4) * below >> 28);
}

/* --- paths --- */

static void add_name(char *path)
{
	size_t n = strlen(path);
	uint32_t what = rnd(100);
	bool named = n && path[n - 1] != '.' && path[n - 1] != '/';

	if (n && path[n - 1] != '/')
		path[n++] = '/';
	if (what < 60) {
		snprintf(path + n, PATH_MAX_ - n, "%c", 'a' + rnd(10));
	} else if (what < 92) {
		/* Names of all lengths, so that entries are cut and joined in all ways. */
		uint32_t k = rnd(150);

		n += snprintf(path + n, PATH_MAX_ - n, "file%u", k);
		memset(path + n, '-', k * 7 % 50);
		path[n + k * 7 % 50] = '\0';
	} else if (what < 95) {
		uint32_t len = rnd(4) ? 255 : 256;

		memset(path + n, 'A' + rnd(3), len);
		path[n + len] = '\0';
	} else {
		strcpy(path + n, named && rnd(2) ? ".." : ".");
	}
}

/* A path, most often one that was used before. */
static const char *any_path(void)
{
	static char paths[4][PATH_MAX_];
	static uint32_t turn;
	char *path = paths[turn++ % 4];
	uint32_t slot = rnd(POOL);

	*path = '\0';
	if (rnd(3) && *pool[slot])
		strcpy(path, pool[slot]);
	else
		add_name(path);
	while (strlen(path) < PATH_MAX_ - 300 && !rnd(3))
		add_name(path);
	if (!rnd(60))
		strcat(path, "/");
	return path;
}

static void remember(const char *path)
{
	strcpy(pool[rnd(POOL)], path);
}

/* --- one operation, twice --- */

static void say(const char *fmt, ...) printf_like(1, 2);
static void say(const char *fmt, ...)
{
	va_list ap;

	if (!tell)
		return;
	fprintf(stderr, "%u: ", step);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/*
 * What we answered must be what Linux did.  But where two things are wrong with what was asked,
 * either may be told.
 */
static int64_t same(const char *what, const char *path, int64_t ours, int64_t theirs)
{
	bool both_fail = ours < 0 && theirs < 0;

	say("%s %s: %lld", what, path, (long long)ours);
	if (both_fail && ours != theirs)
		differing++;
	else if (ours != theirs)
		fail_msg("seed %u, step %u: %s %s: %lld, on Linux %lld; log: %s", seed, step, what,
			 path, (long long)ours, (long long)theirs, host_log);
	return ours;
}

static void close_handle(struct handle *h)
{
	if (!h->ours)
		return;
	inode_put(h->ours);
	theirs_close(h->theirs);
	h->ours = NULL;
}

static void op_open(bool create)
{
	const char *path = any_path();
	struct handle h = { 0 }, *to = &handles[rnd(HANDLES)];
	struct theirs_stat st;
	bool exclusive = create && !rnd(5);
	uint32_t mode = 0600 | rnd(0100);
	int ours;

	/* Pipes are only made: opening one is another's matter. */
	if (!theirs_stat(cwd.theirs, path, true, &st) && (st.mode & S_IFMT) == S_IFIFO)
		return;
	ours = ours_open(cwd.ours, path, create, exclusive, mode, &h.ours);
	h.theirs = theirs_open(cwd.theirs, path, create, exclusive, mode);
	if (same(create ? "create" : "open", path, ours, MIN(h.theirs, 0)) < 0)
		return;
	remember(path);
	close_handle(to);
	*to = h;
}

static uint32_t any_offset(void)
{
	return rnd(200) ? rnd(rnd(4) ? NEAR / 8 : NEAR) : rnd(FAR);
}

static void op_write(struct handle *h, bool append)
{
	static uint8_t data[WRITE_MAX];
	uint32_t n = rnd(4) ? rnd(WRITE_MAX / 10) : rnd(WRITE_MAX);
	uint32_t at = append ? theirs_size(h->theirs) : any_offset();
	ssize_t ours;

	for (uint32_t i = 0; i < n; i++)
		data[i] = pattern(step, i);
	ours = append ? ours_append(h->ours, data, n) : ours_write(h->ours, data, n, at);
	same(append ? "append" : "write", ".", ours, theirs_write(h->theirs, data, n, at));
	assert_int_equal(h->ours->size, theirs_size(h->theirs));
}

static void op_truncate(struct handle *h)
{
	uint32_t size = rnd(3) ? any_offset() : rnd(2) ? 0 : h->ours->size;

	same("truncate", ".", inode_truncate(h->ours, size), theirs_truncate(h->theirs, size));
	assert_int_equal(h->ours->size, size);
}

static void compare_bytes(const char *path, struct inode *i, int fd)
{
	static uint8_t ours[65536], theirs[65536];
	uint32_t at = 0;
	ssize_t n;

	if (i->size != theirs_size(fd))
		fail_msg("seed %u, step %u: %s has %u bytes, on Linux %lld", seed, step, path,
			 i->size, (long long)theirs_size(fd));
	do {
		n = theirs_read(fd, theirs, sizeof(theirs), at);
		same("read", path, ours_read(i, ours, sizeof(ours), at), n);
		if (memcmp(ours, theirs, n))
			fail_msg("seed %u, step %u: %s differs behind byte %u", seed, step, path,
				 at);
		at += n;
	} while (n);
}

static void op_move_cwd(void)
{
	const char *path = any_path();
	struct handle h = { 0 };
	int ours;

	if (!rnd(3)) {
		if (cwd.ours)
			close_handle(&cwd);
		cwd.theirs = root_fd;
		return;
	}
	ours = ours_folder(cwd.ours, path, &h.ours);
	h.theirs = theirs_folder(cwd.theirs, path);
	if (same("folder", path, ours, MIN(h.theirs, 0)) < 0)
		return;
	close_handle(&cwd);
	cwd = h;
}

static void op_symlink(void)
{
	const char *path = any_path();
	char text[80];
	uint32_t n = rnd(3) ? 1 + rnd(8) : 55 + rnd(20); /* inside the inode, or in a block */

	if (symlinks >= LINKS_MAX)
		return;
	for (uint32_t i = 0; i < n; i++)
		text[i] = i % 2 && n < 9 ? '/' : 'a' + rnd(10);
	text[n] = '\0';
	if (same("symlink", path, ours_symlink(text, cwd.ours, path),
		 theirs_symlink(text, cwd.theirs, path)) == 0)
		symlinks++;
}

static void operate(void)
{
	struct handle *h = &handles[rnd(HANDLES)];
	const char *path = any_path(), *to;
	uint32_t what = rnd(100), value;

	if (!rnd(3))
		remember(path);
	if (what < 14) {
		op_open(true);
	} else if (what < 18) {
		op_open(false);
	} else if (what < 42) {
		if (h->ours)
			op_write(h, what < 28);
	} else if (what < 48) {
		if (h->ours)
			op_truncate(h);
	} else if (what < 51) {
		if (h->ours)
			compare_bytes("an open file", h->ours, h->theirs);
	} else if (what < 53) {
		close_handle(h);
	} else if (what < 60) {
		value = 0700 | rnd(0100);
		same("mkdir", path, ours_mkdir(cwd.ours, path, value),
		     theirs_mkdir(cwd.theirs, path, value));
	} else if (what < 64) {
		same("rmdir", path, ours_remove(cwd.ours, path, true),
		     theirs_remove(cwd.theirs, path, true));
	} else if (what < 75) {
		same("unlink", path, ours_remove(cwd.ours, path, false),
		     theirs_remove(cwd.theirs, path, false));
	} else if (what < 80) {
		to = any_path();
		say("link %s", path);
		same("link to", to, ours_link(cwd.ours, path, cwd.ours, to),
		     theirs_link(cwd.theirs, path, cwd.theirs, to));
	} else if (what < 90) {
		to = any_path();
		say("rename %s", path);
		same("rename to", to, ours_rename(cwd.ours, path, cwd.ours, to),
		     theirs_rename(cwd.theirs, path, cwd.theirs, to));
	} else if (what < 92) {
		op_symlink();
	} else if (what < 93) {
		same("mkfifo", path, ours_mkfifo(cwd.ours, path, 0600),
		     theirs_mkfifo(cwd.theirs, path, 0600));
	} else if (what < 95) {
		value = 0700 | rnd(0100);
		same("chmod", path, ours_chmod(cwd.ours, path, value),
		     theirs_chmod(cwd.theirs, path, value));
	} else if (what < 97) {
		value = TIME_FIRST + rnd(TIME_RANGE);
		same("utime", path, ours_set_time(cwd.ours, path, value),
		     theirs_set_time(cwd.theirs, path, value));
	} else if (what < 99) {
		op_move_cwd();
	} else if (rnd(3)) {
		timer_ticks += rnd(1000); /* time passes */
	} else {
		assert_int_equal(fs_sync(), 0);
	}
}

/* --- the whole tree --- */

static bool was_set(uint32_t time)
{
	return time - TIME_FIRST < TIME_RANGE;
}

static void compare_inode(const char *path, struct inode *i, const struct theirs_stat *st)
{
	if (i->mode != st->mode)
		fail_msg("step %u: %s: mode 0%o, on Linux 0%o", step, path, i->mode, st->mode);
	if (!inode_is(i, S_IFDIR) && i->links != st->links)
		fail_msg("step %u: %s: %u links, on Linux %u", step, path, i->links, st->links);
	if (!inode_is(i, S_IFDIR) && i->size != st->size)
		fail_msg("step %u: %s: size %u, on Linux %u", step, path, i->size,
			 (uint32_t)st->size);
	if (was_set(st->mtime) ? i->mtime != st->mtime : was_set(i->mtime))
		fail_msg("step %u: %s: time %u, on Linux %u", step, path, i->mtime, st->mtime);
}

/* Compare a directory and all below it; how many bytes its files have. */
static uint64_t compare_folder(const char *path, struct inode *dir)
{
	uint32_t n, n_theirs, folders = 0;
	char **names = ours_names(dir, &n), **names_theirs = theirs_names(root_fd, path, &n_theirs);
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < MIN(n, n_theirs); k++)
		if (strcmp(names[k], names_theirs[k]))
			fail_msg("step %u: %s has %s, on Linux %s", step, path, names[k],
				 names_theirs[k]);
	if (n != n_theirs)
		fail_msg("step %u: %s has %u names, on Linux %u", step, path, n, n_theirs);
	for (uint32_t k = 0; k < n; k++) {
		char *sub, text[2][100];
		struct theirs_stat st;
		struct inode *i;
		int err, fd;

		sub = malloc(strlen(path) + strlen(names[k]) + 2);
		sprintf(sub, "%s/%s", path, names[k]);
		err = path_lookup(sub, NULL, 0, &i);
		if (err)
			fail_msg("step %u: %s: %d; log: %s", step, sub, err, host_log);
		assert_int_equal(theirs_stat(root_fd, sub, false, &st), 0);
		compare_inode(sub, i, &st);
		switch (i->mode & S_IFMT) {
		case S_IFDIR:
			folders++;
			bytes += compare_folder(sub, i);
			break;
		case S_IFREG:
			bytes += i->size;
			fd = theirs_open(root_fd, sub, false, false, 0);
			compare_bytes(sub, i, fd);
			theirs_close(fd);
			break;
		case S_IFLNK:
			assert_int_equal(inode_readlink(i, text[0], 100),
					 theirs_link_text(root_fd, sub, text[1], 100));
			assert_memory_equal(text[0], text[1], st.size);
			break;
		}
		inode_put(i);
		free(sub);
	}
	assert_int_equal(dir->links, 2 + folders);
	theirs_free(names, n);
	theirs_free(names_theirs, n_theirs);
	return bytes;
}

static uint64_t compare_trees(void)
{
	bool told = tell;
	uint64_t bytes;

	tell = false;
	bytes = compare_folder(".", root_inode);
	tell = told;
	return bytes;
}

/* --- the test --- */

static void set_out(const struct variant *v)
{
	folder = folder_new();
	host_memory(v->frames);
	disk = image_make(folder, v->options, v->blocks);
	disk->mode = DISK_LATER;
	host_log_clear();
	assert_int_equal(ext2_mount(&disk->dev), 0);
	run("rm -rf %s/* && mkdir %s/lost+found && chmod 700 %s/lost+found", folder, folder,
	    folder);
	root_fd = theirs_folder(HERE, folder);
	cwd = (struct handle){ .theirs = root_fd };
	memset(pool, 0, sizeof(pool));
	symlinks = 0;
}

static void put_everything_away(void)
{
	for (uint32_t h = 0; h < HANDLES; h++) {
		if (handles[h].ours)
			compare_bytes("an open file", handles[h].ours, handles[h].theirs);
		close_handle(&handles[h]);
	}
	close_handle(&cwd);
	cwd.theirs = root_fd;
}

/* As after power-off: what is on the disk now is all that there is. */
static void start_anew(void)
{
	put_everything_away();
	assert_int_equal(fs_end(), 0);
	assert_true(host_no_buffer_in_use());
	image_check(disk);
	assert_int_equal(ext2_mount(&disk->dev), 0);
	compare_trees();
}

static void run_variant(const struct variant *v)
{
	say("%s", v->name);
	set_out(v);
	rnd_state = (seed + (uint32_t)(v - variants)) * 2654435761u + 12345;
	differing = 0;
	for (step = 1; step <= OPERATIONS; step++) {
		operate();
		if (step % 1000 == 0)
			compare_trees();
		if (step == OPERATIONS / 2)
			start_anew();
	}
	start_anew();
	assert_true(differing < OPERATIONS / DIFFERING);
	assert_int_equal(inodes_cached, inodes_unused + 1);
	theirs_close(root_fd);
	image_unmount(disk);
}

static void test_random_operations_leave_the_tree_that_linux_leaves(void **state)
{
	(void)state;
	alarm(ALARM_SECS); /* a hang is a failure too */
	for (uint32_t v = 0; v < ARRAY_SIZE(variants); v++)
		run_variant(&variants[v]);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_operations_leave_the_tree_that_linux_leaves),
	};

	if (argc > 1) {
		seed = atoi(argv[1]);
		tell = true;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
