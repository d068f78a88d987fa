/*
 * guest.h - what guest tests share: how they print answers and run children.
 *
 * A guest test prints the same on Klaava and on Linux, and ends with status 0.  So it
 * prints no addresses, pids, times or inode numbers, and nothing that depends on who
 * runs first.
 */

#ifndef GUEST_H
#define GUEST_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

/* Prints "what: answer", or "what: what errno says" for -1. */
static inline void answer(const char *what, long value)
{
	if (value == -1)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %ld\n", what, value);
}

static inline void yes(const char *what, int is)
{
	printf("%s: %s\n", what, is ? "yes" : "NO");
}

/* Runs `child` in a process of its own (its return value is the exit status); its status. */
static inline int in_child(int (*child)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (pid == 0) {
		status = child();
		fflush(stdout);
		_exit(status);
	}
	while (waitpid(pid, &status, 0) < 0)
		;
	return status;
}

/* The same, and prints how it ended. */
static inline void report_child(const char *what, int (*child)(void))
{
	int status = in_child(child);

	if (WIFEXITED(status))
		printf("%s: exit status %d\n", what, WEXITSTATUS(status));
	else
		printf("%s: signal %d\n", what, WTERMSIG(status));
}

/* What a directory holds, and it. */
static inline void remove_tree(const char *dir)
{
	struct dirent *d;
	char path[300];
	DIR *open;

	/* Anew after each: where the next one is may change when one goes. */
	for (;;) {
		open = opendir(dir);
		while (open && (d = readdir(open)) &&
		       (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..")))
			;
		if (open && d)
			snprintf(path, sizeof(path), "%.40s/%.255s", dir, d->d_name);
		if (open)
			closedir(open);
		if (!open || !d)
			break;
		if (unlink(path) < 0)
			remove_tree(path);
	}
	rmdir(dir);
}

static char scratch[64];

static inline void leave_scratch(void)
{
	if (chdir("/tmp") == 0)
		remove_tree(scratch);
}

/* Stands in an empty directory of its own, in /tmp here and there; for leave_scratch() to remove.
 */
static inline void go_to_scratch(const char *name)
{
	snprintf(scratch, sizeof(scratch), "%s-%d", name, getpid());
	if (chdir("/tmp") < 0 || mkdir(scratch, 0755) < 0 || chdir(scratch) < 0) {
		perror(scratch);
		exit(1);
	}
}

/* Stands in the directory mkdata.sh made: the first argument, else /tests/data. */
static inline void go_to_data(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "/tests/data";

	if (chdir(dir) < 0) {
		perror(dir);
		exit(1);
	}
}

#endif
