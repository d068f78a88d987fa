/*
 * process.c - what is built on the process and memory calls: exec along a path,
 * the program break, sleeping, leaving.
 */

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

int (*__leave_streams)(void);

void exit(int status)
{
	if (__leave_streams && __leave_streams() && !status)
		status = 1;
	_exit(status);
}

void abort(void)
{
	signal(SIGABRT, SIG_DFL);
	raise(SIGABRT);
	_exit(127);
}

char *getenv(const char *name)
{
	size_t n = strlen(name);

	for (char **e = environ; *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

int execvp(const char *file, char *const argv[])
{
	const char *path = getenv("PATH");
	int error = ENOENT;

	if (strchr(file, '/'))
		return execv(file, argv);
	if (!path)
		path = "/bin";
	while (*path) {
		const char *colon = strchr(path, ':');
		int n = colon ? colon - path : (int)strlen(path);
		char full[256];

		if (snprintf(full, sizeof(full), "%.*s/%s", n, path, file) < (int)sizeof(full)) {
			execv(full, argv);
			/* Found but not runnable is worth telling; go on looking all the same. */
			if (errno != ENOENT && errno != ENOTDIR)
				error = errno;
		}
		path += n + (colon != NULL);
	}
	errno = error;
	return -1;
}

/* The kernel answers brk() with the break it left, moved or not. */
static char *break_now;

int brk(void *end)
{
	break_now = (char *)syscall(SYS_brk, end);
	if (break_now != (char *)end) {
		errno = ENOMEM;
		return -1;
	}
	return 0;
}

void *sbrk(ptrdiff_t more)
{
	char *before;

	if (!break_now)
		break_now = (char *)syscall(SYS_brk, 0);
	before = break_now;
	if (more && brk(before + more) < 0)
		return (void *)-1;
	return before;
}

unsigned sleep(unsigned seconds)
{
	struct timespec t = { .tv_sec = seconds };

	return nanosleep(&t, &t) < 0 ? (unsigned)t.tv_sec : 0;
}
