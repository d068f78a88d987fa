/*
 * sched.h - who runs next.
 *
 * Round robin: one queue for all CPUs, a slice of sched.slice ticks.  Kernel code is never
 * pre-empted; a task loses its CPU on the way back to user mode.
 *
 * Tunables: sched.hz, sched.slice.
 */
#pragma once

#include "lib/types.h"
#include "sched/task.h"

extern int sched_slice; /* ticks */

/* Give the CPU to the next task; comes back when this one is chosen again.  Kernel lock held. */
void schedule(void);

/* Let others run first. */
void yield(void);

/* Put a runnable task on the queue and find it a CPU. */
void sched_ready(struct task *t);

/*
 * The same for a new child: next in line, and here its parent makes way.  It most likely calls exec
 * at once: then its parent's pages never need the copies that the parent's own writes would make.
 */
void sched_ready_child(struct task *t);

/* If `t` waits for a CPU, it is next in line now. */
void sched_first(struct task *t);

/* A tick on this CPU; `user`: it interrupted user mode.  Kernel lock held. */
void sched_tick(bool user);

/* Become this CPU's idle task; never returns. */
void idle_loop(void) noreturn;

/* Make the running boot code, on boot_stack, the idle task of CPU 0. */
void sched_init(void);

/* Make `t` (zeroed) the idle task of CPU 0 on `stack`, which is in use already. */
void idle_task_init(struct task *t, void *stack, struct pda *pda);

/* An idle task for another CPU, number `cpu`, with a stack; NULL: no memory. */
struct task *idle_task_new(struct pda *pda, uint32_t cpu);

/* Runnable tasks waiting for a CPU. */
extern uint32_t run_queue_length;
