/*
 * nanosleep_order.c - sleepers wake in the order of their times, and not too early.
 */

#include <time.h>

#include "guest.h"

#define SLEEPERS 5

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	static const int order[SLEEPERS] = { 3, 0, 4, 1, 2 };
	struct timespec t = { 0, 0 };
	long long start;
	int fds[2];
	char c;

	pipe(fds);
	fflush(stdout);
	for (int i = 0; i < SLEEPERS; i++) {
		if (fork() == 0) {
			t.tv_nsec = (order[i] + 1) * 150000000L;
			nanosleep(&t, NULL);
			c = '0' + order[i];
			write(fds[1], &c, 1);
			_exit(0);
		}
	}
	close(fds[1]);
	while (read(fds[0], &c, 1) == 1)
		printf("sleeper %c woke\n", c);
	while (wait(NULL) > 0)
		;

	start = now();
	t.tv_nsec = 50000000;
	answer("sleep 50 ms", nanosleep(&t, NULL));
	yes("at least 50 ms", now() - start >= 50000000);
	yes("not a second", now() - start < 1000000000);
	start = now();
	t.tv_nsec = 1;
	answer("sleep 1 ns", nanosleep(&t, NULL));
	yes("at least that", now() - start >= 1);
	t.tv_nsec = 0;
	answer("sleep not at all", nanosleep(&t, NULL));
	t.tv_nsec = 1000000000;
	answer("too many nanoseconds", nanosleep(&t, NULL));
	t.tv_nsec = -1;
	answer("negative nanoseconds", nanosleep(&t, NULL));
	t.tv_nsec = 0;
	t.tv_sec = -1;
	answer("negative seconds", nanosleep(&t, NULL));
	return 0;
}
