/*
 * head.c - prints the first lines of files.
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

static const char text[] = "head [-n LINES] [FILE]...";

static int head(FILE *f, const char *name, long lines)
{
	int c;

	while (lines > 0 && (c = fgetc(f)) != EOF) {
		putchar(c);
		lines -= c == '\n';
	}
	if (ferror(f)) {
		complain("head", name);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int i = 1, bad = 0, many;
	long lines = 10;

	if (i < argc && strncmp(argv[i], "-n", 2) == 0) {
		const char *number = argv[i][2] ? argv[i] + 2 : argv[++i];

		if (!number)
			usage(text);
		lines = number_arg(number, 0, LONG_MAX, text);
		i++;
	} else if (i < argc && argv[i][0] == '-') {
		lines = number_arg(argv[i++] + 1, 0, LONG_MAX, text);
	}
	if (i == argc)
		return head(stdin, "standard input", lines);
	many = argc - i > 1;
	for (int first = i; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");

		if (!f) {
			complain("head", argv[i]);
			bad = 1;
			continue;
		}
		if (many)
			printf("%s==> %s <==\n", i > first ? "\n" : "", argv[i]);
		bad |= head(f, argv[i], lines);
		fclose(f);
	}
	return bad;
}
