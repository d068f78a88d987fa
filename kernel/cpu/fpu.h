/*
 * fpu.h - floating-point state belongs to its task.
 *
 * Lazy: a task that touches the FPU traps once a time slice (#NM, CR0.TS), and gets its state
 * loaded.  At a switch away from a task that did, its state is saved: so a task can
 * move between CPUs and never leaves state behind.
 */
#pragma once

#include "lib/types.h"

struct task;

void fpu_init(void); /* every CPU */

/* #NM from user mode.  0, or -ENOMEM when there is no memory for the state. */
int fpu_use(void);

/* At a switch away from `t`. */
void fpu_switch_out(struct task *t);

/* fork: give `child` a copy of the current task's state.  0 or -ENOMEM. */
int fpu_fork(struct task *child);

/* exec and exit: forget `t`'s state. */
void fpu_drop(struct task *t);

/*
 * A signal handler starts without a state; what was there waits on the user's stack.
 * fpu_take(): the state of the running task leaves it; fpu_state_size() bytes for the caller to
 * kfree(), NULL if it had none.  fpu_give(): it has `state` now, from kmalloc(), which may hold
 * anything.
 */
void *fpu_take(void);
void fpu_give(void *state);
uint32_t fpu_state_size(void);
