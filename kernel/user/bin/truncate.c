/*
 * truncate.c - cuts files to a size, or makes them that long by a hole.
 */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "truncate -s SIZE FILE...     (bytes, or with k or M behind it)";

int main(int argc, char **argv)
{
	int bad = 0;
	long size;

	if (argc < 4 || strcmp(argv[1], "-s") != 0)
		usage(text);
	size = size_arg(argv[2], text);
	for (int i = 3; i < argc; i++) {
		int fd = open(argv[i], O_WRONLY | O_CREAT, 0666);

		if (fd < 0 || ftruncate(fd, size) < 0) {
			complain("truncate", argv[i]);
			bad = 1;
		}
		if (fd >= 0)
			close(fd);
	}
	return bad;
}
