/*
 * exec_errors.c - what execve() refuses, what it hands on, what it forgets; scripts.
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>

#include "guest.h"

static const char *self;
static char *none[] = { NULL };

static void refused(const char *what, const char *path)
{
	char *argv[] = { "x", NULL };

	answer(what, execve(path, argv, none));
}

static char big[20000];

/* Linux takes more than we do; twice 20,000 times a pointer to a long string is too much for both.
 */
static void too_big(void)
{
	static char *argv[4000];

	memset(big, 'x', sizeof(big) - 1);
	for (int i = 0; i < 3999; i++)
		argv[i] = big;
	answer("arguments too big", execve(self, argv, none));
}

static void handler(int sig)
{
	(void)sig;
}

static const char *role;

static int becomes(void)
{
	char *argv[] = { "exec_errors", "-role", (char *)role, NULL };
	char *envp[] = { "A=1", "B=two", NULL };

	execve(self, argv, envp);
	return 99;
}

static void run(const char *what, const char *as)
{
	role = as;
	report_child(what, becomes);
}

static int script(void)
{
	char *argv[] = { "ignored", "three", NULL };

	execve("interpreted", argv, none);
	perror("interpreted");
	return 98;
}

/* As the new program. */
static int play(const char *as)
{
	struct sigaction old;

	if (!strcmp(as, "fds")) {
		answer("kept", fcntl(50, F_GETFD));
		answer("closed", fcntl(51, F_GETFD));
		answer("closed too", fcntl(52, F_GETFD));
		return 0;
	}
	if (!strcmp(as, "signals")) {
		sigset_t mask;

		sigaction(SIGUSR1, NULL, &old);
		yes("a handler is the default again", old.sa_handler == SIG_DFL);
		sigaction(SIGUSR2, NULL, &old);
		yes("ignored stays ignored", old.sa_handler == SIG_IGN);
		sigprocmask(SIG_BLOCK, NULL, &mask);
		yes("the mask stays", sigismember(&mask, SIGHUP) == 1);
		return 0;
	}
	printf("environment: %s %s\n", getenv("A"), getenv("B"));
	return 7;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = handler };
	sigset_t mask;
	static char path[200];

	if (argc > 2 && !strcmp(argv[1], "-role"))
		return play(argv[2]);
	/* Where we are, before the directory changes. */
	if (argv[0][0] == '/') {
		self = argv[0];
	} else {
		getcwd(path, 100);
		strcat(path, "/");
		strcat(path, argv[0]);
		self = path;
	}
	go_to_data(argc, argv);

	refused("missing", "nosuch");
	refused("no path", "");
	refused("below a file", "text/x");
	refused("a directory", "sub");
	refused("not executable", "text");
	refused("a loop of links", "loop");
	refused("text, though executable", "not_a_program");
	refused("empty, though executable", "empty_program");
	refused("a script without interpreter", "bad_script");
	refused("a script whose interpreter is missing", "lost_script");
	answer("null path", execve(NULL, none, none));
	answer("wild argv", syscall(SYS_execve, self, 16, none));
	too_big();

	run("a program", "plain");
	dup2(1, 50);
	dup2(1, 51);
	fcntl(51, F_SETFD, FD_CLOEXEC);
	syscall(SYS_dup3, 1, 52, O_CLOEXEC);
	run("descriptors", "fds");
	sigaction(SIGUSR1, &act, NULL);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&mask);
	sigaddset(&mask, SIGHUP);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	run("signals", "signals");
	report_child("a script", script);
	return 0;
}
