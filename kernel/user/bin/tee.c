/*
 * tee.c - copies standard input to standard output and into files.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "tee [-a] [FILE]...     (-a appends)";

#define MOST 16

static char buf[4096];

static int put(int fd, size_t n)
{
	for (size_t done = 0; done < n;) {
		ssize_t wrote = write(fd, buf + done, n - done);

		if (wrote < 0)
			return -1;
		done += wrote;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC, fds[MOST], i = 1, count = 1, bad = 0;
	const char *names[MOST] = { "standard output" };
	ssize_t n;

	if (i < argc && strcmp(argv[i], "-a") == 0) {
		flags = O_WRONLY | O_CREAT | O_APPEND;
		i++;
	}
	if (argc - i >= MOST || (i < argc && argv[i][0] == '-'))
		usage(text);
	fds[0] = STDOUT_FILENO;
	for (; i < argc; i++) {
		names[count] = argv[i];
		fds[count] = open(argv[i], flags, 0666);
		if (fds[count] >= 0) {
			count++;
			continue;
		}
		complain("tee", argv[i]);
		bad = 1;
	}
	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0) {
		for (int f = 0; f < count; f++) {
			if (fds[f] < 0 || put(fds[f], n) == 0)
				continue;
			complain("tee", names[f]);
			fds[f] = -1; /* the others go on */
			bad = 1;
		}
	}
	if (n < 0) {
		complain("tee", "standard input");
		bad = 1;
	}
	return bad;
}
