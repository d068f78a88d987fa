/*
 * reread.c - reads one file again and again, and in between pieces of another.
 *
 * The first is what a program works with: it should stay in memory.  The second goes by once, from
 * its beginning to its end and once more from the beginning, and should not drive the first out.
 * Whether it does is up to the buffer cache: cache.policy, cache.size.  Lesson 8.
 */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "reread FILE OTHER [TIMES [KB]]";

static unsigned char buf[4096];

static int open_or_die(const char *name)
{
	int fd = open(name, O_RDONLY);

	if (fd < 0) {
		complain("reread", name);
		_exit(1);
	}
	return fd;
}

/* Read up to `left` bytes.  How many there were. */
static long read_on(int fd, long left, const char *name)
{
	long done = 0;

	while (left > 0) {
		ssize_t n = read(fd, buf, left < (long)sizeof(buf) ? left : (long)sizeof(buf));

		if (n < 0) {
			complain("reread", name);
			_exit(1);
		}
		if (!n)
			break;
		done += n;
		left -= n;
	}
	return done;
}

int main(int argc, char **argv)
{
	long times = 1, piece = 16 * 1024, size = 0, other = 0;
	int file, beside;

	if (argc < 3 || argc > 5)
		usage(text);
	if (argc > 3)
		times = number_arg(argv[3], 1, 1000000, text);
	if (argc > 4)
		piece = number_arg(argv[4], 0, 1000000, text) * 1024;
	file = open_or_die(argv[1]);
	beside = open_or_die(argv[2]);
	for (long i = 0; i < times; i++) {
		long got;

		lseek(file, 0, SEEK_SET);
		size = read_on(file, 0x7fffffff, argv[1]);
		got = read_on(beside, piece, argv[2]);
		if (got < piece) {
			lseek(beside, 0, SEEK_SET);
			got += read_on(beside, piece - got, argv[2]);
		}
		other += got;
	}
	printf("reread: %ld times %ld KB, %ld KB beside\n", times, size / 1024, other / 1024);
	return 0;
}
