/*
 * mv.c - gives files another name, or moves them into a directory.
 *
 * A move is a rename: nothing is copied, and what has the new name already is replaced at once.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "args.h"
#include "paths.h"

static const char text[] = "mv FROM TO  |  mv FROM... DIRECTORY";

static int move(const char *from, const char *to)
{
	struct stat a, b;

	if (lstat(from, &a) < 0) {
		complain("mv", from);
		return 1;
	}
	if (lstat(to, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino) {
		fprintf(stderr, "mv: %s and %s are the same file\n", from, to);
		return 1;
	}
	if (rename(from, to) == 0)
		return 0;
	complain_pair("mv", from, to);
	return 1;
}

int main(int argc, char **argv)
{
	int i = 1, bad = 0;

	if (i < argc && argv[i][0] == '-' && argv[i][1])
		usage(text);
	if (argc - i < 2)
		usage(text);
	if (argc - i > 2 && !path_is_dir(argv[argc - 1])) {
		fprintf(stderr, "mv: %s: not a directory\n", argv[argc - 1]);
		return 1;
	}
	for (; i < argc - 1; i++) {
		char *to = path_into(argv[argc - 1], argv[i]);

		bad |= move(argv[i], to);
		free(to);
	}
	return bad;
}
