/*
 * cp.c - copies files, with -r whole trees.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#include "args.h"
#include "paths.h"

static const char text[] = "cp [-rp] FROM TO  |  cp [-rp] FROM... DIRECTORY";

static int recursive, preserve;
static char buf[4096];

/* The directory being made: must not be copied into itself. */
static dev_t top_dev;
static ino_t top_ino;

static int write_all(int fd, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t wrote = write(fd, buf + done, n - done);

		if (wrote < 0)
			return -1;
		done += wrote;
	}
	return 0;
}

static int copy_bytes(int in, const char *from, int out, const char *to)
{
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) > 0) {
		if (write_all(out, n) < 0) {
			complain("cp", to);
			return 1;
		}
	}
	if (n < 0)
		complain("cp", from);
	return n < 0;
}

static int copy_file(const char *from, const char *to, const struct stat *st)
{
	int in = open(from, O_RDONLY), out, bad;

	if (in < 0) {
		complain("cp", from);
		return 1;
	}
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC, st->st_mode & 0777);
	if (out < 0) {
		complain("cp", to);
		close(in);
		return 1;
	}
	bad = copy_bytes(in, from, out, to);
	close(in);
	if (close(out) < 0) {
		complain("cp", to);
		bad = 1;
	}
	return bad;
}

static int copy(const char *from, const char *to);

static int copy_inside(const char *from, const char *to)
{
	char **names = path_names(from);
	int bad = 0;

	if (!names) {
		complain("cp", from);
		return 1;
	}
	for (char **n = names; *n; n++) {
		char *source = path_join(from, *n), *target = path_join(to, *n);

		bad |= copy(source, target);
		free(source);
		free(target);
	}
	free_names(names);
	return bad;
}

static int copy_directory(const char *from, const char *to, const struct stat *st)
{
	struct stat made;
	int bad, is_new;

	if (!recursive) {
		fprintf(stderr, "cp: %s: is a directory (-r copies it)\n", from);
		return 1;
	}
	if (st->st_dev == top_dev && st->st_ino == top_ino) {
		fprintf(stderr, "cp: %s: not copied into itself\n", from);
		return 1;
	}
	is_new = mkdir(to, (st->st_mode & 0777) | 0700) == 0;
	if (!is_new && (errno != EEXIST || !path_is_dir(to))) {
		complain("cp", to);
		return 1;
	}
	if (!top_ino && stat(to, &made) == 0) {
		top_dev = made.st_dev;
		top_ino = made.st_ino;
	}
	bad = copy_inside(from, to);
	if (is_new && !(st->st_mode & 0200) && chmod(to, st->st_mode & 0777) < 0) {
		complain("cp", to);
		bad = 1;
	}
	return bad;
}

static int copy_link(const char *from, const char *to)
{
	static char target[4096];
	ssize_t n = readlink(from, target, sizeof(target) - 1);

	if (n < 0) {
		complain("cp", from);
		return 1;
	}
	target[n] = 0;
	if (symlink(target, to) == 0)
		return 0;
	complain("cp", to);
	return 1;
}

static int copy_node(const char *to, const struct stat *st)
{
	if (mknod(to, st->st_mode, st->st_rdev) == 0)
		return 0;
	complain("cp", to);
	return 1;
}

/* With -p: rights, owner and times as they were; an owner only if we may. */
static int copy_attributes(const char *to, const struct stat *st)
{
	struct utimbuf times = { st->st_atime, st->st_mtime };

	if (S_ISLNK(st->st_mode))
		return 0;
	if (chown(to, st->st_uid, st->st_gid) < 0 && errno != EPERM)
		goto failed;
	if (chmod(to, st->st_mode & 07777) < 0 || utime(to, &times) < 0)
		goto failed;
	return 0;
failed:
	complain("cp", to);
	return 1;
}

static int copy(const char *from, const char *to)
{
	struct stat st, there;
	int bad;

	if ((recursive ? lstat : stat)(from, &st) < 0) {
		complain("cp", from);
		return 1;
	}
	if (stat(to, &there) == 0 && there.st_dev == st.st_dev && there.st_ino == st.st_ino) {
		fprintf(stderr, "cp: %s and %s are the same file\n", from, to);
		return 1;
	}
	if (S_ISDIR(st.st_mode))
		bad = copy_directory(from, to, &st);
	else if (S_ISLNK(st.st_mode))
		bad = copy_link(from, to);
	else if (recursive && !S_ISREG(st.st_mode))
		bad = copy_node(to, &st);
	else
		bad = copy_file(from, to, &st);
	if (!bad && preserve)
		bad = copy_attributes(to, &st);
	return bad;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 'r' || *p == 'R')
				recursive = 1;
			else if (*p == 'p')
				preserve = 1;
			else
				usage(text);
		}
	}
	if (argc - i < 2)
		usage(text);
	if (argc - i > 2 && !path_is_dir(argv[argc - 1])) {
		fprintf(stderr, "cp: %s: not a directory\n", argv[argc - 1]);
		return 1;
	}
	for (; i < argc - 1; i++) {
		char *to = path_into(argv[argc - 1], argv[i]);

		top_ino = 0;
		bad |= copy(argv[i], to);
		free(to);
	}
	return bad;
}
