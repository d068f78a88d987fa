/*
 * nonblock.c - files that do not wait: O_NONBLOCK, poll, FIONREAD; and the flags of descriptors.
 */

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "guest.h"

#define NR_POLL	    168
#define COUNT_BYTES 0x541b /* FIONREAD */
#define IN	    1
#define OUT	    4
#define HUNG_UP	    16
#define INVALID	    32
#define DUP_CLOEXEC 1030

struct look {
	int fd;
	short wanted, got;
};

static char buf[8192];

static void looks(const char *what, int fd, int timeout)
{
	struct look l = { fd, IN | OUT, 0 };
	long n = syscall(NR_POLL, &l, 1, timeout);

	printf("%s: %ld,%s%s%s%s\n", what, n, l.got & IN ? " in" : "", l.got & OUT ? " out" : "",
	       l.got & HUNG_UP ? " hung up" : "", l.got & INVALID ? " invalid" : "");
}

static void test_pipe(void)
{
	int fds[2], n = 0;

	answer("pipe2", syscall(SYS_pipe2, fds, O_NONBLOCK | O_CLOEXEC));
	printf("flags: %x %x\n", fcntl(fds[0], F_GETFL) & (O_NONBLOCK | 3),
	       fcntl(fds[1], F_GETFL) & (O_NONBLOCK | 3));
	printf("close on exec: %d\n", fcntl(fds[0], F_GETFD));
	answer("read nothing", read(fds[0], buf, 10));
	looks("empty, reading end", fds[0], 0);
	looks("empty, writing end", fds[1], 0);
	answer("write", write(fds[1], "hello", 5));
	answer("how many", ioctl(fds[0], COUNT_BYTES, &n));
	printf("bytes: %d\n", n);
	looks("something, reading end", fds[0], 1000);
	answer("read", read(fds[0], buf, sizeof(buf)));
	while (write(fds[1], buf, 4096) == 4096)
		;
	answer("full", write(fds[1], buf, 4096));
	answer("one byte more", write(fds[1], buf, 1));
	answer("read a little", read(fds[0], buf, 100));
	answer("no room for so many", write(fds[1], buf, 101));
	close(fds[1]);
	while (read(fds[0], buf, sizeof(buf)) > 0)
		;
	looks("nobody writes", fds[0], -1);
	answer("end", read(fds[0], buf, 10));
	close(fds[0]);
	looks("closed", fds[0], 0);
	answer("bad flags", syscall(SYS_pipe2, fds, 0x8000000));
}

static void test_poll_waits(void)
{
	struct timespec a, b;
	int fds[2];
	long ms;

	pipe(fds);
	clock_gettime(CLOCK_MONOTONIC, &a);
	looks("for 60 ms", fds[0], 60);
	clock_gettime(CLOCK_MONOTONIC, &b);
	ms = (b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000;
	yes("about so long", ms >= 59 && ms < 5000);
	fflush(stdout);
	if (fork() == 0) {
		struct timespec moment = { 0, 30000000 };

		nanosleep(&moment, NULL);
		write(fds[1], "x", 1);
		_exit(0);
	}
	looks("until a child writes", fds[0], 5000);
	wait(NULL);
}

static void test_descriptors(void)
{
	int fd = open("/dev/null", O_RDWR);

	answer("F_DUPFD", fcntl(fd, F_DUPFD, 40));
	answer("close on exec", fcntl(40, F_GETFD));
	answer("F_DUPFD_CLOEXEC", fcntl(fd, DUP_CLOEXEC, 40));
	answer("close on exec", fcntl(41, F_GETFD));
	answer("F_SETFD", fcntl(41, F_SETFD, 0));
	answer("close on exec", fcntl(41, F_GETFD));
	answer("dup3 onto itself", syscall(SYS_dup3, 41, 41, 0));
	answer("dup2 onto itself", dup2(41, 41));
	answer("dup2 of nothing", dup2(42, 42));
	answer("dup to -1", dup2(41, -1));
	answer("F_SETFL", fcntl(41, F_SETFL, O_NONBLOCK));
	printf("shared with its copy: %x\n", fcntl(40, F_GETFL) & O_NONBLOCK);
	answer("unknown command", fcntl(41, 9999));
	answer("unknown request", ioctl(41, 0x1234, NULL));
	answer("no descriptor", fcntl(55, F_GETFD));
}

int main(void)
{
	test_pipe();
	test_poll_waits();
	test_descriptors();
	return 0;
}
