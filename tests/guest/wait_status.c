/*
 * wait_status.c - how a child ended reaches its parent; what waitpid() accepts.
 */

#include <signal.h>
#include <sys/syscall.h>

#include "guest.h"

static int code;

static int exits(void)
{
	return code;
}

static int dies(void)
{
	raise(code);
	while (pause() < 0)
		;
	return 0;
}

static int sleeps(void)
{
	while (pause() < 0)
		;
	return 0;
}

static pid_t start(int (*child)(void))
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(child());
	return pid;
}

int main(void)
{
	static const int codes[] = { 0, 1, 77, 255, 256, -1 };
	static const int signals[] = { SIGTERM, SIGKILL, SIGINT, SIGHUP, SIGUSR1, SIGALRM };
	int status = 0;
	pid_t a, b;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		code = codes[i];
		report_child("exit", exits);
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		code = signals[i];
		report_child("raise", dies);
	}

	answer("wait without children", wait(&status));
	answer("waitpid for a stranger", waitpid(1, &status, 0));

	a = start(sleeps);
	answer("WNOHANG while it sleeps", waitpid(a, &status, WNOHANG));
	answer("kill with signal 0", kill(a, 0));
	answer("kill", kill(a, SIGTERM));
	yes("waitpid gives its pid", waitpid(a, &status, 0) == a);
	printf("signal %d\n", WTERMSIG(status));
	answer("waitpid again", waitpid(a, &status, 0));
	answer("kill when gone", kill(a, SIGTERM));

	/* A particular one, though the other ended first. */
	code = 3;
	a = start(exits);
	code = 4;
	b = start(exits);
	yes("the second first", waitpid(b, &status, 0) == b && WEXITSTATUS(status) == 4);
	yes("then the first", waitpid(-1, &status, 0) == a && WEXITSTATUS(status) == 3);

	/* By process group. */
	code = 5;
	a = fork();
	if (a == 0) {
		setpgid(0, 0);
		_exit(5);
	}
	setpgid(a, a);
	answer("wait in my own group", waitpid(0, &status, 0));
	yes("wait in its group", waitpid(-a, &status, 0) == a && WEXITSTATUS(status) == 5);

	/* The old call too. */
	code = 6;
	a = start(exits);
	yes("waitpid, number 7", syscall(SYS_waitpid, a, &status, 0) == a);
	printf("status %d\n", WEXITSTATUS(status));
	a = start(exits);
	yes("a status nobody wants", waitpid(a, NULL, 0) == a);
	answer("unknown option", waitpid(-1, NULL, 0x4000));
	answer("kill with a wrong signal", kill(getpid(), 65));
	answer("kill nobody", kill(0x7ffffff, SIGTERM));
	return 0;
}
