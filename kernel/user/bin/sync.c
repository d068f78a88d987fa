/*
 * sync.c - everything that was written reaches the disk; or, with names, those files do.
 */

#include <fcntl.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "sync [FILE]...";

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc == 1) {
		sync();
		return 0;
	}
	if (argv[1][0] == '-')
		usage(text);
	for (int i = 1; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);

		if (fd < 0 || fsync(fd) < 0) {
			complain("sync", argv[i]);
			bad = 1;
		}
		if (fd >= 0)
			close(fd);
	}
	return bad;
}
