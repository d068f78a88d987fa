/*
 * hotcold.c - pages in use all the time, while fresh ones push into memory.
 *
 * Each of N processes does nothing but use its HOT pages, over and over.  The program itself writes
 * to COLD fresh pages, each one once; they are never wanted again.  So whatever comes back from
 * the disk meanwhile should not have gone there.  The workload of lesson 6.
 *
 * The N leave the kernel alone: no call, only interrupts.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "hotcold N HOT COLD     (N 0 to 100)";

#define PAGE 4096

static void fail(const char *what)
{
	complain("hotcold", what);
	exit(1);
}

static unsigned char *take_pages(long count)
{
	unsigned char *pages = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		fail("memory");
	return pages;
}

/*
 * An emulator may let its processors take turns: who never says PAUSE keeps the others from running
 * at all.
 */
static void let_others_run(void)
{
	asm volatile("pause");
}

static void use(volatile unsigned char *hot, long count)
{
	for (long i = 0; i < count; i++)
		hot[i * PAGE]++;
	let_others_run();
}

int main(int argc, char **argv)
{
	static pid_t pids[100];
	long n, hot, cold, found = 0;
	volatile unsigned char *pages, *own;

	if (argc != 4)
		usage(text);
	n = number_arg(argv[1], 0, 100, text);
	hot = number_arg(argv[2], 1, 16384, text);
	cold = number_arg(argv[3], 1, 16384, text);
	for (long i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			fail("fork");
		for (pages = take_pages(hot); pids[i] == 0;)
			use(pages, hot);
	}
	pages = take_pages(cold);
	own = take_pages(hot);
	for (long i = 0; i < cold; i++) {
		found += pages[i * PAGE];
		use(own, hot);
	}
	for (long i = 0; i < n; i++)
		kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	printf("hotcold: %ld processes use %ld pages each, %ld fresh ones\n", n, hot, cold);
	return found != 0;
}
