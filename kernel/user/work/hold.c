/*
 * hold.c - processes that hold memory and sleep.
 *
 * Each of N processes, of which the program itself is the first, writes to PAGES pages of its own,
 * STRIDE pages apart: with stride 1 they share a page table, with 1024 each needs one of its own.
 * When all have, the program stops, as by Ctrl-Z, so that somebody can look.  Whenever it is
 * continued (`fg hold`) all are woken, one after the other: each looks whether its pages hold what
 * it wrote, and writes anew.  The workload of lessons 5 and 6.
 *
 * A process is woken by a signal, and works in the handler, so that no wake can be lost.
 * Otherwise it waits for the end of a pipe that nobody writes to, which is the end of the first.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] =
	"hold N PAGES [STRIDE]     (N 1 to 200; stride in pages, 1 unless given)";

#define PAGE 4096
#define MOST 200

static unsigned *pages; /* the first word of each says whose it is and from which round */
static long page_count, stride, who;
static unsigned rounds;
static int answers[2], life[2];

static void fail(const char *what)
{
	complain("hold", what);
	exit(1);
}

static unsigned word_of(long page, unsigned round)
{
	return who << 24 ^ page << 8 ^ round;
}

/* A round: the pages are ours as we left them, and are left for the next.  How many were not. */
static unsigned check_and_write(void)
{
	unsigned wrong = 0;

	for (long i = 0; i < page_count; i++) {
		unsigned *p = pages + i * stride * (PAGE / sizeof(*p));

		wrong += *p != (rounds ? word_of(i, rounds) : 0);
		*p = word_of(i, rounds + 1);
	}
	rounds++;
	return wrong;
}

static void answer(int sig)
{
	unsigned wrong = check_and_write();

	(void)sig;
	if (write(answers[1], &wrong, sizeof(wrong)) != sizeof(wrong))
		_exit(1);
}

static unsigned answered(void)
{
	unsigned wrong;

	if (read(answers[0], &wrong, sizeof(wrong)) != sizeof(wrong))
		fail("a process is gone");
	return wrong;
}

static void live(void)
{
	char nothing;

	close(life[1]);
	close(answers[0]);
	answer(0);
	while (read(life[0], &nothing, 1) < 0)
		;
	_exit(0);
}

static pid_t member(long number)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		who = number;
		live();
	}
	return pid;
}

/* From the heap, which begins behind the program: a small one needs no table of its own. */
static unsigned *take_pages(long count)
{
	char *old = sbrk(0), *first = (char *)(((unsigned long)old + PAGE - 1) & -PAGE);

	if (sbrk(first + count * PAGE - old) == (void *)-1)
		fail("memory");
	return (unsigned *)first;
}

static void stop(void)
{
	fflush(stdout);
	kill(getpid(), SIGSTOP);
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = answer };
	static pid_t pids[MOST];
	unsigned wrong;
	long n;

	if (argc < 3 || argc > 4)
		usage(text);
	n = number_arg(argv[1], 1, MOST, text);
	page_count = number_arg(argv[2], 1, 16384, text);
	stride = argc == 4 ? number_arg(argv[3], 1, 16384, text) : 1;
	pages = take_pages((page_count - 1) * stride + 1);
	if (pipe(answers) < 0 || pipe(life) < 0)
		fail("pipe");
	sigaction(SIGUSR1, &act, NULL);
	for (long i = 1; i < n; i++) {
		pids[i] = member(i);
		answered();
	}
	check_and_write();
	close(answers[1]); /* if all others die we are told */
	printf("hold: %ld processes hold %ld pages each\n", n, page_count);
	for (;;) {
		stop();
		wrong = check_and_write();
		for (long i = 1; i < n; i++) {
			if (kill(pids[i], SIGUSR1) < 0)
				fail("kill");
			wrong += answered();
		}
		printf("hold: %ld woken in turn, %u of %ld pages wrong\n", n, wrong,
		       n * page_count);
		if (wrong)
			return 1;
	}
}
