/*
 * switchers.c - processes that do nothing but take turns.
 *
 * N processes stand in a ring, a pipe from each to the next.  A token, the number of
 * the turn, goes round ROUNDS times; who has it touches PAGES pages of its own and
 * passes it on.  One turn is one task switch with a known working set: the workload
 * of lessons 2 and 3.
 *
 * The first process of the ring is the program itself.  It sends the token off, counts
 * the rounds, and at the end closes its end of the ring: each process then reads the
 * end of its pipe, and leaves.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "switchers N ROUNDS [PAGES]     (N 2 to 1000)";

#define PAGE 4096

static char *pages;
static long page_count;

static void fail(const char *what)
{
	complain("switchers", what);
	exit(1);
}

static void work(void)
{
	for (long i = 0; i < page_count; i++)
		pages[i * PAGE]++;
}

/* Passes the token on from `in` to `out` until the ring is opened. */
static void take_turns(int in, int out)
{
	unsigned token;

	while (read(in, &token, sizeof(token)) == sizeof(token)) {
		work();
		token++;
		if (write(out, &token, sizeof(token)) != sizeof(token))
			break;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	int first[2], in, status, bad = 0;
	unsigned token = 0;
	long n, rounds;

	if (argc < 3 || argc > 4)
		usage(text);
	n = number_arg(argv[1], 2, 1000, text);
	rounds = number_arg(argv[2], 0, 1000000, text);
	page_count = argc == 4 ? number_arg(argv[3], 0, 16384, text) : 0;
	if (page_count) {
		pages = mmap(NULL, page_count * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (pages == MAP_FAILED)
			fail("memory");
	}
	if (pipe(first) < 0)
		fail("pipe");
	in = first[0];
	for (long i = 1; i < n; i++) {
		int next[2];
		pid_t pid;

		if (pipe(next) < 0)
			fail("pipe");
		pid = fork();
		if (pid < 0)
			fail("fork");
		if (pid == 0) {
			close(first[1]);
			close(next[0]);
			take_turns(in, next[1]);
		}
		/* Our ends of what lies between two children would keep the ring from opening. */
		close(in);
		close(next[1]);
		in = next[0];
	}
	for (long round = 0; round < rounds; round++) {
		work();
		token++;
		if (write(first[1], &token, sizeof(token)) != sizeof(token) ||
		    read(in, &token, sizeof(token)) != sizeof(token))
			fail("token");
	}
	close(first[1]);
	for (long i = 1; i < n; i++)
		if (wait(&status) < 0 || status != 0)
			bad = 1;
	printf("switchers: %ld processes, %ld rounds, %u turns\n", n, rounds, token);
	if (bad || token != (unsigned)(n * rounds)) {
		fprintf(stderr, "switchers: the token was lost\n");
		return 1;
	}
	return 0;
}
