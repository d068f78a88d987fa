/*
 * kalloc.h - small objects.
 *
 * Sizes are rounded up to a power of two from 16 to 2048 and cut from frames; a frame whose
 * objects are all free goes back at once, so that nothing looks like a leak.
 * An object of N (rounded) bytes is aligned to N.
 */
#pragma once

#include "lib/types.h"

#define KMALLOC_MAX 2048u

/* NULL when there is no memory (or size is over KMALLOC_MAX).  Does not sleep. */
void *kmalloc(size_t size);
void *kzalloc(size_t size);
void kfree(void *p); /* NULL is fine */

/* Bytes handed out now (rounded sizes), and frames they come from. */
extern uint32_t kmalloc_bytes, kmalloc_frames;
