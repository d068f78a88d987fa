/*
 * signals.c - default actions, ignoring, handlers, masks, and waiting for one.
 */

#include <signal.h>
#include <time.h>

#include "guest.h"

static volatile int caught, count, depth, deepest;

static void handler(int sig)
{
	caught = sig;
	count++;
}

static int which;

static int raises(void)
{
	raise(which);
	return 0;
}

static int ignores(void)
{
	signal(which, SIG_IGN);
	raise(which);
	return 0;
}

/* A handler that raises its own signal: blocked meanwhile, delivered after. */
static void again(int sig)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (++count < 3)
		raise(sig);
	depth--;
}

static void nested(int sig)
{
	if (sig == SIGUSR1)
		raise(SIGUSR2);
	caught = caught * 100 + sig;
}

static int handler_inherited(void)
{
	count = 0;
	raise(SIGUSR1);
	return count;
}

static void test_registers(void)
{
	int a = 11, b = 22, c = 33, d = 44;
	double x = 1.5;

	/* The frame must bring everything back. */
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	raise(SIGUSR1);
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
	yes("registers survive a handler", a == 11 && b == 22 && c == 33 && d == 44 && x == 1.5);
}

static void test_masks(void)
{
	sigset_t set, old, empty;

	sigemptyset(&empty);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	answer("block", sigprocmask(SIG_BLOCK, &set, &old));
	yes("it was not blocked", !sigismember(&old, SIGUSR1));
	count = 0;
	raise(SIGUSR1);
	raise(SIGUSR1);
	printf("handled while blocked: %d\n", count);
	answer("unblock", sigprocmask(SIG_UNBLOCK, &set, NULL));
	printf("handled after: %d\n", count);

	sigprocmask(SIG_BLOCK, &set, NULL);
	count = 0;
	raise(SIGUSR1);
	answer("sigsuspend", sigsuspend(&empty));
	printf("handled in it: %d\n", count);
	sigprocmask(SIG_BLOCK, NULL, &old);
	yes("blocked again after", sigismember(&old, SIGUSR1) == 1);
	sigprocmask(SIG_SETMASK, &empty, NULL);

	sigemptyset(&set);
	sigaddset(&set, SIGKILL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, NULL, &old);
	yes("SIGKILL cannot be blocked", !sigismember(&old, SIGKILL));
	sigprocmask(SIG_SETMASK, &empty, NULL);
}

/* A child sends us SIGUSR1 while we sleep. */
static void test_interrupting(void)
{
	struct timespec long_time = { 60, 0 }, left = { 0, 0 }, moment = { 0, 50000000 };
	struct sigaction act = { .sa_handler = handler };
	pid_t parent = getpid(), pid;
	int fds[2];
	char c;

	pipe(fds);
	sigaction(SIGUSR1, &act, NULL);
	pid = fork();
	if (pid == 0) {
		nanosleep(&moment, NULL);
		kill(parent, SIGUSR1);
		nanosleep(&moment, NULL);
		kill(parent, SIGUSR1);
		nanosleep(&moment, NULL);
		kill(parent, SIGUSR1);
		nanosleep(&moment, NULL);
		write(fds[1], "x", 1);
		_exit(0);
	}
	answer("nanosleep", nanosleep(&long_time, &left));
	yes("it tells what is left", left.tv_sec >= 50 && left.tv_sec < 60);
	answer("read", read(fds[0], &c, 1));
	act.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &act, NULL);
	answer("read, restarted", read(fds[0], &c, 1));
	waitpid(pid, NULL, 0);
}

static void test_children(void)
{
	struct sigaction act = { .sa_handler = handler };

	sigaction(SIGCHLD, &act, NULL);
	caught = 0;
	in_child(handler_inherited);
	printf("SIGCHLD handled: %d\n", caught == SIGCHLD);

	signal(SIGCHLD, SIG_IGN);
	fflush(stdout);
	if (fork() == 0)
		_exit(3);
	answer("wait, SIGCHLD ignored", wait(NULL));
	signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
	static const int deadly[] = { SIGHUP,  SIGINT,	SIGQUIT, SIGILL,  SIGABRT, SIGFPE,
				      SIGKILL, SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE, SIGTERM };
	static const int harmless[] = { SIGCHLD, SIGCONT };
	struct sigaction act = { .sa_handler = handler }, old;

	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		which = deadly[i];
		report_child("default", raises);
		if (which != SIGKILL)
			report_child("ignored", ignores);
	}
	for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++) {
		which = harmless[i];
		report_child("default of a harmless one", raises);
	}

	answer("sigaction", sigaction(SIGUSR1, &act, &old));
	yes("it was the default", old.sa_handler == SIG_DFL);
	raise(SIGUSR1);
	printf("caught %d\n", caught);
	sigaction(SIGUSR1, NULL, &old);
	yes("it is ours now", old.sa_handler == handler);
	answer("sigaction for SIGKILL", sigaction(SIGKILL, &act, NULL));
	answer("sigaction for signal 65", sigaction(65, &act, NULL));
	test_registers();
	report_child("a child has the handler", handler_inherited);

	act.sa_flags = SA_RESETHAND;
	sigaction(SIGUSR2, &act, NULL);
	raise(SIGUSR2);
	sigaction(SIGUSR2, NULL, &old);
	yes("reset after one", old.sa_handler == SIG_DFL);

	test_masks();

	count = 0;
	signal(SIGUSR1, again);
	raise(SIGUSR1);
	printf("raised in its handler: %d times, %d deep\n", count, deepest);
	count = depth = deepest = 0;
	act.sa_handler = again;
	act.sa_flags = SA_NODEFER;
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	printf("not deferred: %d times, %d deep\n", count, deepest);

	caught = 0;
	signal(SIGUSR1, nested);
	signal(SIGUSR2, nested);
	raise(SIGUSR1);
	printf("one inside another: %d\n", caught);
	caught = 0;
	act.sa_handler = nested;
	act.sa_flags = 0;
	sigaddset(&act.sa_mask, SIGUSR2);
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	printf("one masked by another: %d\n", caught);

	test_interrupting();
	test_children();
	return 0;
}
