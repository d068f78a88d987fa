/*
 * groups.c - process groups and sessions, and whom a signal or a wait for a group reaches.
 */

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "guest.h"

#define NR_GETSID 147
#define NR_CLONE  120

static pid_t sleeper(pid_t group)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		struct timespec t = { 20, 0 };

		setpgid(0, group);
		nanosleep(&t, NULL);
		_exit(0);
	}
	setpgid(pid, group ? group : pid);
	return pid;
}

static void test_group_signal(void)
{
	pid_t a = sleeper(0), b = sleeper(a), c = sleeper(0);
	int status = 0, ended = 0;
	pid_t pid;

	yes("a leads its group", getpgid(a) == a);
	yes("b is in it", getpgid(b) == a);
	yes("same session", syscall(NR_GETSID, a) == syscall(NR_GETSID, 0));
	answer("wait for it, not yet", waitpid(-a, &status, WNOHANG));
	answer("kill the group", kill(-a, SIGTERM));
	for (int i = 0; i < 2; i++) {
		pid = waitpid(-a, &status, 0);
		ended += (pid == a || pid == b) && WTERMSIG(status) == SIGTERM;
	}
	printf("ended: %d\n", ended);
	answer("nobody is left", waitpid(-a, &status, 0));
	answer("kill it again", kill(-a, SIGTERM));
	answer("c lives", kill(c, 0));
	answer("join a group that is gone", setpgid(c, a));
	kill(c, SIGKILL);
	yes("c", waitpid(c, &status, 0) == c && WTERMSIG(status) == SIGKILL);
}

static int new_session(void)
{
	pid_t me = getpid();

	yes("setsid", setsid() == me);
	yes("leads all", getpgrp() == me && syscall(NR_GETSID, 0) == me);
	answer("again", setsid());
	answer("a leader of a session stays", setpgid(0, 0));
	return 0;
}

static void test_errors(void)
{
	answer("setpgid of init", setpgid(1, 0));
	answer("setpgid of nobody", setpgid(29999, 0));
	answer("to a negative group", setpgid(0, -5));
	answer("getpgid of nobody", getpgid(29999));
	answer("getsid of nobody", syscall(NR_GETSID, 29999));
	answer("wait without children", waitpid(-1, NULL, 0));
	answer("wait with strange options", waitpid(-1, NULL, 0x10000000));
}

static void test_clone(void)
{
	int status = 0;
	long pid;

	fflush(stdout);
	pid = syscall(NR_CLONE, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		_exit(12);
	yes("clone that is fork", waitpid(pid, &status, 0) == pid);
	printf("status: %d\n", WEXITSTATUS(status));
}

int main(void)
{
	test_group_signal();
	report_child("a session", new_session);
	test_errors();
	test_clone();
	return 0;
}
