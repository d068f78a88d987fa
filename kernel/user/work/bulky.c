/*
 * bulky.c - a program of which a run uses only a part.
 *
 * It has 32 pages of constants, which are to the kernel what code is: read-only pages of its file.
 * A run looks into USED of them, the first ones, and stays for SECONDS.  The workload of lesson 7.
 */

#include <stdio.h>

#include "args.h"

static const char text[] = "bulky USED [SECONDS]     (USED 0 to 32)";

#define PAGE  4096
#define PAGES 32

/* Each page is really looked at; yet a volatile constant would lie among what may be written. */
static long look(const volatile unsigned char *page)
{
	return page[0];
}

/* Not zeros, or they would be in no file. */
static const unsigned char bulk[PAGES][PAGE]
	__attribute__((aligned(PAGE))) = { [0 ... PAGES - 1] = { [0 ... PAGE - 1] = 1 } };

int main(int argc, char **argv)
{
	long used, found = 0;

	if (argc < 2 || argc > 3)
		usage(text);
	used = number_arg(argv[1], 0, PAGES, text);
	for (long i = 0; i < used; i++)
		found += look(bulk[i]);
	if (argc == 3)
		sleep_until(from_now(seconds_arg(argv[2], text)));
	printf("bulky: %ld of %d pages used\n", found, PAGES);
	return found != used;
}
