/*
 * pattern.c - is memory what was written to it?
 *
 * Each of N processes fills its part of so many MB with words that say whose they are, where and
 * from which round, and reads them back in an order of its own.  In between it forks: the child
 * reads what it inherited, writes over a third of it and reads both, while the parent goes on to
 * the next round.  With more MB than the machine has, all of it goes to the disk and comes back.
 */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "pattern PROCESSES MB ROUNDS     (1 to 100, 1 to 1000, 1 to 1000)";

#define PAGE	  4096
#define WORDS	  (PAGE / sizeof(unsigned))
#define CHILD	  0x80000000u /* in `who`: written by a child */
#define SHOWN	  3	      /* wrong words a process tells about */
#define OVERWRITE 3	      /* a child writes to one page in so many */

static unsigned *memory, pages, wrong, seed;
static unsigned long long checked; /* bytes */

static unsigned any_page(void)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % pages;
}

static unsigned word_of(unsigned who, unsigned page, unsigned word, unsigned round)
{
	return who * 2654435761u ^ page * 40503u ^ word * 97u ^ round << 22;
}

static void fill(unsigned who, unsigned page, unsigned round)
{
	unsigned *p = memory + page * WORDS;

	for (unsigned i = 0; i < WORDS; i++)
		p[i] = word_of(who, page, i, round);
}

static void check(unsigned who, unsigned page, unsigned round)
{
	const unsigned *p = memory + page * WORDS;

	for (unsigned i = 0; i < WORDS; i++)
		if (p[i] != word_of(who, page, i, round) && wrong++ < SHOWN)
			printf("pattern: process %u page %u word %u round %u: %08x is wrong\n",
			       who & ~CHILD, page, i, round, p[i]);
	checked += PAGE;
}

/* Tell the parent how it went: bytes checked, wrong words. */
static void report(int fd)
{
	unsigned long long result[2] = { checked, wrong };

	if (write(fd, result, sizeof(result)) != sizeof(result))
		exit(1);
	exit(wrong != 0);
}

static void inherit(unsigned who, unsigned round, int fd)
{
	checked = 0;
	for (unsigned i = 0; i < pages / 2; i++)
		check(who, any_page(), round);
	for (unsigned p = 0; p < pages; p += OVERWRITE)
		fill(who | CHILD, p, round);
	for (unsigned p = 0; p < pages; p++)
		check(p % OVERWRITE ? who : who | CHILD, p, round);
	report(fd);
}

/* Returns a pid, or 0 when there is no room for another: then this round goes without. */
static pid_t fork_child(unsigned who, unsigned round, int fd)
{
	pid_t child = fork();

	if (child == 0)
		inherit(who, round, fd);
	return child > 0 ? child : 0;
}

static void live(unsigned who, unsigned rounds, int fd)
{
	memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED) {
		complain("pattern", "memory");
		exit(1);
	}
	seed = who + 1;
	for (unsigned p = 0; p < pages; p++)
		fill(who, p, 0);
	for (unsigned round = 0; round < rounds; round++) {
		pid_t child;

		for (unsigned i = 0; i < pages; i++)
			check(who, any_page(), round);
		child = fork_child(who, round, fd);
		for (unsigned p = 0; p < pages; p++) {
			check(who, p, round);
			fill(who, p, round + 1);
		}
		if (child)
			waitpid(child, NULL, 0);
	}
	for (unsigned p = 0; p < pages; p++)
		check(who, p, rounds);
	report(fd);
}

int main(int argc, char **argv)
{
	unsigned long long result[2], bytes = 0, bad = 0;
	unsigned processes, rounds, reports = 0, died = 0;
	int fd[2], status;

	if (argc != 4)
		usage(text);
	processes = number_arg(argv[1], 1, 100, text);
	pages = number_arg(argv[2], 1, 1000, text) * (1024 * 1024 / PAGE) / processes;
	rounds = number_arg(argv[3], 1, 1000, text);
	if (pipe(fd) < 0) {
		complain("pattern", "pipe");
		return 1;
	}
	for (unsigned i = 0; i < processes; i++)
		if (fork() == 0)
			live(i, rounds, fd[1]);
	close(fd[1]);
	while (read(fd[0], result, sizeof(result)) == sizeof(result)) {
		reports++;
		bytes += result[0];
		bad += result[1];
	}
	while (wait(&status) > 0)
		died += status != 0;
	printf("pattern: %u reports, %llu bytes checked, %llu words wrong, %u died\n", reports,
	       bytes, bad, died);
	return reports < processes || bad || died;
}
