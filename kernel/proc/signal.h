/*
 * signal.h - signals, between the files of proc/ and the system calls.
 */
#pragma once

#include "sched/task.h"

/* Linux i386's numbers.  Real-time signals (32 to 64) do not exist here. */
enum {
	SIGHUP = 1,
	SIGINT,
	SIGQUIT,
	SIGILL,
	SIGTRAP,
	SIGABRT,
	SIGBUS,
	SIGFPE,
	SIGKILL,
	SIGUSR1,
	SIGSEGV,
	SIGUSR2,
	SIGPIPE,
	SIGALRM,
	SIGTERM,
	SIGSTKFLT,
	SIGCHLD,
	SIGCONT,
	SIGSTOP,
	SIGTSTP,
	SIGTTIN,
	SIGTTOU,
	SIGURG,
	SIGXCPU,
	SIGXFSZ,
	SIGVTALRM,
	SIGPROF,
	SIGWINCH,
	SIGIO,
	SIGPWR,
	SIGSYS,
};
#define SIGNALS 31

#define SIG_BIT(sig)   (1u << ((sig)-1))
#define SIG_DFL	       0u
#define SIG_IGN	       1u
#define SIG_UNMASKABLE (SIG_BIT(SIGKILL) | SIG_BIT(SIGSTOP))

#define SA_NOCLDSTOP 0x00000001u
#define SA_NOCLDWAIT 0x00000002u
#define SA_SIGINFO   0x00000004u
#define SA_RESTORER  0x04000000u
#define SA_ONSTACK   0x08000000u
#define SA_RESTART   0x10000000u
#define SA_NODEFER   0x40000000u
#define SA_RESETHAND 0x80000000u

struct sigaction {
	uaddr_t handler; /* or SIG_DFL, SIG_IGN */
	uint32_t flags;
	uaddr_t restorer;
	uint32_t mask;
};

/* What a task does at each signal; a task without a table does the default at all of them. */
struct sigactions {
	struct sigaction of[SIGNALS + 1];
};

/* "SIGSEGV"; "SIG?" for what is not a signal. */
const char *signal_name(int sig);

/* What `t` does at `sig`. */
struct sigaction signal_action(const struct task *t, int sig);

/* Set it for the running task; forgets a pending signal that is now ignored.  0, -EINVAL, -ENOMEM.
 */
int signal_set_action(int sig, const struct sigaction *a);

/* Set the running task's mask, but never of SIGKILL and SIGSTOP. */
void signal_set_mask(uint32_t mask);

/* True if its parent's actions say that a dead child needs no wait. */
bool signal_reaps_children(const struct task *parent);

/* fork: give `child` a copy of the running task's actions.  exec: forget handlers. */
int signal_fork(struct task *child);
void signal_exec(struct task *t);

/* signal_frame.c: make the user frame run the handler of `sig`.  0 or -EFAULT. */
int signal_push_frame(struct trapframe *f, int sig, const struct sigaction *a, uint32_t mask);

/* Undo it, at the end of the handler.  The value for eax. */
int32_t signal_return(struct trapframe *f);
int32_t signal_return_rt(struct trapframe *f);

/* exit.c: the state of `t` changed so that its parent's wait may want to know. */
void notify_parent(struct task *t, bool stopped);
