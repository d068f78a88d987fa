/*
 * exec_args.c - execve() hands over arguments and environment, and says why it cannot.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The program again, as the child of itself: shows what arrived. */
static int show(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		printf("argument %d: [%s]\n", i - 1, argv[i]);
	for (char **e = environ; *e; e++)
		printf("environment: [%s]\n", *e);
	printf("argv ends with NULL: %s\n", argv[argc] ? "no" : "yes");
	fflush(stdout);
	return argc;
}

static void run(const char *path, char **argv, char **env)
{
	int status;

	fflush(stdout);
	if (fork() == 0) {
		execve(path, argv, env);
		printf("cannot: %s\n", strerror(errno));
		fflush(stdout);
		_exit(99);
	}
	wait(&status);
	printf("status %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	static char *plain[] = { "x", "show", "one", "", "three words here", NULL };
	static char *env[] = { "A=1", "EMPTY=", NULL };
	static char *none[] = { NULL };
	static char *many[1001];
	static char text[1000][8];
	static char huge[200000];
	char *too_much[4] = { "x", "count", huge, NULL };

	if (argc > 1 && strcmp(argv[1], "show") == 0)
		return show(argc, argv);
	if (argc > 1 && strcmp(argv[1], "count") == 0) {
		int total = 0;

		for (int i = 2; i < argc; i++)
			total += strlen(argv[i]);
		printf("%d arguments, %d bytes\n", argc - 2, total);
		fflush(stdout);
		return 0;
	}
	printf("arguments and environment\n");
	run(argv[0], plain, env);
	printf("no environment\n");
	run(argv[0], plain, none);

	printf("a thousand arguments\n");
	many[0] = "x";
	many[1] = "count";
	for (int i = 2; i < 1000; i++) {
		snprintf(text[i], sizeof(text[i]), "a%d", i);
		many[i] = text[i];
	}
	run(argv[0], many, none);

	printf("one argument too long\n");
	memset(huge, 'x', sizeof(huge) - 1);
	run(argv[0], too_much, none);

	printf("no such program, a directory, not executable\n");
	run("/nonexistent", plain, env);
	run("/", plain, env);
	run("/dev/null", plain, env);
	return 0;
}
