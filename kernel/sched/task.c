/*
 * task.c - making and finding tasks.
 *
 * A kernel stack is one frame: thread_info with a magic number at its base, which a stack that
 * grows too far overwrites; the rest is filled with a pattern, so that how deep it ever was can be
 * seen.
 */
#include "sched/task.h"
#include "sched/sched.h"
#include "cpu/fpu.h"
#include "cpu/gdt.h"
#include "cpu/timer.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "mm/kalloc.h"

const char *const task_state_name[] = { "runnable", "sleeping", "zombie", NULL };

/* A mark every so many bytes: fine enough, and a sixteenth of the work of filling it all. */
#define STACK_MARK	 0xA5A5A5A5u
#define STACK_MARK_EVERY 64u

struct list task_list = LIST_INIT(task_list);
uint32_t task_count;

extern char task_first_user[], task_first_kernel[]; /* cpu/entry.S */

struct task *task_find(uint32_t pid)
{
	struct task *t;

	list_for_each_entry (t, &task_list, all)
		if (t->pid == pid)
			return t;
	return NULL;
}

/* The list ascends, so a free pid is found, and its place, in one walk. */
static bool take_pid(struct task *new)
{
	static uint32_t last = PID_INIT; /* whose number is given by proc/ alone */
	struct task *t;

	for (uint32_t tries = 0; tries < PID_MAX; tries++) {
		last = last < PID_MAX ? last + 1 : PID_INIT + 1;
		if (list_empty(&task_list) || list_last(&task_list, struct task, all)->pid < last) {
			new->pid = last;
			list_add_tail(&new->all, &task_list);
			return true;
		}
		list_for_each_entry (t, &task_list, all)
			if (t->pid >= last)
				break;
		if (t->pid == last)
			continue;
		new->pid = last;
		list_add_tail(&new->all, &t->all);
		return true;
	}
	return false;
}

static void task_init_stack(struct task *t, void *stack)
{
	t->stack = stack;
	*t->stack = (struct thread_info){ .task = t, .magic = STACK_MAGIC };
}

static void task_init(struct task *t, const char *name)
{
	str_copy(t->name, name, sizeof(t->name));
	list_init(&t->run);
	list_init(&t->all);
	list_init(&t->waiter.link);
	list_init(&t->sleepers);
	list_init(&t->children);
	list_init(&t->sibling);
	waitq_init(&t->child_exit);
	waitq_init(&t->vfork_done);
	waitq_init(&t->continued);
}

static struct task *task_alloc(const char *name)
{
	struct task *t = kzalloc(sizeof(*t));
	char *stack = t ? frame_alloc(FRAME_KERNEL) : NULL;

	if (!stack) {
		kfree(t);
		return NULL;
	}
	for (uint32_t at = 0; at < STACK_SIZE; at += STACK_MARK_EVERY)
		*(uint32_t *)(stack + at) = STACK_MARK;
	task_init(t, name);
	task_init_stack(t, stack);
	return t;
}

int task_new(const char *name, struct task **out)
{
	struct task *t;

	if (task_count >= TASKS_MAX)
		return -EAGAIN;
	t = task_alloc(name);
	if (!t)
		return -ENOMEM;
	if (!take_pid(t)) {
		frame_put(t->stack);
		kfree(t);
		return -EAGAIN;
	}
	t->start_tick = timer_ticks;
	task_count++;
	*out = t;
	return 0;
}

void task_free(struct task *t)
{
	assert(!t->on_cpu && t->stack->magic == STACK_MAGIC);
	list_del(&t->all);
	task_count--;
	fpu_drop(t);
	frame_put(t->stack);
	kfree(t);
}

/* What switch_stack() will pop: edi, esi, ebx, ebp, and where to go. */
static void set_first_return(struct task *t, char *entry, void *fn, void *arg)
{
	uint32_t *sp = (uint32_t *)task_frame(t);

	*--sp = (uint32_t)entry;
	*--sp = 0; /* ebp: the end of every backtrace */
	*--sp = (uint32_t)fn;
	*--sp = (uint32_t)arg;
	*--sp = 0;
	t->esp = (uint32_t)sp;
}

void task_start_kernel(struct task *t, void (*fn)(void *arg), void *arg)
{
	set_first_return(t, task_first_kernel, fn, arg);
}

void task_start_user(struct task *t)
{
	set_first_return(t, task_first_user, NULL, NULL);
}

uint32_t task_stack_used(const struct task *t)
{
	const char *base = (const char *)t->stack;
	uint32_t at = STACK_MARK_EVERY; /* the first one is thread_info's */

	while (at < STACK_SIZE && *(const uint32_t *)(base + at) == STACK_MARK)
		at += STACK_MARK_EVERY;
	return STACK_SIZE - at;
}

/* It is the first to run on its CPU: no switch will have led to it. */
static void make_idle(struct task *t, struct pda *pda, uint32_t cpu)
{
	t->idle = t->on_cpu = true;
	t->cpu = t->stack->cpu = cpu;
	t->stack->pda = pda;
}

struct task *idle_task_new(struct pda *pda, uint32_t cpu)
{
	struct task *t = task_alloc("idle");

	if (t)
		make_idle(t, pda, cpu);
	return t;
}

void idle_task_init(struct task *t, void *stack, struct pda *pda)
{
	task_init(t, "idle");
	task_init_stack(t, stack);
	make_idle(t, pda, 0);
}
