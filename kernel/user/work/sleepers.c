/*
 * sleepers.c - processes that wake often and do little, so that idle comes between.
 *
 * Each of N processes wakes at a period of its own, 10 ms and upwards, so that they
 * drift past one another: sometimes one switches to the next, mostly to idle.  The
 * workload of lesson 4.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "sleepers N SECONDS     (N 1 to 1000)";

#define PERIOD	    10000000L /* nanoseconds, of the first */
#define PERIOD_STEP 3000000L  /* more for each next one */
#define PERIODS	    8	      /* then they start again */
#define TURNS	    500	      /* the work of one waking */

static void live(int which, struct timespec end)
{
	struct timespec period = { 0, PERIOD + which % PERIODS * PERIOD_STEP };
	struct timespec now = { 0, 0 };
	volatile unsigned work = which;

	do {
		nanosleep(&period, NULL);
		for (int i = 0; i < TURNS; i++)
			work = work * 1103515245 + 12345;
		now = from_now((struct timespec){ 0, 0 });
	} while (earlier(now, end));
	_exit(0);
}

int main(int argc, char **argv)
{
	struct timespec end;
	int status, bad = 0;
	long n;

	if (argc != 3)
		usage(text);
	n = number_arg(argv[1], 1, 1000, text);
	end = from_now(seconds_arg(argv[2], text));
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			complain("sleepers", "fork");
			return 1;
		}
		if (pid == 0)
			live(i, end);
	}
	for (long i = 0; i < n; i++)
		if (wait(&status) < 0 || status != 0)
			bad = 1;
	printf("sleepers: %ld processes, %s seconds\n", n, argv[2]);
	return bad;
}
