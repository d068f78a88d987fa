/*
 * exit.c - how a process ends, and how its parent learns of it.
 *
 * The one idea: a process gives back everything it can by itself, at once; what remains, the task
 * with its status and the stack it stands on, is a zombie until its parent has asked.
 */

#include "cpu/fpu.h"
#include "cpu/pda.h"
#include "fs/file.h"
#include "lib/errno.h"
#include "lib/panic.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "proc/family.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sched/sched.h"

/* Everything but the task itself.  Closing files may sleep, so nothing may interrupt it. */
static void release(struct task *t)
{
	struct files *files = t->files;

	t->sig_blocked = ~0u;
	t->sig_pending = 0;
	t->files = NULL;
	if (files)
		files_free(files);
	if (t->cwd)
		inode_put(t->cwd);
	t->cwd = NULL;
	kfree(t->sig);
	t->sig = NULL;
	fpu_drop(t);
	if (t->space)
		space_exit();
	family_vfork_end(t);
	if (t->oom_killed)
		wake_all(&oom_wait);
}

void proc_exit(uint32_t status)
{
	struct task *t = current;
	struct task *parent;

	release(t);
	family_orphan(t);
	t->exit_status = status;
	t->state = TASK_ZOMBIE;
	parent = t->parent;
	if (parent && !signal_reaps_children(parent)) {
		notify_parent(t, false);
	} else {
		t->reap = true;
		if (parent) {
			notify_parent(t, false);
			family_remove(t);
		}
	}
	schedule();
	panic("task %u runs after its end", t->pid);
}

/* Kernel tasks belong to no session. */
static uint32_t kill_all(void)
{
	struct task *t;
	uint32_t left = 0;

	list_for_each_entry (t, &task_list, all) {
		if (t->sid && t->pid != PID_INIT && t->state != TASK_ZOMBIE) {
			signal_send(t, SIGKILL);
			left++;
		}
	}
	return left;
}

bool proc_end_all(uint32_t ticks)
{
	uint32_t left = kill_all();

	for (; left && ticks; ticks--) {
		sleep_on_timeout(NULL, 1);
		left = kill_all(); /* also whom one of them had time to make */
	}
	return !left;
}

/* Is `child` one that wait(pid) asks for? */
static bool wanted(const struct task *child, int pid)
{
	if (pid > 0)
		return child->pid == (uint32_t)pid;
	if (pid == -1)
		return true;
	return child->pgid == (pid ? (uint32_t)-pid : current->pgid);
}

/* A dead child's last words; forgets it. */
static int bury(struct task *child, int *status)
{
	struct task *t = current;
	int pid = child->pid;

	*status = child->exit_status;
	t->children_user += child->ticks_user + child->children_user;
	t->children_kernel += child->ticks_kernel + child->children_kernel;
	family_remove(child);
	task_free(child);
	return pid;
}

/* Has it stopped or gone on since it was last asked, and is that of interest?  Status to *status.
 */
static bool has_news(struct task *child, int *status, int options)
{
	if (!child->stop_news || !(options & (child->stop_signal ? WUNTRACED : WCONTINUED)))
		return false;
	child->stop_news = false;
	*status = child->stop_signal ? child->stop_signal << 8 | 0x7f : 0xffff;
	return true;
}

int proc_wait(int pid, int *status, int options)
{
	struct task *child;
	bool any;

	for (;;) {
		any = false;
		list_for_each_entry (child, &current->children, sibling) {
			if (!wanted(child, pid))
				continue;
			any = true;
			if (child->state == TASK_ZOMBIE)
				return bury(child, status);
			if (has_news(child, status, options))
				return child->pid;
		}
		if (!any)
			return -ECHILD;
		if (options & WNOHANG)
			return 0;
		if (sleep_on_interruptible(&current->child_exit))
			return -EINTR;
	}
}
