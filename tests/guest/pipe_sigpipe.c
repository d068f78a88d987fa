/*
 * pipe_sigpipe.c - writing where nobody reads: SIGPIPE, or EPIPE for who ignores it.
 */

#include <signal.h>

#include "guest.h"

static int write_to_nobody(void)
{
	int fds[2];

	pipe(fds);
	close(fds[0]);
	write(fds[1], "x", 1);
	return 7; /* not reached by default */
}

static int ignoring(void)
{
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	pipe(fds);
	close(fds[0]);
	answer("write, SIGPIPE ignored", write(fds[1], "x", 1));
	return 0;
}

static int caught;

static void handler(int sig)
{
	caught = sig;
}

static int catching(void)
{
	int fds[2];

	signal(SIGPIPE, handler);
	pipe(fds);
	close(fds[0]);
	answer("write, SIGPIPE caught", write(fds[1], "x", 1));
	printf("handler got %d\n", caught);
	return 0;
}

/* The reader goes while the writer sleeps in a full pipe. */
static int reader_leaves(void)
{
	static char buf[65536];
	int fds[2];

	pipe(fds);
	if (fork() == 0) {
		close(fds[1]);
		read(fds[0], buf, 100);
		_exit(0);
	}
	close(fds[0]);
	for (int i = 0; i < 10; i++)
		write(fds[1], buf, sizeof(buf));
	return 7;
}

int main(void)
{
	report_child("default", write_to_nobody);
	report_child("ignored", ignoring);
	report_child("caught", catching);
	report_child("reader leaves a sleeping writer", reader_leaves);
	return 0;
}
