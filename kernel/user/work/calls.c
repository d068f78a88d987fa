/*
 * calls.c - a fixed amount of ordinary work: calls, loads and stores.
 *
 * Towers of Hanoi, with the pegs in memory: recursion, small functions, array elements read
 * and written, no string instructions and no system calls.  What it costs in real time says what
 * watching it costs (make bench-plugin); in instructions it is always the same.
 */

#include <stdio.h>

#include "args.h"

static const char text[] = "calls DISCS [TIMES]     (2^DISCS moves each time; DISCS 1 to 24)";

#define MOST 24

static struct peg {
	unsigned char disc[MOST];
	unsigned char height;
} peg[3];

static unsigned moves;

static __attribute__((noinline)) void move(struct peg *from, struct peg *to)
{
	to->disc[to->height++] = from->disc[--from->height];
	moves++;
}

static __attribute__((noinline)) void carry(int n, struct peg *from, struct peg *to,
					    struct peg *other)
{
	if (n > 1)
		carry(n - 1, from, other, to);
	move(from, to);
	if (n > 1)
		carry(n - 1, other, to, from);
}

int main(int argc, char **argv)
{
	long n, times = 1;

	if (argc < 2 || argc > 3)
		usage(text);
	n = number_arg(argv[1], 1, MOST, text);
	if (argc == 3)
		times = number_arg(argv[2], 1, 1000000, text);
	for (; times; times--) {
		peg[0].height = peg[1].height = peg[2].height = 0;
		for (long i = n; i; i--)
			peg[0].disc[peg[0].height++] = i;
		carry(n, &peg[0], &peg[1], &peg[2]);
	}
	printf("calls: %u moves, %u discs arrived\n", moves, peg[1].height);
	return 0;
}
