/*
 * sched.c - who runs next.
 *
 * One queue, first in, first out; a task that used up its slice goes to the end.  Every CPU takes
 * from the same queue, under the kernel lock.  When there is nothing, the CPU's idle task halts.
 *
 * The switch itself is two steps: the space (mm/space.c decides whether that costs a CR3 load) and
 * the stack.  What must not happen while still on the old stack comes after, in
 * drop_what_was_left().
 *
 * Tunable: sched.slice.  Lesson 2.
 */
#include "sched/sched.h"
#include "cpu/fpu.h"
#include "cpu/pda.h"
#include "cpu/smp.h"
#include "cpu/x86.h"
#include "lib/panic.h"
#include "mm/space.h"
#include "sched/lock.h"
#include "telemetry.h"

int sched_slice = 5;
uint32_t run_queue_length;

static struct list run_queue = LIST_INIT(run_queue);
static struct task boot_idle;

extern char boot_stack[];
void switch_stack(struct task *prev, struct task *next);
void schedule_tail(void);

void sched_init(void)
{
	idle_task_init(&boot_idle, boot_stack, &boot_pda);
	boot_pda.idle = boot_pda.task = &boot_idle;
}

static void enqueue(struct task *t)
{
	list_add_tail(&t->run, &run_queue);
	run_queue_length++;
}

static struct task *dequeue(void)
{
	struct task *t;

	if (list_empty(&run_queue))
		return pda_read(idle);
	t = list_first(&run_queue, struct task, run);
	list_del(&t->run);
	run_queue_length--;
	return t;
}

/* There is work: tell a CPU that idles and was not told yet, this one before others. */
static void find_cpu(void)
{
	if (pda_read(task)->idle) {
		pda_write(need_resched, 1);
		return;
	}
	for (uint32_t i = 0; i < cpu_count; i++) {
		struct pda *other = pda_of[i];

		if (other->task->idle && !other->need_resched) {
			other->need_resched = 1;
			smp_kick(i);
			return;
		}
	}
}

void sched_ready(struct task *t)
{
	t->state = TASK_RUNNABLE;
	enqueue(t);
	find_cpu();
}

void sched_first(struct task *t)
{
	if (list_empty(&t->run))
		return;
	list_del(&t->run);
	list_add(&t->run, &run_queue);
}

void sched_ready_child(struct task *t)
{
	t->state = TASK_RUNNABLE;
	list_add(&t->run, &run_queue);
	run_queue_length++;
	pda_write(need_resched, 1);
}

/* On the new stack: nothing of the old task is in use any more. */
static always_inline void drop_what_was_left(void)
{
	struct space *left = pda_read(left);
	struct task *dead = pda_read(dead);

	if (dead) {
		pda_write(dead, NULL);
		task_free(dead);
	}
	if (left) {
		pda_write(left, NULL);
		space_put(left);
	}
}

/* The same for a task that never ran, from entry.S. */
void schedule_tail(void)
{
	drop_what_was_left();
}

static inline void look_through_window(const struct pda *pda, const struct task *next)
{
	if (next->segments.key != pda->segments)
		gdt_set_segments(&next->segments, next->space->limit);
}

static void switch_to(struct task *prev, struct task *next)
{
	struct pda *pda = this_pda();

	if (unlikely(prev->fpu_live))
		fpu_switch_out(prev);
	pda->stats->switches++;
	pda->left = space_switch(next->space, prev->pid, next->pid);
	if (next->space)
		look_through_window(pda, next);
	pda_follow(pda, next->stack, &prev->user_gs, next->user_gs);
	pda->tss.esp0 = (uint32_t)next->stack + STACK_SIZE;
	pda->task = next;
	prev->on_cpu = false;
	next->on_cpu = true;
	next->cpu = pda->cpu;
	next->switches++;
	if (prev->reap)
		pda->dead = prev;
	switch_stack(prev, next); /* comes back when somebody switches to `prev` again: */
	drop_what_was_left();	  /* what that one left, not what we did */
}

void schedule(void)
{
	struct task *prev = pda_read(task), *next;

	assert(prev->stack->magic == STACK_MAGIC);
	pda_write(need_resched, 0);
	if (prev->state == TASK_RUNNABLE && !prev->idle)
		enqueue(prev);
	next = dequeue();
	pda_write(slice, sched_slice);
	if (next != prev)
		switch_to(prev, next);
}

void yield(void)
{
	schedule();
}

void sched_tick(bool user)
{
	struct task *t = current;
	struct pda *pda = this_pda();

	pda->stats->ticks++;
	if (t->idle)
		pda->stats->ticks_idle++;
	if (user)
		t->ticks_user++;
	else
		t->ticks_kernel++;
	if (pda->cpu == 0)
		wake_expired();
	if (!t->idle && (pda->slice <= 1 || --pda->slice == 0) && run_queue_length)
		pda->need_resched = 1;
}

void idle_loop(void)
{
	for (;;) {
		if (run_queue_length) {
			schedule();
			continue;
		}
		pda_write(need_resched, 0);
		kernel_unlock();
		sti_hlt();
		cli();
		kernel_lock();
	}
}
