/*
 * task.h - a thread of execution and what it owns.
 *
 * A task has a kernel stack of one page with a thread_info at its base; a user task
 * keeps its user registers in a trapframe at the very top of that stack.
 * A task without a space (the idle tasks, the monitor) runs in kernel memory only.
 */
#pragma once

#include "cpu/pda.h"
#include "cpu/trap.h"
#include "lib/list.h"
#include "sched/wait.h"

#define TASK_NAME 16
#define PID_MAX	  30000
#define TASKS_MAX 1024u
#define PID_IDLE  0 /* of every idle task */
#define PID_INIT  1

enum task_state {
	TASK_RUNNABLE, /* on the run queue, or running */
	TASK_SLEEPING,
	TASK_ZOMBIE, /* dead, its parent has not waited yet */
};

extern const char *const task_state_name[];

struct task {
	/* Assembly knows the places of these six: cpu/offsets.h. */
	uint32_t esp; /* saved kernel stack pointer while not running */
	struct thread_info *stack;
	uint32_t sig_pending, sig_blocked; /* signals, bit n - 1 */
	uint32_t syscalls;		   /* calls made */
	struct segments segments;	   /* what its selectors mean */

	uint32_t pid, pgid, sid;
	enum task_state state;
	bool interruptible; /* while sleeping: a signal wakes it */
	bool idle;	    /* an idle task */
	bool reap;    /* a zombie nobody waits for: the scheduler frees it once off its stack */
	bool on_cpu;  /* some CPU is running it (or still switching away from it) */
	bool execed;  /* has exec'd since fork: setpgid */
	uint32_t cpu; /* where it runs or last ran */
	char name[TASK_NAME];

	struct space *space; /* NULL: kernel memory only */
	struct list run;     /* on the run queue */
	struct list all;     /* on task_list */

	uint32_t ticks_user, ticks_kernel; /* timer ticks it was found running */
	uint32_t children_user, children_kernel;
	uint32_t start_tick;
	uint32_t switches; /* times it was switched to */

	struct waiter waiter; /* its place on a wait queue */
	uint32_t wake_tick;   /* a sleep with a limit ends then */
	struct list sleepers; /* on the list of those */

	uint32_t user_gs; /* while another task runs, in builds that leave %gs to user code */

	void *fpu;     /* saved state; NULL until it used the FPU */
	bool fpu_live; /* this CPU's FPU holds its state */

	/* kernel/proc */
	struct task *parent;
	struct list children, sibling;
	struct waitq child_exit; /* the parent sleeps here */
	uint32_t exit_status;	 /* as wait4 reports it */
	bool vforked;		 /* borrows its parent's space until exec or exit */
	bool vfork_waits;	 /* as a parent: a child borrows my space */
	struct waitq vfork_done; /* and I sleep here until it gives it back */
	struct files *files;
	struct inode *cwd, *root_dir;
	uint32_t umask;
	struct sigactions *sig;
	uint32_t sig_saved_mask; /* to restore after sigsuspend */
	bool sig_restore_mask;
	bool oom_killed;
	uint32_t stop_signal;	/* not 0: stopped by it, until SIGCONT */
	bool stop_news;		/* stopped or continued, and the parent's wait has not told yet */
	struct waitq continued; /* a stopped task sleeps here */
	uaddr_t fault_addr;	/* of the last page fault, window-relative: for handlers */
	uint64_t sleep_until;	/* ns since boot, when an interrupted nanosleep ends */
	bool sleep_restarts;
};

/* All tasks but the idle ones, by ascending pid. */
extern struct list task_list;
extern uint32_t task_count;

/* The task with this pid, or NULL.  Zombies count. */
struct task *task_find(uint32_t pid);

/*
 * A new task, not yet runnable: pid, stack, everything else zero and lists empty.
 * 0, -ENOMEM, or -EAGAIN when there are too many tasks.
 */
int task_new(const char *name, struct task **out);

/* Give back a task that never ran or is dead and off every CPU, with its stack. */
void task_free(struct task *t);

/* The frame of `t`'s user registers. */
static inline struct trapframe *task_frame(struct task *t)
{
	return (struct trapframe *)((char *)t->stack + STACK_SIZE) - 1;
}

/* Make a new task start in fn(arg), in the kernel, with the lock held.  fn must not return. */
void task_start_kernel(struct task *t, void (*fn)(void *arg), void *arg);

/* Make a new task start by leaving for user mode with its task_frame(). */
void task_start_user(struct task *t);

/* Bytes of `t`'s kernel stack ever used: stacks are filled with a pattern. */
uint32_t task_stack_used(const struct task *t);
