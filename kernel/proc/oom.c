/*
 * oom.c - memory is exhausted, and swap: one process dies so that the others can go on.
 *
 * The one idea: whoever asks for the last frame is rarely the one who took the rest; the biggest
 * is. Never init, on whom all others depend, and never the kernel's own tasks.
 */

#include "cpu/pda.h"
#include "cpu/timer.h"
#include "lib/printf.h"
#include "mm/space.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sched/sched.h"

/* Who waits for a victim to give its memory back sleeps here; proc_exit() wakes. */
struct waitq oom_wait = WAITQ_INIT(oom_wait);

/* The monitor, too, asks for memory, and init: they wait until the victim is gone. */
static bool may_die(const struct task *t)
{
	return t->space && t->pid != PID_INIT;
}

/* In pages, wherever they are, with those of its tables: a sparse process is mostly tables. */
static uint32_t size(const struct task *t)
{
	const struct space *s = t->space;

	return s->rss + s->swapped + s->tables + s->tables_swapped;
}

/*
 * The biggest process, of equals the one with the highest pid: of a fork bomb the children die
 * and its first process learns from fork() that there is no memory.  Or one that was chosen before
 * and is not yet dead; NULL: none.
 */
static struct task *find_victim(void)
{
	struct task *t, *biggest = NULL;

	list_for_each_entry (t, &task_list, all) {
		if (t->oom_killed && t->state != TASK_ZOMBIE)
			return t;
		if (!may_die(t))
			continue;
		if (!biggest || size(t) >= size(biggest))
			biggest = t;
	}
	return biggest;
}

static void kill(struct task *t)
{
	kprintf("out of memory: killed %s[%u], %u KB, the biggest process\n", t->name, t->pid,
		size(t) * (PAGE_SIZE / 1024));
	t->oom_killed = true;
	signal_send(t, SIGKILL);
	wake_task(t, true);
	sched_first(t);
}

/*
 * A victim may be waiting for something that the running task holds, or have many tables to read
 * from the disk after it has given back its pages: so wait for a second at most.
 */
static bool died(void)
{
	return sleep_on_limit(&oom_wait, timer_hz) == 0;
}

bool oom_kill(void)
{
	struct task *victim = find_victim();

	if (!victim)
		return false;
	if (!victim->oom_killed)
		kill(victim);
	if (victim == current || died() || frames_spare(1))
		return true;
	if (may_die(current) && !current->oom_killed)
		kill(current);
	return true;
}
