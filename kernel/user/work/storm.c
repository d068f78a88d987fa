/*
 * storm.c - is an address ever translated as it no longer should be?
 *
 * Each of N processes maps some pages, writes into each whose it is, gives up the right to write,
 * gets it back, unmaps, and so on, as fast as it can; every few rounds a child writes over what it
 * inherited while its parent does the same.  Between two of these steps it lets others run, so that
 * all of them wander from CPU to CPU, and frames from one to the other.
 *
 * A translation that a CPU still holds when it should not shows in one of two ways: a word with
 * another one's mark, or a fault that does not come.
 */

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "storm PROCESSES ROUNDS     (1 to 100, 1 to 100000)";

#define PAGE  4096
#define WORDS (PAGE / sizeof(unsigned))
#define PAGES 6
#define FORKS 16 /* a child every so many rounds */

struct tally {
	unsigned calls, wrong, missing; /* faults that did not come */
};

static struct tally tally;
static unsigned *memory;
static volatile int faults;
static volatile enum { NOTHING, RIGHTS, PAGES_THERE } lacking;

static unsigned mark(unsigned who, unsigned round, unsigned page)
{
	return who << 24 ^ round << 4 ^ page ^ 0x5a000000;
}

static void fill(unsigned who, unsigned round)
{
	for (unsigned p = 0; p < PAGES; p++)
		memory[p * WORDS] = memory[p * WORDS + WORDS - 1] = mark(who, round, p);
}

static void check(unsigned who, unsigned round)
{
	for (unsigned p = 0; p < PAGES; p++)
		tally.wrong += (memory[p * WORDS] != mark(who, round, p)) +
			       (memory[p * WORDS + WORDS - 1] != mark(who, round, p));
}

static void must(int failed, const char *what)
{
	tally.calls++;
	if (!failed)
		return;
	complain("storm", what);
	exit(1);
}

static void map(int fixed)
{
	void *at = mmap(memory, PAGES * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);

	must(at == MAP_FAILED, "mmap");
	memory = at;
}

/* What lacks is put there, and the instruction that missed it tries again. */
static void fault(int sig)
{
	(void)sig;
	faults++;
	if (lacking == RIGHTS)
		must(mprotect(memory, PAGES * PAGE, PROT_READ | PROT_WRITE), "mprotect");
	else if (lacking == PAGES_THERE)
		map(MAP_FIXED);
	else
		_exit(1);
	lacking = NOTHING;
}

/* A write that must fault, and then be made. */
static void write_without_right(unsigned who, unsigned round)
{
	must(mprotect(memory, PAGES * PAGE, PROT_READ), "mprotect");
	sched_yield();
	check(who, round);
	faults = 0;
	lacking = RIGHTS;
	fill(who, round + 1);
	tally.missing += faults != 1;
}

/* A read that must fault, and then find an empty page. */
static void read_what_is_gone(void)
{
	must(munmap(memory, PAGES * PAGE), "munmap");
	sched_yield();
	faults = 0;
	lacking = PAGES_THERE;
	for (unsigned p = 0; p < PAGES; p++)
		tally.wrong += *(volatile unsigned *)&memory[p * WORDS] != 0;
	tally.missing += faults != 1;
}

static void report(int fd)
{
	if (write(fd, &tally, sizeof(tally)) != sizeof(tally))
		exit(1);
}

static void inherit(unsigned who, unsigned round, int fd)
{
	tally = (struct tally){ 0 };
	check(who, round);
	sched_yield();
	fill(who + 100, round);
	sched_yield();
	check(who + 100, round);
	report(fd);
	exit(0);
}

static void live(unsigned who, unsigned rounds, int fd)
{
	map(0);
	for (unsigned round = 0; round < rounds; round++) {
		pid_t child = 0;

		fill(who, round);
		sched_yield();
		check(who, round);
		if (round % FORKS == 0)
			child = fork();
		if (round % FORKS == 0 && child == 0)
			inherit(who, round, fd);
		write_without_right(who, round);
		sched_yield();
		check(who, round + 1);
		if (child > 0)
			waitpid(child, NULL, 0);
		read_what_is_gone();
	}
	report(fd);
	exit(0);
}

int main(int argc, char **argv)
{
	struct tally all = { 0 }, one;
	unsigned processes, rounds, died = 0;
	int fd[2], status;

	if (argc != 3)
		usage(text);
	processes = number_arg(argv[1], 1, 100, text);
	rounds = number_arg(argv[2], 1, 100000, text);
	if (pipe(fd) < 0) {
		complain("storm", "pipe");
		return 1;
	}
	signal(SIGSEGV, fault);
	for (unsigned i = 0; i < processes; i++)
		if (fork() == 0)
			live(i, rounds, fd[1]);
	close(fd[1]);
	while (read(fd[0], &one, sizeof(one)) == sizeof(one)) {
		all.calls += one.calls;
		all.wrong += one.wrong;
		all.missing += one.missing;
	}
	for (unsigned i = 0; i < processes; i++)
		died += wait(&status) < 0 || status != 0;
	printf("storm: %u processes, %u calls, %u words wrong, %u faults missing, %u died\n",
	       processes, all.calls, all.wrong, all.missing, died);
	return all.wrong || all.missing || died;
}
