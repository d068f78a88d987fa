/*
 * wait.h - sleep and wake.
 *
 * There is no lost wake-up to think about: the kernel lock is held from the look at the
 * condition until the sleeper has left its CPU.  A woken task must look again:
 *
 *	while (!condition)
 *		sleep_on(&queue);
 */
#pragma once

#include "lib/list.h"
#include "lib/types.h"

struct waitq {
	struct list waiters;
};

struct waiter {
	struct list link;
};

#define WAITQ_INIT(w)                  \
	{                              \
		LIST_INIT((w).waiters) \
	}

static inline void waitq_init(struct waitq *w)
{
	list_init(&w->waiters);
}

/* Sleep until woken.  Task context. */
void sleep_on(struct waitq *w);

/* The same, but a signal wakes too: -EINTR when one is pending (also on entry, without sleeping).
 */
int sleep_on_interruptible(struct waitq *w);

/*
 * The same with a limit in ticks: -EAGAIN when it passed.  `w` may be NULL: only the limit
 * and signals end it.
 */
int sleep_on_timeout(struct waitq *w, uint32_t ticks);

/*
 * The same for who must not be interrupted, as in a wait on hardware: signals do not end it.  0:
 * woken; -EAGAIN: the limit passed.
 */
int sleep_on_limit(struct waitq *w, uint32_t ticks);

/*
 * For calls that take long: interrupts, other CPUs and other tasks have their turn, without the
 * kernel lock, as in a sleep.  -EINTR when a signal is pending.
 */
int breathe(void);

/* Wake one or all sleepers.  Any context that holds the kernel lock. */
void wake_one(struct waitq *w);
void wake_all(struct waitq *w);

/* Wake those whose limit has passed.  Once a tick. */
void wake_expired(void);

struct task;

/* Wake `t` from an interruptible sleep (`always`: from any).  For signals. */
void wake_task(struct task *t, bool always);
