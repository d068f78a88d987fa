/*
 * proc.h - processes: how tasks begin and end.
 */
#pragma once

#include "sched/task.h"

/* wait options and status, as in Linux */
#define WNOHANG	   1
#define WUNTRACED  2
#define WCONTINUED 8

/* Start /bin/init as pid 1.  0 or -errno (a system without an init still has its monitor). */
int proc_init(void);

/*
 * For the monitor: start a program as a child of the running kernel task, in a process group of its
 * own, standard files on the console, cwd /.  A name without '/' is looked for in /bin, then
 * /tests. 0; -ENODEV (no root), -ENOENT, -ENOEXEC, -ENOMEM, -EAGAIN, -EACCES, -E2BIG.
 */
int proc_spawn(const char *name, int argc, const char *const argv[], struct task **out);

/* A kernel task. */
int kernel_task(const char *name, void (*fn)(void *arg), void *arg, struct task **out);

/*
 * The running process becomes two.  Pid of the child, which starts with `stack` in its stack
 * pointer, or with the parent's if it is 0; -ENOMEM, -EAGAIN.  PROC_VFORK: the child borrows the
 * space, and this returns when it has given it back.  Its pid is written to its own memory at
 * `tid`, if that is not 0 and can be written.
 */
int proc_fork(const struct trapframe *f, uint32_t flags, uaddr_t stack, uaddr_t tid);
#define PROC_VFORK 1u

/*
 * Wait for a child: pid > 0 that one, -1 any, 0 own group, < -1 group.  Pid and *status; 0 with
 * WNOHANG and none ready; -ECHILD; -EINTR.
 */
int proc_wait(int pid, int *status, int options);

/* End the running process; status as wait4 reports it (code << 8, or the signal). */
void proc_exit(uint32_t status) noreturn;

/* Send a signal.  0, -ESRCH, -EINVAL.  To a task; to a group. */
int signal_send(struct task *t, int sig);
int signal_send_group(uint32_t pgid, int sig);

/*
 * Before the machine ends: kill every process but init, and wait until they have let go of their
 * files, for so many ticks at most.  True: they have.  For a kernel task; sleeps.
 */
bool proc_end_all(uint32_t ticks);

/* The running user task did something wrong: send it `sig`, after a line that says what it did. */
void proc_fault(struct trapframe *f, int sig, const char *what);

/* True if the running task has a signal it must act on. */
static inline bool signal_pending(const struct task *t)
{
	return (t->sig_pending & ~t->sig_blocked) != 0;
}

/* On the way back to user mode, when a signal is pending: act on it.  May not return. */
void signal_deliver(struct trapframe *f);

/*
 * Kill the biggest process to get memory back, with a line saying so, and wait until it is gone; it
 * may be the running one: then current->oom_killed is set and the caller gives up.  False: there is
 * none.  Sleeps.
 */
bool oom_kill(void);
