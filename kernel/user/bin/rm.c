/*
 * rm.c - removes names of files, with -r whole trees.  What is still open stays until it is closed.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "paths.h"

static const char text[] = "rm [-rf] FILE...";

static int recursive, force;

static int failed(const char *path)
{
	if (force && errno == ENOENT)
		return 0;
	complain("rm", path);
	return 1;
}

static int remove_tree(const char *path)
{
	struct stat st;
	char **names;
	int bad = 0;

	if (lstat(path, &st) < 0)
		return failed(path);
	if (!S_ISDIR(st.st_mode))
		return unlink(path) < 0 ? failed(path) : 0;
	names = path_names(path);
	if (!names)
		return failed(path);
	for (char **n = names; *n; n++) {
		char *inner = path_join(path, *n);

		bad |= remove_tree(inner);
		free(inner);
	}
	free_names(names);
	if (bad)
		return 1;
	return rmdir(path) < 0 ? failed(path) : 0;
}

static int remove_one(const char *path)
{
	struct stat st;

	if (path_is_dots(path)) {
		fprintf(stderr, "rm: %s: not removed\n", path);
		return 1;
	}
	if (recursive)
		return remove_tree(path);
	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		fprintf(stderr, "rm: %s: is a directory (-r removes it)\n", path);
		return 1;
	}
	return unlink(path) < 0 ? failed(path) : 0;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 'r' || *p == 'R')
				recursive = 1;
			else if (*p == 'f')
				force = 1;
			else
				usage(text);
		}
	}
	if (i == argc && !force)
		usage(text);
	for (; i < argc; i++)
		bad |= remove_one(argv[i]);
	return bad;
}
