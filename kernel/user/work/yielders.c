/*
 * yielders.c - processes that give up the processor, and nothing else.
 *
 * Each of N processes yields ROUNDS times.  With one there is nobody to yield to, so all it
 * does is ask; with more, each yield is a switch.  What two take longer than one is
 * therefore the switch itself, without what led to it: see the experiments of lessons 3 and 4.
 */

#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "yielders N ROUNDS     (N 1 to 1000)";

static void give_up(long rounds)
{
	while (rounds-- > 0)
		sched_yield();
}

int main(int argc, char **argv)
{
	long n, rounds;
	int status, bad = 0;

	if (argc != 3)
		usage(text);
	n = number_arg(argv[1], 1, 1000, text);
	rounds = number_arg(argv[2], 0, 10000000, text);
	for (long i = 1; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			complain("yielders", "fork");
			return 1;
		}
		if (pid == 0) {
			give_up(rounds);
			_exit(0);
		}
	}
	give_up(rounds);
	for (long i = 1; i < n; i++)
		if (wait(&status) < 0 || status != 0)
			bad = 1;
	printf("yielders: %ld processes, %ld rounds\n", n, rounds);
	return bad;
}
