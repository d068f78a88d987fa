/*
 * grep.c - prints the lines that match a pattern.
 *
 * Patterns: a character stands for itself, . for any, X* for any number of X, ^ and $
 * for the ends of the line, \X for X itself.  The matcher tries, at each place, the
 * shortest run of X first and goes back for longer ones: three short functions, no
 * tables, slow only on patterns nobody writes.
 *
 * Status: 0 when a line matched, 1 when none did, 2 on an error.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

static const char text[] = "grep [-incv] PATTERN [FILE]...";

static int ignore_case, number_lines, count_only, invert;

static int match_here(const char *pattern, const char *line);

/* Does the one character at `line` match `c`?  `literal`: it was written \c. */
static int match_one(char c, int literal, const char *line)
{
	if (!*line)
		return 0;
	if (c == '.' && !literal)
		return 1;
	if (ignore_case)
		return tolower((unsigned char)c) == tolower((unsigned char)*line);
	return c == *line;
}

static int match_star(char c, int literal, const char *rest, const char *line)
{
	do {
		if (match_here(rest, line))
			return 1;
	} while (match_one(c, literal, line++));
	return 0;
}

static int match_here(const char *pattern, const char *line)
{
	while (*pattern) {
		int literal = pattern[0] == '\\' && pattern[1];
		char c;

		if (pattern[0] == '$' && !pattern[1])
			return !*line;
		pattern += literal;
		c = *pattern++;
		if (*pattern == '*')
			return match_star(c, literal, pattern + 1, line);
		if (!match_one(c, literal, line))
			return 0;
		line++;
	}
	return 1;
}

static int match(const char *pattern, const char *line)
{
	if (*pattern == '^')
		return match_here(pattern + 1, line);
	do {
		if (match_here(pattern, line))
			return 1;
	} while (*line++);
	return 0;
}

/* Returns how many lines were selected; prints them unless only counting. */
static long grep(const char *pattern, FILE *f, const char *prefix)
{
	long found = 0, number = 0;
	char *line = NULL;
	size_t size = 0;
	ssize_t n;

	while ((n = getline(&line, &size, f)) > 0) {
		number++;
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		if (match(pattern, line) == invert)
			continue;
		found++;
		if (count_only)
			continue;
		if (prefix)
			printf("%s:", prefix);
		if (number_lines)
			printf("%ld:", number);
		puts(line);
	}
	free(line);
	if (count_only) {
		if (prefix)
			printf("%s:", prefix);
		printf("%ld\n", found);
	}
	return found;
}

int main(int argc, char **argv)
{
	const char *pattern;
	int i, bad = 0, many;
	long found = 0;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 'i')
				ignore_case = 1;
			else if (*p == 'n')
				number_lines = 1;
			else if (*p == 'c')
				count_only = 1;
			else if (*p == 'v')
				invert = 1;
			else
				usage(text);
		}
	}
	if (i == argc)
		usage(text);
	pattern = argv[i++];
	many = argc - i > 1;
	if (i == argc)
		found = grep(pattern, stdin, NULL);
	for (; i < argc; i++) {
		FILE *f = fopen(argv[i], "r");

		if (!f) {
			complain("grep", argv[i]);
			bad = 1;
			continue;
		}
		found += grep(pattern, f, many ? argv[i] : NULL);
		if (ferror(f)) {
			complain("grep", argv[i]);
			bad = 1;
		}
		fclose(f);
	}
	return bad ? 2 : found == 0;
}
