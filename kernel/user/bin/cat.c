/*
 * cat.c - copies files, or standard input, to standard output.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "cat [FILE]...     (- is standard input)";

static char buf[4096];

/* Returns 0, or 1 after saying what went wrong. */
static int copy(int fd, const char *name)
{
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t done = 0; done < n;) {
			ssize_t wrote = write(STDOUT_FILENO, buf + done, n - done);

			if (wrote < 0) {
				complain("cat", "standard output");
				return 1;
			}
			done += wrote;
		}
	}
	if (n < 0) {
		complain("cat", name);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc == 1)
		return copy(STDIN_FILENO, "standard input");
	for (int i = 1; i < argc; i++) {
		int fd;

		if (strcmp(argv[i], "-") == 0) {
			bad |= copy(STDIN_FILENO, "standard input");
			continue;
		}
		if (argv[i][0] == '-')
			usage(text);
		fd = open(argv[i], O_RDONLY);
		if (fd < 0) {
			complain("cat", argv[i]);
			bad = 1;
			continue;
		}
		bad |= copy(fd, argv[i]);
		close(fd);
	}
	return bad;
}
