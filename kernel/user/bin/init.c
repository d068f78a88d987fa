/*
 * init.c - process 1: waits for every process that has lost its parent.
 *
 * It must cost nothing while nobody dies.  SIGCHLD stays blocked except inside
 * sigsuspend(), so a child that dies between the last waitpid() and the sleep wakes
 * the sleep, and none is missed.  The handler is empty: a signal that is ignored
 * would not end sigsuspend().
 */

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

static void woken(int sig)
{
	(void)sig;
}

int main(void)
{
	struct sigaction act = { .sa_handler = woken };
	sigset_t child, before;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	sigdelset(&before, SIGCHLD);
	sigaction(SIGCHLD, &act, NULL);
	for (;;) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		sigsuspend(&before);
	}
}
