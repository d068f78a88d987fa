/*
 * wait.c - sleep and wake.
 *
 * A sleeper is on at most two lists: a wait queue, and the list of sleeps that end by themselves.
 * Whatever wakes it takes it off both.
 */
#include "sched/wait.h"
#include "cpu/pda.h"
#include "cpu/timer.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "proc/proc.h"
#include "sched/lock.h"
#include "sched/sched.h"

static struct list sleepers = LIST_INIT(sleepers); /* ascending wake_tick */

static void wake(struct task *t)
{
	list_del(&t->waiter.link);
	if (unlikely(!list_empty(&t->sleepers)))
		list_del(&t->sleepers);
	sched_ready(t);
}

static void sleep(struct waitq *w, bool interruptible)
{
	struct task *t = current;

	t->state = TASK_SLEEPING;
	t->interruptible = interruptible;
	if (w)
		list_add_tail(&t->waiter.link, &w->waiters);
	schedule();
}

void sleep_on(struct waitq *w)
{
	sleep(w, false);
}

int sleep_on_interruptible(struct waitq *w)
{
	if (signal_pending(current))
		return -EINTR;
	sleep(w, true);
	return signal_pending(current) ? -EINTR : 0;
}

/* Ticks wrap around; their differences do not. */
static bool tick_reached(uint32_t tick)
{
	return (int32_t)(timer_ticks - tick) >= 0;
}

/* 0: woken or interrupted; -EAGAIN: the limit passed. */
static int sleep_limited(struct waitq *w, uint32_t ticks, bool interruptible)
{
	struct task *t = current, *other;
	struct list *place = &sleepers;

	t->wake_tick = timer_ticks + ticks;
	if (tick_reached(t->wake_tick))
		return -EAGAIN;
	list_for_each_entry (other, &sleepers, sleepers) {
		if ((int32_t)(other->wake_tick - t->wake_tick) > 0) {
			place = &other->sleepers;
			break;
		}
	}
	list_add_tail(&t->sleepers, place);
	sleep(w, interruptible);
	return tick_reached(t->wake_tick) ? -EAGAIN : 0;
}

int sleep_on_timeout(struct waitq *w, uint32_t ticks)
{
	int error;

	if (signal_pending(current))
		return -EINTR;
	error = sleep_limited(w, ticks, true);
	return signal_pending(current) ? -EINTR : error;
}

int sleep_on_limit(struct waitq *w, uint32_t ticks)
{
	return sleep_limited(w, ticks, false);
}

int breathe(void)
{
	kernel_unlock();
	let_interrupts_in();
	kernel_lock();
	if (pda_read(need_resched))
		schedule();
	return signal_pending(current) ? -EINTR : 0;
}

void wake_expired(void)
{
	while (!list_empty(&sleepers)) {
		struct task *t = list_first(&sleepers, struct task, sleepers);

		if (!tick_reached(t->wake_tick))
			return;
		wake(t);
	}
}

static struct task *first_waiter(struct waitq *w)
{
	return list_entry(w->waiters.next, struct task, waiter.link);
}

void wake_one(struct waitq *w)
{
	if (!list_empty(&w->waiters))
		wake(first_waiter(w));
}

void wake_all(struct waitq *w)
{
	while (!list_empty(&w->waiters))
		wake(first_waiter(w));
}

void wake_task(struct task *t, bool always)
{
	if (t->state == TASK_SLEEPING && (always || t->interruptible))
		wake(t);
}
