/*
 * vfork_exec.c - the child borrows its parent's memory, and the parent waits for it.
 */

#include <signal.h>
#include <time.h>

#include "guest.h"

static volatile int shared;

/* Its child sleeps for a second: SIGKILL must not wait for that. */
static void kill_who_waits_in_vfork(void)
{
	const struct timespec moment = { 0, 300000000 }, second = { 1, 0 };
	int status = 0, tries = 0;
	pid_t pid, ended = 0;

	pid = fork();
	if (pid == 0) {
		if (vfork() == 0) {
			nanosleep(&second, NULL);
			_exit(0);
		}
		_exit(1);
	}
	nanosleep(&moment, NULL);
	kill(pid, SIGKILL);
	while (ended == 0 && tries++ < 3) {
		ended = waitpid(pid, &status, WNOHANG);
		if (ended == 0)
			nanosleep(&(const struct timespec){ 0, 100000000 }, NULL);
	}
	yes("killed while it waited", ended == pid && WIFSIGNALED(status));
	nanosleep(&second, NULL); /* the child goes on, and ends */
}

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
	fflush(stdout);
	kill_who_waits_in_vfork();
	return 0;
}
