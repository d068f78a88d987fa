/*
 * process.c - system calls about processes.
 */

#include "cpu/pda.h"
#include "lib/errno.h"
#include "mm/frame.h"
#include "mm/usercopy.h"
#include "proc/exec.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sched/sched.h"
#include "sys/sys.h"

int32_t sys_exit(struct trapframe *f)
{
	proc_exit((f->ebx & 0xff) << 8);
}

int32_t sys_fork(struct trapframe *f)
{
	return proc_fork(f, 0, 0, 0);
}

int32_t sys_vfork(struct trapframe *f)
{
	return proc_fork(f, PROC_VFORK, 0, 0);
}

#define CLONE_SIGNAL	     0x000000ffu /* what the parent gets at its end */
#define CLONE_VM	     0x00000100u
#define CLONE_VFORK	     0x00004000u
#define CLONE_CHILD_CLEARTID 0x00200000u /* in memory that dies with the child: nothing to do */
#define CLONE_CHILD_SETTID   0x01000000u

/* clone() as far as it means fork() or vfork(): we have no threads.  C libraries' fork() has the
 * child's memory tell it its number. */
int32_t sys_clone(struct trapframe *f)
{
	uint32_t flags = f->ebx & ~(CLONE_SIGNAL | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID);
	uaddr_t tid = f->ebx & CLONE_CHILD_SETTID ? f->edi : 0;

	if ((f->ebx & CLONE_SIGNAL) != SIGCHLD)
		return -EINVAL;
	if (flags == (CLONE_VM | CLONE_VFORK))
		return proc_fork(f, PROC_VFORK, f->ecx, 0);
	return flags ? -EINVAL : proc_fork(f, 0, f->ecx, tid);
}

/* What a dying thread would leave to others: there are no threads, so nothing is ever left. */
int32_t sys_set_robust_list(struct trapframe *f)
{
	return f->ecx == 12 ? 0 : -EINVAL; /* the size of Linux's list head */
}

static int gather(struct trapframe *f, char **path, struct exec_args **args)
{
	int err = path_from_user(f->ebx, path);

	if (err)
		return err;
	err = exec_args_new(args);
	if (!err) {
		err = exec_args_user(*args, f->ecx, f->edx);
		if (!err)
			return 0;
		exec_args_free(*args);
	}
	frame_put(*path);
	return err;
}

int32_t sys_execve(struct trapframe *f)
{
	struct exec_args *args;
	char *path;
	int err = gather(f, &path, &args);

	if (err)
		return err;
	err = proc_exec(f, path, args);
	exec_args_free(args);
	frame_put(path);
	return err;
}

#define RUSAGE_WORDS 18 /* struct rusage of Linux i386 */

static int32_t wait_for(int pid, uaddr_t status_at, uint32_t options, uaddr_t rusage)
{
	int status = 0, got;

	if (options & ~(WNOHANG | WUNTRACED | WCONTINUED))
		return -EINVAL;
	got = proc_wait(pid, &status, options);
	if (got == -EINTR)
		return -ERESTARTSYS;
	if (got <= 0)
		return got;
	if (status_at && put_user32(status_at, status))
		return -EFAULT;
	if (rusage && clear_user(rusage, RUSAGE_WORDS * sizeof(uint32_t)))
		return -EFAULT;
	return got;
}

int32_t sys_waitpid(struct trapframe *f)
{
	return wait_for(f->ebx, f->ecx, f->edx, 0);
}

int32_t sys_wait4(struct trapframe *f)
{
	return wait_for(f->ebx, f->ecx, f->edx, f->esi);
}

int32_t sys_getpid(struct trapframe *f)
{
	(void)f;
	return current->pid;
}

int32_t sys_getppid(struct trapframe *f)
{
	struct task *parent = current->parent;

	(void)f;
	return parent ? parent->pid : 0;
}

int32_t sys_sched_yield(struct trapframe *f)
{
	(void)f;
	yield();
	return 0;
}

/* --- groups and sessions -------------------------------------------------- */

/* A process and its children in the same session may be moved, children until they exec. */
static int may_move(const struct task *t)
{
	struct task *me = current;

	if (t == me)
		return t->sid == t->pid ? -EPERM : 0;
	if (t->parent != me)
		return -ESRCH;
	if (t->sid != me->sid)
		return -EPERM;
	return t->execed ? -EACCES : 0;
}

static bool group_exists(uint32_t pgid, uint32_t sid)
{
	struct task *t;

	list_for_each_entry (t, &task_list, all) {
		if (t->pgid == pgid && t->sid == sid)
			return true;
	}
	return false;
}

/* The process that a pid argument means, 0 being the caller. */
static struct task *task_of(uint32_t pid)
{
	return pid ? task_find(pid) : current;
}

int32_t sys_setpgid(struct trapframe *f)
{
	struct task *t = task_of(f->ebx);
	uint32_t pgid = f->ecx;
	int err;

	if ((int32_t)pgid < 0)
		return -EINVAL;
	if (!t)
		return -ESRCH;
	if (!pgid)
		pgid = t->pid;
	err = may_move(t);
	if (err)
		return err;
	if (pgid != t->pid && !group_exists(pgid, t->sid))
		return -EPERM;
	t->pgid = pgid;
	return 0;
}

int32_t sys_getpgid(struct trapframe *f)
{
	struct task *t = task_of(f->ebx);

	return t ? (int32_t)t->pgid : -ESRCH;
}

int32_t sys_getpgrp(struct trapframe *f)
{
	(void)f;
	return current->pgid;
}

int32_t sys_setsid(struct trapframe *f)
{
	struct task *me = current, *t;

	(void)f;
	list_for_each_entry (t, &task_list, all) {
		if (t->pgid == me->pid)
			return -EPERM;
	}
	me->sid = me->pgid = me->pid;
	return me->pid;
}

int32_t sys_getsid(struct trapframe *f)
{
	struct task *t = task_of(f->ebx);

	return t ? (int32_t)t->sid : -ESRCH;
}
