/*
 * ln.c - one more name for a file, or with -s a symbolic link: a name that stands for a path.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "paths.h"

static const char text[] = "ln [-sf] FILE NAME  |  ln [-sf] FILE... DIRECTORY";

static int symbolic, force;

static int make(const char *file, const char *name)
{
	int (*with)(const char *, const char *) = symbolic ? symlink : link;

	if (with(file, name) == 0)
		return 0;
	if (errno == EEXIST && force && unlink(name) == 0 && with(file, name) == 0)
		return 0;
	complain_pair("ln", name, file);
	return 1;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 's')
				symbolic = 1;
			else if (*p == 'f')
				force = 1;
			else
				usage(text);
		}
	}
	if (argc - i < 2)
		usage(text);
	if (argc - i > 2 && !path_is_dir(argv[argc - 1])) {
		fprintf(stderr, "ln: %s: not a directory\n", argv[argc - 1]);
		return 1;
	}
	for (; i < argc - 1; i++) {
		char *name = path_into(argv[argc - 1], argv[i]);

		bad |= make(argv[i], name);
		free(name);
	}
	return bad;
}
