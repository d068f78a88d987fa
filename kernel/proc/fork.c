/*
 * fork.c - one process becomes two.
 *
 * The one idea: everything is copied or shared by reference, and the child's registers are the
 * parent's but for the result, so that both return from the same call.  vfork copies no memory: the
 * child borrows the parent's space, and the parent sleeps until the child has one of its own or is
 * dead.
 */

#include "cpu/fpu.h"
#include "cpu/pda.h"
#include "cpu/trap.h"
#include "fs/file.h"
#include "lib/errno.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "proc/family.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sched/sched.h"

/* fork() leaves so many tasks to whoever sits at the monitor. */
#define TASKS_SPARE 8u

static int copy_space(struct task *child, uint32_t flags)
{
	struct space *s = current->space;

	int err;

	if (!(flags & PROC_VFORK)) {
		err = space_fork(s, &child->space);
		if (!err)
			child->space->pid = child->pid;
		return err;
	}
	space_use(s);
	child->space = s;
	child->vforked = true;
	return 0;
}

/* Undo a fork that failed half-way. */
static void discard(struct task *child)
{
	if (child->space)
		space_unuse(child->space);
	child->space = NULL;
	if (child->files)
		files_free(child->files);
	kfree(child->sig);
	fpu_drop(child);
	if (child->cwd)
		inode_put(child->cwd);
	task_free(child);
}

static int copy_all(struct task *child, uint32_t flags)
{
	struct task *t = current;
	int err;

	child->pgid = t->pgid;
	child->sid = t->sid;
	child->umask = t->umask;
	child->cwd = inode_ref(t->cwd);
	child->files = files_fork(t->files);
	if (!child->files)
		return -ENOMEM;
	err = signal_fork(child);
	if (!err)
		err = fpu_fork(child);
	if (!err)
		err = copy_space(child, flags);
	return err;
}

static void tell_number(struct task *child, uaddr_t at)
{
	uint32_t *number = at % sizeof(*number) ? NULL : space_writable(child->space, at);

	if (number)
		*number = child->pid;
}

int proc_fork(const struct trapframe *f, uint32_t flags, uaddr_t stack, uaddr_t tid)
{
	struct task *t = current, *child;
	int pid, err;

	if (f->eflags & EFLAGS_VM) /* see frame_from_user(): more registers than a frame holds */
		return -EINVAL;
	if (task_count >= TASKS_MAX - TASKS_SPARE)
		return -EAGAIN;
	err = task_new(t->name, &child);
	if (err)
		return err;
	err = copy_all(child, flags);
	if (err) {
		discard(child);
		return err;
	}
	*task_frame(child) = *f;
	task_frame(child)->eax = 0;
	child->user_gs = user_gs(f);
	child->segments = t->segments;
	segments_move(&child->segments, child->space->base - t->space->base);
	segments_changed(&child->segments, child->space->base, child->space->limit);
	if (stack)
		task_frame(child)->esp = stack;
	pid = child->pid;
	if (tid)
		tell_number(child, tid);
	family_add(child, t);
	task_start_user(child);
	t->vfork_waits = child->vforked;
	sched_ready_child(child);
	while (t->vfork_waits && !(t->sig_pending & SIG_BIT(SIGKILL)))
		sleep_on(&t->vfork_done);
	return pid;
}
