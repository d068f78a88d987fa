/*
 * stop_continue.c - stopped processes: what their parent hears, and that sleeps and reads go on.
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "guest.h"

#define WAIT_STOPPED   2
#define WAIT_CONTINUED 8

static volatile int heard;

static void child_news(int sig)
{
	(void)sig;
	heard++;
}

static void status_of(const char *what, pid_t pid, int options)
{
	int status = 0;
	pid_t got = waitpid(pid, &status, options);

	printf("%s: %s, status 0x%04x\n", what,
	       got == pid ? "the child"
	       : got	  ? "error"
			  : "none",
	       got > 0 ? status : 0);
}

static long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* A child that runs `body` and is stopped by `sig` after a moment. */
static pid_t start(int (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int status = body();

		fflush(stdout);
		_exit(status);
	}
	return pid;
}

static int waits(void)
{
	while (pause() < 0)
		;
	return 0;
}

static void test_news(void)
{
	struct sigaction act = { .sa_handler = child_news, .sa_flags = SA_RESTART };
	pid_t pid;

	sigaction(SIGCHLD, &act, NULL);
	pid = start(waits);
	status_of("running", pid, WNOHANG | WAIT_STOPPED);
	kill(pid, SIGSTOP);
	status_of("stopped", pid, WAIT_STOPPED);
	status_of("told once", pid, WNOHANG | WAIT_STOPPED);
	kill(pid, SIGCONT);
	status_of("continued", pid, WAIT_CONTINUED);
	kill(pid, SIGTSTP);
	status_of("stopped by SIGTSTP", pid, WAIT_STOPPED);
	yes("SIGCHLD came", heard > 0);
	kill(pid, SIGTERM);
	pause_ms(30);
	status_of("a stopped process does not act on SIGTERM", pid, WNOHANG);
	kill(pid, SIGCONT);
	status_of("continued, it does", pid, 0);

	pid = start(waits);
	kill(pid, SIGSTOP);
	status_of("stopped", pid, WAIT_STOPPED);
	kill(pid, SIGKILL);
	status_of("SIGKILL needs no SIGCONT", pid, 0);
}

static int sleeps(void)
{
	struct timespec t = { 0, 300000000 };
	long start = milliseconds(), took;

	answer("a sleep that was stopped", nanosleep(&t, NULL));
	took = milliseconds() - start;
	yes("it ends when it would have", took >= 300 && took < 5000);
	return 0;
}

static int fds[2];

static int reads(void)
{
	char c = 0;

	answer("a read that was stopped", read(fds[0], &c, 1));
	printf("it got: %c\n", c);
	return 0;
}

static int refuses_to_stop(void)
{
	struct sigaction act = { .sa_handler = child_news };

	signal(SIGTTIN, SIG_IGN);
	raise(SIGTTIN);
	sigaction(SIGTSTP, &act, NULL);
	heard = 0;
	raise(SIGTSTP);
	return heard;
}

static int tests(void)
{
	pid_t pid;

	test_news();
	signal(SIGCHLD, SIG_DFL);

	pid = start(sleeps);
	pause_ms(50);
	kill(pid, SIGSTOP);
	pause_ms(50);
	kill(pid, SIGCONT);
	status_of("sleeper", pid, 0);

	pipe(fds);
	pid = start(reads);
	pause_ms(50);
	kill(pid, SIGSTOP);
	pause_ms(20);
	kill(pid, SIGCONT);
	pause_ms(20);
	write(fds[1], "x", 1);
	status_of("reader", pid, 0);

	report_child("stops that are handled or ignored", refuses_to_stop);
	return 0;
}

/*
 * An orphaned process group is not stopped by SIGTSTP (POSIX, 2.4.3), and whoever starts this test
 * may be the first of its session: so the tests run in a group whose parent is in another one.
 */
int main(void)
{
	pid_t pid = fork();
	int status = 1;

	if (pid == 0) {
		setpgid(0, 0);
		exit(tests());
	}
	waitpid(pid, &status, 0);
	return status != 0;
}
