/*
 * vfork_exec.c - the child borrows its parent's memory, and the parent waits for it.
 */

#include "guest.h"

static volatile int shared;

int main(int argc, char **argv)
{
	char *args[] = { argv[0], "again", NULL };
	static int good, i; /* vfork() returns twice: not in a register */
	int status;
	pid_t pid;

	if (argc > 1 && strcmp(argv[1], "again") == 0)
		return 42;

	pid = vfork();
	if (pid == 0) {
		shared = 1;
		_exit(7);
	}
	printf("the child wrote %d\n", shared);
	yes("it is a child", waitpid(pid, &status, 0) == pid);
	printf("exit status %d\n", WEXITSTATUS(status));

	pid = vfork();
	if (pid == 0) {
		shared = 2;
		execv(argv[0], args);
		_exit(99);
	}
	printf("the child wrote %d\n", shared);
	waitpid(pid, &status, 0);
	printf("exit status %d\n", WEXITSTATUS(status));

	pid = vfork();
	if (pid == 0) {
		execv("/nonexistent", args);
		shared = errno;
		_exit(3);
	}
	printf("the child could not: %s\n", strerror(shared));
	waitpid(pid, &status, 0);
	printf("exit status %d\n", WEXITSTATUS(status));

	for (i = 0; i < 50; i++) {
		pid = vfork();
		if (pid == 0) {
			if (i % 2)
				execv(argv[0], args);
			_exit(42);
		}
		if (waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 42)
			good++;
	}
	printf("%d of 50 more\n", good);
	return 0;
}
