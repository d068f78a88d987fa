/*
 * list.h - doubly linked lists that live inside what they link.
 *
 * A list is a ring through a head; an entry not on a list points to itself, so
 * removing it twice is harmless.
 */
#pragma once

#include "lib/types.h"

struct list {
	struct list *next, *prev;
};

#define LIST_INIT(l)       \
	{                  \
		&(l), &(l) \
	}

static inline void list_init(struct list *l)
{
	l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
	return l->next == l;
}

/* Put `e` behind `at`; behind the head is the front. */
static inline void list_add(struct list *e, struct list *at)
{
	struct list *next = at->next;

	e->next = next;
	e->prev = at;
	next->prev = e;
	at->next = e;
}

static inline void list_add_tail(struct list *e, struct list *head)
{
	list_add(e, head->prev);
}

static inline void list_del(struct list *e)
{
	struct list *next = e->next, *prev = e->prev;

	next->prev = prev;
	prev->next = next;
	list_init(e);
}

/* Take `e` off where it is and put it at the tail: what every LRU list does all the time. */
static inline void list_move_tail(struct list *e, struct list *head)
{
	struct list *next = e->next, *prev = e->prev;

	next->prev = prev;
	prev->next = next;
	prev = head->prev;
	e->next = head;
	e->prev = prev;
	prev->next = e;
	head->prev = e;
}

#define list_entry(l, T, m)    container_of(l, T, m)
#define list_first(head, T, m) list_entry((head)->next, T, m)
#define list_last(head, T, m)  list_entry((head)->prev, T, m)
#define list_for_each_entry(e, head, m)                            \
	for (e = list_first(head, typeof(*e), m); &e->m != (head); \
	     e = list_entry(e->m.next, typeof(*e), m))
#define list_for_each_entry_safe(e, n, head, m)                                             \
	for (e = list_first(head, typeof(*e), m), n = list_entry(e->m.next, typeof(*e), m); \
	     &e->m != (head); e = n, n = list_entry(n->m.next, typeof(*n), m))
