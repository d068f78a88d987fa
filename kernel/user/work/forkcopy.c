/*
 * forkcopy.c - a process forks; some of its pages are then written, by the child or by itself.
 *
 * It fills PAGES pages of its own and makes FORKS children, one after the other.  A child writes to
 * CHILD of them and ends, or becomes another program at once (exec; vfork: the same, without
 * a copy of anything).  Then the parent writes to PARENT of them.  The workload of lesson 7.
 *
 * With SECONDS nobody ends before: as many copies as there are children, at the same time, to
 * be looked at.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "forkcopy PAGES CHILD PARENT FORKS [SECONDS]\n    "
			   "(CHILD: pages, or exec, or vfork)";

#define PAGE 4096
#define MOST 16384

static struct {
	long pages, writes, own, forks;
	int is_exec, is_vfork, stays;
	struct timespec end;
} is;

static char *pages;
static long rewritten; /* of them the parent has written to a second time */

static void fail(const char *what)
{
	complain("forkcopy", what);
	exit(1);
}

/* What is written to pages: at first, by the parent later, by a child. */
enum { FIRST = 1, PARENT, CHILD };

static void write_to(long n, int value)
{
	for (long i = 0; i < n; i++)
		pages[i * PAGE] = value;
}

/* Is the child's word in the first n pages, and in all others what the parent had written? */
static int are_right(long n)
{
	for (long i = 0; i < is.pages; i++)
		if (pages[i * PAGE] != (i < n ? CHILD : i < rewritten ? PARENT : FIRST))
			return 0;
	return 1;
}

static void become_true(void)
{
	static char *child[] = { "true", NULL };

	execv("/bin/true", child);
	_exit(126);
}

/* A child's life: nobody else writes to what it sees. */
static void live(void)
{
	write_to(is.writes, CHILD);
	if (!is.stays)
		_exit(0);
	sleep_until(is.end);
	_exit(!are_right(is.writes));
}

static pid_t child(void)
{
	pid_t pid = is.is_vfork ? vfork() : fork();

	if (pid < 0)
		fail("fork");
	if (pid == 0 && is.is_exec)
		become_true();
	if (pid == 0)
		live();
	return pid;
}

static void bury(void)
{
	int status;

	if (wait(&status) < 0 || status != 0) {
		fprintf(stderr, "forkcopy: a child failed\n");
		exit(1);
	}
}

static void read_arguments(int argc, char **argv)
{
	if (argc < 5 || argc > 6)
		usage(text);
	is.pages = number_arg(argv[1], 1, MOST, text);
	is.is_vfork = strcmp(argv[2], "vfork") == 0;
	is.is_exec = is.is_vfork || strcmp(argv[2], "exec") == 0;
	if (!is.is_exec)
		is.writes = number_arg(argv[2], 0, is.pages, text);
	is.own = number_arg(argv[3], 0, is.pages, text);
	is.forks = number_arg(argv[4], 0, 1000000, text);
	is.stays = argc == 6;
	if (is.stays)
		is.end = from_now(seconds_arg(argv[5], text));
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv);
	pages = mmap(NULL, is.pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (pages == MAP_FAILED)
		fail("memory");
	write_to(is.pages, FIRST);
	for (long i = 0; i < is.forks; i++) {
		child();
		if (!is.stays)
			bury();
		write_to(rewritten = is.own, PARENT);
	}
	for (long i = 0; is.stays && i < is.forks; i++)
		bury();
	if (is.stays)
		sleep_until(is.end);
	if (!are_right(0)) {
		fprintf(stderr, "forkcopy: a page changed\n");
		return 1;
	}
	printf("forkcopy: %ld pages, %ld forks, child: %s, parent: %ld\n", is.pages, is.forks,
	       argv[2], is.own);
	return 0;
}
