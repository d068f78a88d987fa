/*
 * forktree.c - a binary tree of forks.
 *
 * Each process down to DEPTH forks two children and waits for both.  A child answers
 * with the size of its subtree through a pipe its parent made, so that the count at the
 * top has been through every process.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "forktree DEPTH     (0 to 12)";

static void fail(const char *what)
{
	complain("forktree", what);
	exit(1);
}

/* Grows a tree of `depth` below this process; returns its size, this process included. */
static unsigned grow(long depth)
{
	unsigned total = 1, size;
	int answers[2];

	if (depth == 0)
		return 1;
	if (pipe(answers) < 0)
		fail("pipe");
	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid < 0)
			fail("fork");
		if (pid == 0) {
			close(answers[0]);
			size = grow(depth - 1);
			_exit(write(answers[1], &size, sizeof(size)) == sizeof(size) ? 0 : 1);
		}
	}
	close(answers[1]);
	while (read(answers[0], &size, sizeof(size)) == sizeof(size))
		total += size;
	close(answers[0]);
	for (int i = 0; i < 2; i++) {
		int status;

		if (wait(&status) < 0)
			fail("wait");
		if (status != 0)
			exit(1);
	}
	return total;
}

int main(int argc, char **argv)
{
	long depth;

	if (argc != 2)
		usage(text);
	depth = number_arg(argv[1], 0, 12, text);
	printf("forktree: depth %ld, %u processes\n", depth, grow(depth));
	return 0;
}
