/*
 * hexdump.c - bytes in hexadecimal and as characters, sixteen a line.
 *
 * Lines that repeat the one before are shown as one '*'.
 */

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "args.h"

static const char text[] = "hexdump [-C] [-s SKIP] [-n BYTES] [FILE]";

#define ROW 16

static void show(unsigned long where, const unsigned char *row, size_t n)
{
	printf("%08lx ", where);
	for (size_t i = 0; i < ROW; i++) {
		if (i < n)
			printf("%s%02x", i == ROW / 2 ? "  " : " ", row[i]);
		else
			printf("%s  ", i == ROW / 2 ? "  " : " ");
	}
	printf("  |");
	for (size_t i = 0; i < n; i++)
		putchar(isprint(row[i]) ? row[i] : '.');
	printf("|\n");
}

int main(int argc, char **argv)
{
	unsigned char row[ROW], before[ROW];
	unsigned long where = 0, skip = 0, most = ULONG_MAX;
	int i, repeating = 0, any = 0;
	FILE *f = stdin;
	size_t n;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (strcmp(argv[i], "-C") == 0)
			continue;
		if (!argv[i + 1])
			usage(text);
		if (strcmp(argv[i], "-s") == 0)
			skip = number_arg(argv[++i], 0, LONG_MAX, text);
		else if (strcmp(argv[i], "-n") == 0)
			most = number_arg(argv[++i], 0, LONG_MAX, text);
		else
			usage(text);
	}
	if (argc - i > 1)
		usage(text);
	if (i < argc && !(f = fopen(argv[i], "r"))) {
		complain("hexdump", argv[i]);
		return 1;
	}
	for (; where < skip && fgetc(f) != EOF; where++)
		;
	while (most && (n = fread(row, 1, most < ROW ? most : ROW, f)) > 0) {
		if (any && n == ROW && memcmp(row, before, ROW) == 0) {
			if (!repeating)
				puts("*");
			repeating = 1;
		} else {
			show(where, row, n);
			repeating = 0;
		}
		memcpy(before, row, n);
		any = 1;
		where += n;
		most -= n;
	}
	if (ferror(f)) {
		complain("hexdump", i < argc ? argv[i] : "standard input");
		return 1;
	}
	if (any)
		printf("%08lx\n", where);
	return 0;
}
