/*
 * sweep.c - writes to each of so many fresh pages, at a distance of STRIDE pages.
 *
 * With stride 1 it fills page tables; with stride 1024 each page needs a table of its
 * own: the same memory, at another price.
 */

#include <stdio.h>
#include <sys/mman.h>

#include "args.h"

static const char text[] = "sweep PAGES [STRIDE]     (stride in pages, 1 unless given)";

#define PAGE 4096L
#define MOST (0x7fff0000L / PAGE) /* pages one mapping can have */

int main(int argc, char **argv)
{
	long count, stride, touched = 0;
	char *region;

	if (argc < 2 || argc > 3)
		usage(text);
	count = number_arg(argv[1], 1, MOST, text);
	stride = argc == 3 ? number_arg(argv[2], 1, MOST, text) : 1;
	if (count > MOST / stride)
		usage(text);
	region = mmap(NULL, count * stride * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED) {
		complain("sweep", "memory");
		return 1;
	}
	for (; touched < count; touched++)
		region[touched * stride * PAGE] = 1;
	printf("sweep: %ld pages touched, stride %ld\n", touched, stride);
	return 0;
}
