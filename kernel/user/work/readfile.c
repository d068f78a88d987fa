/*
 * readfile.c - reads a whole file, again and again.
 *
 * The first time it comes from the disk, later from the buffer cache if it fits.
 */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "readfile FILE [TIMES]";

static unsigned char buf[4096];

int main(int argc, char **argv)
{
	unsigned long long bytes = 0;
	unsigned sum = 0;
	long times = 1;
	ssize_t n;
	int fd;

	if (argc < 2 || argc > 3)
		usage(text);
	if (argc == 3)
		times = number_arg(argv[2], 1, 1000000, text);
	fd = open(argv[1], O_RDONLY);
	if (fd < 0) {
		complain("readfile", argv[1]);
		return 1;
	}
	for (long i = 0; i < times; i++) {
		if (lseek(fd, 0, SEEK_SET) < 0) {
			complain("readfile", argv[1]);
			return 1;
		}
		sum = 0;
		while ((n = read(fd, buf, sizeof(buf))) > 0) {
			for (ssize_t j = 0; j < n; j++)
				sum = (sum << 1 | sum >> 31) + buf[j];
			bytes += n;
		}
		if (n < 0) {
			complain("readfile", argv[1]);
			return 1;
		}
	}
	printf("readfile: %llu bytes, checksum %08x\n", bytes, sum);
	return 0;
}
