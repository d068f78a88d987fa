/*
 * host32.c - stands for a 32-bit program where the host's kernel runs none.
 *
 * A copy of this lies under the name of every program, in the folder that host.sh fills.
 * Started as FOLDER/NAME it becomes FOLDER/.qemu/NAME, a link to qemu-i386, which emulates
 * FOLDER/.i386/NAME, the very file that Klaava runs.  So a program may start another one, or
 * itself, by its path: qemu-i386 hands execve() on to a kernel that knows only 64-bit files.
 * The link's name is the process's name, which ps shows.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

static _Noreturn void fail(const char *what)
{
	fprintf(stderr, "host32: %s: %s\n", what, strerror(errno));
	_exit(126);
}

/* The emulator hands the environment on from back to front: turned here, it comes out right. */
static void turn_environment(void)
{
	char **first = environ, **last = environ;

	while (*last)
		last++;
	while (first < --last) {
		char *s = *first;

		*first++ = *last;
		*last = s;
	}
}

int main(int argc, char **argv)
{
	static char self[PATH_MAX], program[PATH_MAX + 8], emulator[PATH_MAX + 8];
	struct rlimit none;
	char **args, *name;

	/* Not argv[0]: that is whatever the caller says, and the program shall see it. */
	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		fail("/proc/self/exe");
	name = strrchr(self, '/');
	*name++ = '\0';
	snprintf(program, sizeof program, "%s/.i386/%s", self, name);
	snprintf(emulator, sizeof emulator, "%s/.qemu/%s", self, name);

	args = calloc(argc + 5, sizeof *args);
	if (!args)
		fail("arguments");
	args[0] = "qemu-i386";
	args[1] = "-0";
	args[2] = argc ? argv[0] : "";
	args[3] = program;
	for (int i = 1; i < argc; i++)
		args[3 + i] = argv[i];
	turn_environment();

	/* It dumps core itself, into the working directory, which the tests list. */
	if (getrlimit(RLIMIT_CORE, &none) == 0) {
		none.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &none);
	}
	execv(emulator, args);
	fail(emulator);
}
