/*
 * readv_writev.c - several pieces in one call, in order.
 */

#include <fcntl.h>
#include <sys/uio.h>

#include "guest.h"

int main(int argc, char **argv)
{
	char a[10], b[1], c[200];
	struct iovec in[3] = { { a, sizeof(a) }, { b, sizeof(b) }, { c, sizeof(c) } };
	struct iovec out[4] = { { "one ", 4 }, { "", 0 }, { "two ", 4 }, { "three\n", 6 } };
	struct iovec many[2000];
	int fd, fds[2];

	fflush(stdout);
	answer("writev to standard output", writev(STDOUT_FILENO, out, 4));
	fflush(stdout);

	go_to_data(argc, argv);
	fd = open("text", O_RDONLY);
	answer("readv", readv(fd, in, 3));
	printf("[%.10s] [%.1s] [%.20s]\n", a, b, c);
	answer("position after", lseek(fd, 0, SEEK_CUR));
	lseek(fd, -15, SEEK_END);
	answer("readv near the end", readv(fd, in, 3));
	printf("[%.10s] [%.1s] [%.3s]\n", a, b, c);
	answer("readv at the end", readv(fd, in, 3));
	answer("no pieces", readv(fd, in, 0));
	answer("fewer than none", readv(fd, in, -1));
	answer("too many", readv(fd, many, 2000));
	in[1].iov_len = 0xffffffff;
	answer("a negative length", readv(fd, in, 3));
	answer("writev to a file opened for reading", writev(fd, out, 4));

	pipe(fds);
	answer("writev to a pipe", writev(fds[1], out, 4));
	in[1].iov_len = 1;
	answer("readv from it", readv(fds[0], in, 3));
	printf("[%.10s] [%.1s] [%.3s]\n", a, b, c);
	return 0;
}
