/*
 * wc.c - counts lines, words and bytes.
 */

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "wc [-lwc] [FILE]...";

struct counts {
	unsigned long lines, words, bytes;
};

static int show_lines, show_words, show_bytes;
static char buf[4096];

static int count(int fd, const char *name, struct counts *c)
{
	int in_word = 0;
	ssize_t n;

	memset(c, 0, sizeof(*c));
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		c->bytes += n;
		for (ssize_t i = 0; i < n; i++) {
			int blank = isspace((unsigned char)buf[i]);

			c->lines += buf[i] == '\n';
			c->words += !blank && !in_word;
			in_word = !blank;
		}
	}
	if (n < 0) {
		complain("wc", name);
		return 1;
	}
	return 0;
}

static void show(const struct counts *c, const char *name)
{
	if (show_lines)
		printf("%8lu", c->lines);
	if (show_words)
		printf("%8lu", c->words);
	if (show_bytes)
		printf("%8lu", c->bytes);
	printf("%s%s\n", *name ? " " : "", name);
}

int main(int argc, char **argv)
{
	struct counts c, total = { 0, 0, 0 };
	int i, bad = 0, files = 0;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 'l')
				show_lines = 1;
			else if (*p == 'w')
				show_words = 1;
			else if (*p == 'c')
				show_bytes = 1;
			else
				usage(text);
		}
	}
	if (!show_lines && !show_words && !show_bytes)
		show_lines = show_words = show_bytes = 1;
	if (i == argc) {
		bad = count(STDIN_FILENO, "standard input", &c);
		show(&c, "");
		return bad;
	}
	for (; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);

		if (fd < 0) {
			complain("wc", argv[i]);
			bad = 1;
			continue;
		}
		if (count(fd, argv[i], &c) == 0) {
			show(&c, argv[i]);
			total.lines += c.lines;
			total.words += c.words;
			total.bytes += c.bytes;
			files++;
		} else {
			bad = 1;
		}
		close(fd);
	}
	if (files > 1)
		show(&total, "total");
	return bad;
}
