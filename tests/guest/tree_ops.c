/*
 * tree_ops.c - a random sequence of file operations, and the tree that comes of it.
 *
 * The sequence is the same in every run.  After every 500 operations the number of those that
 * succeeded and a checksum of all names, kinds, sizes, rights, links and bytes are printed.  Which
 * error an operation ends with is others' matter: where two things are wrong, either may be told.
 *
 *	tree_ops [FOLDER [OPERATIONS]]	(the folder is not used: all guest tests are told one)
 */

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

#define OPERATIONS 2000
#define SHOW_EVERY 500
#define OPEN	   4	/* files that are held open, with a name or without */
#define SMALL	   2000 /* most sizes and offsets: they should fill no disk */
#define LARGE	   30000
#define ENTRIES	   160
#define PATH	   600

static unsigned state = 12345;
static unsigned char buf[4096];
static int open_files[OPEN];

static unsigned any(unsigned below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

static unsigned add(unsigned sum, const void *bytes, int n)
{
	const unsigned char *p = bytes;

	while (n-- > 0)
		sum = (sum << 1 | sum >> 31) + *p++;
	return sum;
}

static unsigned sum_of_file(int fd)
{
	unsigned sum = 0;
	int n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		sum = add(sum, buf, n);
	return sum;
}

/* --- all that there is ------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The names in a directory, sorted; how many. */
static int names_in(const char *path, char names[ENTRIES][32])
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int n = 0;

	while (dir && (e = readdir(dir)) && n < ENTRIES)
		if (e->d_name[0] != '.')
			snprintf(names[n++], sizeof(names[0]), "%.31s", e->d_name);
	if (dir)
		closedir(dir);
	qsort(names, n, sizeof(names[0]), by_name);
	return n;
}

static unsigned sum_of_tree(const char *path)
{
	char(*names)[32] = malloc(ENTRIES * sizeof(*names));
	int n = names_in(path, names), fd, length;
	unsigned sum = n;
	char sub[PATH];
	struct stat st;

	for (int i = 0; i < n; i++) {
		snprintf(sub, sizeof(sub), "%s/%s", path, names[i]);
		if (lstat(sub, &st) < 0) {
			printf("%s: %s\n", sub, strerror(errno));
			continue;
		}
		sum = add(sum, names[i], strlen(names[i]));
		sum = sum * 31 + st.st_mode;
		if (S_ISDIR(st.st_mode)) {
			sum = sum * 31 + sum_of_tree(sub);
			continue;
		}
		sum = sum * 31 + st.st_size;
		sum = sum * 31 + st.st_nlink;
		if (S_ISLNK(st.st_mode)) {
			length = readlink(sub, (char *)buf, sizeof(buf));
			sum = add(sum, buf, length);
		} else {
			fd = open(sub, O_RDONLY);
			sum = sum * 31 + sum_of_file(fd);
			close(fd);
		}
	}
	free(names);
	return sum;
}

static void remove_all(const char *path)
{
	char(*names)[32] = malloc(ENTRIES * sizeof(*names));
	int n = names_in(path, names);
	char sub[PATH];

	for (int i = 0; i < n; i++) {
		snprintf(sub, sizeof(sub), "%s/%s", path, names[i]);
		if (unlink(sub) < 0)
			remove_all(sub);
	}
	free(names);
	if (strcmp(path, ".") && rmdir(path) < 0)
		perror(path);
}

/* --- operations -------------------------------------------------------------- */

/* One to three names, of few, so that they meet. */
static const char *any_path(void)
{
	static char paths[2][80];
	static unsigned turn;
	char *path = paths[turn++ % 2];
	int n = 0;

	for (unsigned parts = 1 + any(3); parts; parts--) {
		n += snprintf(path + n, sizeof(paths[0]) - n, "%c", 'a' + any(4));
		if (any(12) == 0)
			n += snprintf(path + n, sizeof(paths[0]) - n, "%.*s", (int)any(20),
				      "-a-name-of-any-length");
		if (parts > 1)
			path[n++] = '/';
	}
	path[n] = '\0';
	return path;
}

static int hold(int flags)
{
	int fd = open(any_path(), O_RDWR | flags, 0600 | any(0100)), *slot = &open_files[any(OPEN)];

	if (fd < 0)
		return -1;
	if (*slot)
		close(*slot);
	*slot = fd;
	return 0;
}

static int write_some(int fd)
{
	unsigned n = any(any(8) ? 500 : sizeof(buf)), seed = any(256);

	for (unsigned i = 0; i < n; i++)
		buf[i] = seed + i * 7;
	return pwrite(fd, buf, n, any(any(8) ? SMALL : LARGE));
}

/* 0 or more, or -1. */
static long operate(void)
{
	int fd = open_files[any(OPEN)];
	const char *path = any_path();
	unsigned what = any(100);

	if (what < 12)
		return hold(O_CREAT);
	if (what < 16)
		return hold(any(2) ? O_CREAT | O_EXCL : 0);
	if (what < 35)
		return fd ? write_some(fd) : -1;
	if (what < 41)
		return fd ? ftruncate(fd, any(any(4) ? SMALL : LARGE)) : -1;
	if (what < 44)
		return fd ? (long)(sum_of_file(fd) % 1000) : -1;
	if (what < 53)
		return mkdir(path, 0700 | any(0100));
	if (what < 58)
		return rmdir(path);
	if (what < 73)
		return unlink(path);
	if (what < 79)
		return link(path, any_path());
	if (what < 92)
		return rename(path, any_path());
	if (what < 94)
		return symlink("no/such/place", path);
	if (what < 97)
		return chmod(path, 0700 | any(0100));
	return fd ? fsync(fd) : 0;
}

int main(int argc, char **argv)
{
	int operations = argc > 2 ? atoi(argv[2]) : OPERATIONS, succeeded = 0;

	go_to_scratch("tree_ops");
	umask(0);
	for (int n = 1; n <= operations; n++) {
		succeeded += operate() >= 0;
		if (n % SHOW_EVERY == 0)
			printf("after %d operations: %d succeeded, tree %08x\n", n, succeeded,
			       sum_of_tree("."));
	}
	for (int i = 0; i < OPEN; i++) {
		if (!open_files[i])
			continue;
		printf("an open file: %08x\n", sum_of_file(open_files[i]));
		close(open_files[i]);
	}
	remove_all(".");
	leave_scratch();
	return 0;
}
