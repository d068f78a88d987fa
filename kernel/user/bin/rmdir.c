/*
 * rmdir.c - removes empty directories.
 */

#include <unistd.h>

#include "args.h"

static const char text[] = "rmdir DIRECTORY...";

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc < 2 || argv[1][0] == '-')
		usage(text);
	for (int i = 1; i < argc; i++) {
		if (rmdir(argv[i]) < 0) {
			complain("rmdir", argv[i]);
			bad = 1;
		}
	}
	return bad;
}
