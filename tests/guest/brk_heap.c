/*
 * brk_heap.c - the heap grows, shrinks, starts at zero; and malloc over it.
 */

#include "guest.h"

static unsigned seed = 1;

static unsigned random_number(void)
{
	seed = seed * 1103515245 + 12345;
	return seed >> 8;
}

static void test_malloc(void)
{
	static struct {
		unsigned char *p;
		unsigned n, mark;
	} pieces[100];
	int wrong = 0;

	for (int round = 0; round < 3000; round++) {
		int i = random_number() % 100;

		for (unsigned j = 0; pieces[i].p && j < pieces[i].n; j++)
			wrong += pieces[i].p[j] != pieces[i].mark;
		if (pieces[i].p && random_number() % 3 == 0) {
			unsigned n = 1 + random_number() % 3000, kept;

			kept = n < pieces[i].n ? n : pieces[i].n;
			pieces[i].p = realloc(pieces[i].p, n);
			for (unsigned j = 0; j < kept; j++)
				wrong += pieces[i].p[j] != pieces[i].mark;
			pieces[i].n = n;
		} else {
			free(pieces[i].p);
			pieces[i].n = 1 + random_number() % 2000;
			pieces[i].p = malloc(pieces[i].n);
			wrong += (unsigned long)pieces[i].p % 8 != 0;
		}
		pieces[i].mark = random_number() & 255;
		memset(pieces[i].p, pieces[i].mark, pieces[i].n);
	}
	printf("malloc: %d wrong bytes\n", wrong);
	for (int i = 0; i < 100; i++)
		free(pieces[i].p);
	yes("too much is refused", malloc(0x7fffffff) == NULL);
}

int main(void)
{
	char *start = sbrk(0), *p;
	int zero = 1;

	p = sbrk(10 * PAGE);
	yes("grows from where it was", p == start);
	yes("by what was asked", (char *)sbrk(0) == start + 10 * PAGE);
	for (int i = 0; i < 10 * PAGE; i++)
		zero &= p[i] == 0;
	yes("new memory is zero", zero);
	memset(p, 0xaa, 10 * PAGE);
	answer("shrink", brk(start + PAGE) == 0 ? 0 : -1);
	yes("the first page stays", (unsigned char)p[PAGE - 1] == 0xaa);
	answer("grow again", brk(start + 10 * PAGE) == 0 ? 0 : -1);
	zero = 1;
	for (int i = PAGE; i < 10 * PAGE; i++)
		zero &= p[i] == 0;
	yes("what was given up comes back zero", zero);
	answer("odd sizes", brk(start + 12345) == 0 ? 0 : -1);
	start[12344] = 1;
	answer("into the kernel", brk((void *)0xfffff000));
	answer("below the program", brk((void *)0x1000));
	yes("the break has not moved", (char *)sbrk(0) == start + 12345);
	test_malloc();
	return 0;
}
