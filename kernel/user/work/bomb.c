/*
 * bomb.c - takes all there is: processes or memory.
 *
 * A fork bomb gets an error from fork() in the end, says which, and takes its children
 * away again.  A memory bomb gets NULL, or is killed: the largest process goes first.
 */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "bomb fork|memory [MOST]     (processes, or KB; without: all there is)";

#define PAGE  4096
#define PIECE (64 * 1024)

static const char *why(int error)
{
	return error == EAGAIN ? "EAGAIN" : error == ENOMEM ? "ENOMEM" : strerror(error);
}

/* The children form one process group, so that one kill() reaches them all. */
static int fork_bomb(long most)
{
	long count = 0;
	pid_t group = 0;

	for (; count < most; count++) {
		pid_t pid = fork();

		if (pid < 0) {
			printf("bomb: %s after %ld processes\n", why(errno), count);
			break;
		}
		if (pid == 0) {
			setpgid(0, group);
			for (;;)
				pause();
		}
		if (!group)
			group = pid;
		setpgid(pid, group);
	}
	fflush(stdout);
	if (group)
		kill(-group, SIGKILL);
	while (wait(NULL) > 0)
		;
	printf("bomb: %ld processes gone\n", count);
	return 0;
}

static int memory_bomb(long most)
{
	long kb = 0;

	for (; kb < most; kb += PIECE / 1024) {
		char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

		if (piece == MAP_FAILED) {
			printf("bomb: %s after %ld KB\n", why(errno), kb);
			break;
		}
		for (int i = 0; i < PIECE; i += PAGE)
			piece[i] = 1;
	}
	printf("bomb: %ld KB used\n", kb);
	return 0;
}

int main(int argc, char **argv)
{
	long most = LONG_MAX;

	if (argc < 2 || argc > 3)
		usage(text);
	if (argc == 3)
		most = number_arg(argv[2], 1, LONG_MAX, text);
	if (strcmp(argv[1], "fork") == 0)
		return fork_bomb(most);
	if (strcmp(argv[1], "memory") == 0)
		return memory_bomb(most);
	usage(text);
}
