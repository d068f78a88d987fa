/*
 * lock.h - the one kernel lock.
 *
 * Taken at every entry from user mode and from the halt of the idle task, given back at the
 * way out and before a halt; a task switch hands it to the next task.  Interrupts are off while it
 * is held.  Simple to be right with; what it costs on several CPUs is lesson 12's subject.
 */
#pragma once

#include "cpu/x86.h"
#include "lib/types.h"

extern volatile uint32_t kernel_lock_word;

void kernel_lock_slow(void);

static inline void kernel_lock(void)
{
	if (unlikely(xchg32(&kernel_lock_word, 1)))
		kernel_lock_slow();
}

static inline void kernel_unlock(void)
{
	asm volatile("" : : : "memory");
	kernel_lock_word = 0;
}
