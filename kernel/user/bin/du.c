/*
 * du.c - how much of the disk a tree of files takes, in KB.
 *
 * A file with several names is counted once: those seen are remembered.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "paths.h"

static const char text[] = "du [-as] [FILE]...     (-a files too, -s sums only)";

static int all, sums_only, bad;

static struct seen {
	dev_t dev;
	ino_t ino;
	struct seen *next;
} * seen;

static int seen_before(const struct stat *st)
{
	struct seen *s;

	if (S_ISDIR(st->st_mode) || st->st_nlink < 2)
		return 0;
	for (s = seen; s; s = s->next)
		if (s->dev == st->st_dev && s->ino == st->st_ino)
			return 1;
	s = malloc(sizeof(*s));
	if (s) {
		*s = (struct seen){ st->st_dev, st->st_ino, seen };
		seen = s;
	}
	return 0;
}

static void show(unsigned long long blocks, const char *path)
{
	printf("%-7llu %s\n", (blocks + 1) / 2, path);
}

/* Units of 512 bytes that `path` and what is below it take.  `depth` 0: named by the user. */
static unsigned long long usage_of(const char *path, int depth)
{
	unsigned long long blocks;
	char **names = NULL;
	struct stat st;

	if (lstat(path, &st) < 0 || (S_ISDIR(st.st_mode) && !(names = path_names(path)))) {
		complain("du", path);
		bad = 1;
		return 0;
	}
	if (seen_before(&st))
		return 0;
	blocks = st.st_blocks;
	for (char **n = names; n && *n; n++) {
		char *inner = path_join(path, *n);

		blocks += usage_of(inner, depth + 1);
		free(inner);
	}
	if (depth == 0 || (!sums_only && (names || all)))
		show(blocks, path);
	if (names)
		free_names(names);
	return blocks;
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 'a')
				all = 1;
			else if (*p == 's')
				sums_only = 1;
			else if (*p != 'k')
				usage(text);
		}
	}
	if (i == argc)
		usage_of(".", 0);
	for (; i < argc; i++)
		usage_of(argv[i], 0);
	return bad;
}
