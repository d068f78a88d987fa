/*
 * pipes.c - what goes in comes out, in order, once; the ends know when the other is gone.
 */

#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

#define LONG 300000 /* more than any pipe holds */

static int fds[2];
static char big[LONG];

static unsigned sum(unsigned s, const char *p, long n)
{
	while (n--)
		s = (s << 1 | s >> 31) + (unsigned char)*p++;
	return s;
}

/* Reads until the end; prints how much and its checksum. */
static void drain(const char *what, int fd)
{
	char buf[1000];
	long total = 0;
	unsigned s = 0;
	int n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		s = sum(s, buf, n);
		total += n;
	}
	printf("%s: %ld bytes, checksum %08x\n", what, total, s);
}

static int long_writer(void)
{
	close(fds[0]);
	return write(fds[1], big, LONG) == LONG ? 0 : 1;
}

static void start(int (*child)(void))
{
	fflush(stdout);
	if (fork() == 0)
		_exit(child());
}

int main(void)
{
	char buf[64];
	struct stat st;
	int status, counts[4] = { 0 };

	for (int i = 0; i < LONG; i++)
		big[i] = i * 7 + i / 251;

	answer("pipe", pipe(fds));
	answer("write hello", write(fds[1], "hello", 5));
	answer("read at most 2", read(fds[0], buf, 2));
	answer("read the rest", read(fds[0], buf, sizeof(buf)));
	printf("the rest is %.3s\n", buf);
	answer("write nothing", write(fds[1], "", 0));
	answer("read from the writing end", read(fds[1], buf, 1));
	answer("write to the reading end", write(fds[0], "x", 1));
	answer("seek", lseek(fds[0], 0, SEEK_SET));
	yes("fstat says fifo", fstat(fds[0], &st) == 0 && S_ISFIFO(st.st_mode));
	answer("write before closing", write(fds[1], "last", 4));
	close(fds[1]);
	answer("read what was left", read(fds[0], buf, sizeof(buf)));
	answer("read at the end", read(fds[0], buf, sizeof(buf)));
	answer("and again", read(fds[0], buf, sizeof(buf)));
	close(fds[0]);

	pipe(fds);
	start(long_writer);
	close(fds[1]);
	drain("more than a pipe holds", fds[0]);
	wait(&status);
	printf("writer ended with %d\n", status);
	printf("it should have been %08x\n", sum(0, big, LONG));
	close(fds[0]);

	/* Small writes of several processes do not mix. */
	pipe(fds);
	fflush(stdout);
	for (int who = 0; who < 4; who++) {
		if (fork() == 0) {
			memset(buf, 'a' + who, 16);
			for (int i = 0; i < 100; i++)
				write(fds[1], buf, 16);
			_exit(0);
		}
	}
	close(fds[1]);
	while (read(fds[0], buf, 16) == 16) {
		int same = 1;

		for (int i = 1; i < 16; i++)
			same &= buf[i] == buf[0];
		if (same)
			counts[buf[0] - 'a']++;
	}
	for (int who = 0; who < 4; who++) {
		wait(&status);
		printf("writer %c: %d whole messages\n", 'a' + who, counts[who]);
	}
	close(fds[0]);

	answer("pipe2 without blocking", pipe2(fds, O_NONBLOCK));
	answer("read from an empty one", read(fds[0], buf, 1));
	answer("write one", write(fds[1], "x", 1));
	answer("read one", read(fds[0], buf, 1));
	answer("pipe2 with a wrong flag", pipe2(fds, 0x10));
	return 0;
}
