/*
 * stack_growth.c - the stack grows as it is used, to megabytes, and not without end.
 */

#include <sys/mman.h>

#include "guest.h"

/* Goes `left` kilobytes deep, writes there, and sums what it wrote on the way back. */
static unsigned __attribute__((noinline)) descend(int left)
{
	volatile unsigned char frame[1024];
	unsigned below = 0;

	frame[0] = left;
	frame[1023] = left >> 8;
	if (left > 0)
		below = descend(left - 1);
	return below + frame[0] + frame[1023];
}

/* Reaches far below at once, as a large local array does; within the limit this is allowed. */
static unsigned __attribute__((noinline)) leap(void)
{
	volatile unsigned char frame[1024 * 1024];

	frame[0] = 1;
	frame[sizeof(frame) / 2] = 2;
	return frame[0] + frame[sizeof(frame) / 2];
}

static int deep_child(void)
{
	return descend(1000) == descend(1000) ? 0 : 1;
}

static int endless(void)
{
	volatile unsigned depth = 0x7fffffff;

	return descend(depth);
}

/* What is mapped in the stack's way stops it: it must not grow over and past it. */
static int grow_past_a_mapping(void)
{
	char here, *way = (char *)(((unsigned long)&here & ~(PAGE - 1UL)) - 1536 * PAGE);

	if (mmap(way, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != (void *)way)
		return 1;
	*(volatile char *)(way - 16 * PAGE) = 1;
	return 0;
}

int main(void)
{
	printf("64 KB: %u\n", descend(64));
	printf("1 MB: %u\n", descend(1000));
	printf("4 MB: %u\n", descend(3900));
	printf("1 MB at once: %u\n", leap());
	report_child("in a child", deep_child);
	report_child("without end", endless);
	printf("4 MB again: %u\n", descend(3900));
	report_child("grow past a mapping", grow_past_a_mapping);
	return 0;
}
