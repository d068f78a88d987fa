/*
 * touch.c - sets the times of files, and makes those that are not there.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include <utime.h>

#include "args.h"

static const char text[] = "touch [-c] [-d @SECONDS] FILE...     (-c makes none; @: since 1970)";

static int touch(const char *path, const struct utimbuf *times, int make)
{
	int fd;

	if (utime(path, times) == 0)
		return 0;
	if (errno == ENOENT && !make)
		return 0;
	if (errno == ENOENT && (fd = open(path, O_WRONLY | O_CREAT, 0666)) >= 0) {
		close(fd);
		if (!times || utime(path, times) == 0)
			return 0;
	}
	complain("touch", path);
	return 1;
}

int main(int argc, char **argv)
{
	struct utimbuf at, *times = NULL;
	int i, bad = 0, make = 1;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (strcmp(argv[i], "-c") == 0) {
			make = 0;
		} else if (strcmp(argv[i], "-d") == 0 && argv[i + 1] && argv[i + 1][0] == '@') {
			at.actime = at.modtime = number_arg(argv[++i] + 1, 0, INT_MAX, text);
			times = &at;
		} else {
			usage(text);
		}
	}
	if (i == argc)
		usage(text);
	for (; i < argc; i++)
		bad |= touch(argv[i], times, make);
	return bad;
}
