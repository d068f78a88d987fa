/*
 * cmp.c - are two files the same?  Says where they first differ.
 *
 * Status: 0 the same, 1 different, 2 an error.
 */

#include <stdio.h>
#include <string.h>

#include "args.h"

static const char text[] = "cmp [-s] FILE FILE     (-s says nothing; - is standard input)";

static FILE *open_file(const char *name)
{
	return strcmp(name, "-") == 0 ? stdin : fopen(name, "r");
}

static int compare(FILE *a, const char *name_a, FILE *b, const char *name_b, int quiet)
{
	unsigned long long byte = 1;
	unsigned long line = 1;

	for (;; byte++) {
		int x = fgetc(a), y = fgetc(b);

		if (ferror(a) || ferror(b)) {
			complain("cmp", ferror(a) ? name_a : name_b);
			return 2;
		}
		if (x == y && x == EOF)
			return 0;
		if (x == y) {
			line += x == '\n';
			continue;
		}
		if (quiet)
			return 1;
		if (x == EOF || y == EOF)
			fprintf(stderr, "cmp: %s ends after byte %llu\n",
				x == EOF ? name_a : name_b, byte - 1);
		else
			printf("%s %s differ: byte %llu, line %lu\n", name_a, name_b, byte, line);
		return 1;
	}
}

int main(int argc, char **argv)
{
	int i = 1, quiet = 0;
	FILE *a, *b;

	if (i < argc && strcmp(argv[i], "-s") == 0) {
		quiet = 1;
		i++;
	}
	if (argc - i != 2)
		usage(text);
	a = open_file(argv[i]);
	b = a ? open_file(argv[i + 1]) : NULL;
	if (!a || !b) {
		complain("cmp", a ? argv[i + 1] : argv[i]);
		return 2;
	}
	return compare(a, argv[i], b, argv[i + 1], quiet);
}
