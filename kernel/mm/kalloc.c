/*
 * kalloc.c - small objects.
 *
 * A free list for each power of two from 16 to 2048.  The frame an object lies in remembers its
 * size class (`order`) and counts the objects in use (`refs`): at none, all of the frame's objects
 * leave the list and the frame goes back.  The list is doubly linked for that.
 */
#include "mm/kalloc.h"
#include "lib/list.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "mm/frame.h"

#define ORDER_MIN 4
#define ORDER_MAX 11

static struct list free_objects[ORDER_MAX + 1];

uint32_t kmalloc_bytes, kmalloc_frames;

static uint32_t order_of(size_t size)
{
	uint32_t order = ORDER_MIN;

	while ((1u << order) < size)
		order++;
	return order;
}

/* The head of a class, made on first use: there is nothing to initialise before kmalloc works. */
static struct list *class_of(uint32_t order)
{
	struct list *head = &free_objects[order];

	if (unlikely(!head->next))
		list_init(head);
	return head;
}

static bool add_frame(uint32_t order)
{
	char *page = frame_alloc(FRAME_KERNEL);
	struct list *head = class_of(order);

	if (!page)
		return false;
	frame_of(page)->order = order;
	frame_of(page)->refs = 0;
	for (uint32_t at = PAGE_SIZE; at;) {
		at -= 1u << order;
		list_add((struct list *)(page + at), head);
	}
	kmalloc_frames++;
	return true;
}

static void remove_frame(char *page, uint32_t order)
{
	for (uint32_t at = 0; at < PAGE_SIZE; at += 1u << order)
		list_del((struct list *)(page + at));
	kmalloc_frames--;
	frame_of(page)->refs = 1;
	frame_put(page);
}

void *kmalloc(size_t size)
{
	uint32_t order;
	struct list *head, *object;

	if (size > KMALLOC_MAX)
		return NULL;
	order = order_of(size);
	head = class_of(order);
	if (list_empty(head) && !add_frame(order))
		return NULL;
	object = head->next;
	list_del(object);
	frame_of(object)->refs++;
	kmalloc_bytes += 1u << order;
	return object;
}

void *kzalloc(size_t size)
{
	void *p = kmalloc(size);

	return p ? memset(p, 0, size) : NULL;
}

void kfree(void *p)
{
	struct frame *f;

	if (!p)
		return;
	f = frame_of(p);
	assert(f->kind == FRAME_KERNEL && f->order >= ORDER_MIN && f->refs);
	kmalloc_bytes -= 1u << f->order;
	list_add(p, class_of(f->order));
	if (--f->refs == 0)
		remove_frame((char *)ALIGN_DOWN((uint32_t)p, PAGE_SIZE), f->order);
}
