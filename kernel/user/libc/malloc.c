/*
 * malloc.c - a heap over the program break.
 *
 * Free pieces form one list in the order of their addresses.  malloc() takes the
 * first that fits and cuts off what it does not need; free() puts a piece back and
 * joins it with its neighbours.  Memory is asked of the kernel by whole pages, and
 * touched only where it is handed out.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096

/* In front of every piece, handed out or free.  Sizes are in these units, header included. */
struct piece {
	struct piece *next; /* when free: the next one up */
	size_t units;
};

static struct piece *free_list;

/* Gets at least `units` more from the kernel into the free list. */
static int grow(size_t units)
{
	size_t bytes = (units * sizeof(struct piece) + PAGE - 1) & ~(size_t)(PAGE - 1);
	size_t odd = (size_t)sbrk(0) % sizeof(struct piece); /* someone else moved the break */
	struct piece *p;

	if (odd)
		sbrk(sizeof(struct piece) - odd);
	p = sbrk(bytes);
	if (p == (void *)-1)
		return -1;
	p->units = bytes / sizeof(struct piece);
	free(p + 1);
	return 0;
}

/* NULL and ENOMEM when there is no memory; never NULL for size 0. */
void *malloc(size_t size)
{
	size_t units = size / sizeof(struct piece) + 2;

	if (size > INT_MAX - PAGE) {
		errno = ENOMEM;
		return NULL;
	}
	do {
		for (struct piece **at = &free_list; *at; at = &(*at)->next) {
			struct piece *p = *at;

			if (p->units < units)
				continue;
			if (p->units > units + 1) {
				struct piece *rest = p + units;

				rest->units = p->units - units;
				rest->next = p->next;
				p->units = units;
				*at = rest;
			} else {
				*at = p->next;
			}
			return p + 1;
		}
	} while (grow(units) == 0);
	return NULL;
}

/* Joins `p` with its successor in the list when they touch. */
static void join(struct piece *p)
{
	struct piece *next = p->next;

	if (next && p + p->units == next) {
		p->units += next->units;
		p->next = next->next;
	}
}

void free(void *memory)
{
	struct piece *p = (struct piece *)memory - 1, *before = NULL;

	if (!memory)
		return;
	for (struct piece *q = free_list; q && q < p; q = q->next)
		before = q;
	p->next = before ? before->next : free_list;
	join(p);
	if (before) {
		before->next = p;
		join(before);
	} else {
		free_list = p;
	}
}

void *calloc(size_t count, size_t size)
{
	void *p;

	if (size && count > INT_MAX / size) {
		errno = ENOMEM;
		return NULL;
	}
	p = malloc(count * size);
	if (p)
		memset(p, 0, count * size);
	return p;
}

void *realloc(void *old, size_t size)
{
	size_t had = old ? (((struct piece *)old - 1)->units - 1) * sizeof(struct piece) : 0;
	void *new;

	if (old && size <= had)
		return old;
	new = malloc(size);
	if (new &&old) {
		memcpy(new, old, had);
		free(old);
	}
	return new;
}
