/*
 * conflict.c - reads PAGES pages that compete for one set of a TLB, round and round.
 *
 * A TLB of 8 sets finds a page by bits 14-12 of its address, so pages 32 KB apart
 * compete.  As many as a set has ways live together; one more, and with a policy
 * that throws out the oldest each reading misses.  The set is one that neither our
 * code nor our stack is in.
 */

#include <stdio.h>
#include <sys/mman.h>

#include "args.h"

static const char text[] = "conflict PAGES ROUNDS     (PAGES 1 to 1000)";

#define PAGE 4096
#define SETS 8
#define SET  4

int main(int argc, char **argv)
{
	long pages, rounds, sum = 0;
	char *region;

	if (argc != 3)
		usage(text);
	pages = number_arg(argv[1], 1, 1000, text);
	rounds = number_arg(argv[2], 0, 100000000, text);
	region = mmap(NULL, (pages + 1) * SETS * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED) {
		complain("conflict", "memory");
		return 1;
	}
	while (((unsigned long)region / PAGE) % SETS != SET)
		region += PAGE;
	for (long i = 0; i < pages; i++)
		region[i * SETS * PAGE] = 1;
	for (long round = 0; round < rounds; round++)
		for (long i = 0; i < pages; i++)
			sum += *(volatile char *)&region[i * SETS * PAGE];
	printf("conflict: %ld readings of %ld pages\n", sum, pages);
	return 0;
}
