/*
 * forkexec.c - fork, exec, exit and wait, N times over.
 *
 * What is left when it has run is what the kernel lost on the way: nothing, it is hoped.
 */

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "forkexec N";

int main(int argc, char **argv)
{
	static char *child[] = { "true", NULL };
	int status;
	long n;

	if (argc != 2)
		usage(text);
	n = number_arg(argv[1], 0, 10000000, text);
	for (long i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			complain("forkexec", "fork");
			return 1;
		}
		if (pid == 0) {
			execv("/bin/true", child);
			complain("forkexec", "/bin/true");
			_exit(126);
		}
		if (waitpid(pid, &status, 0) != pid || status != 0) {
			fprintf(stderr, "forkexec: child %ld failed\n", i + 1);
			return 1;
		}
	}
	printf("forkexec: %ld times\n", n);
	return 0;
}
