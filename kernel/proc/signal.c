/*
 * signal.c - signals: sent now, acted on later.
 *
 * The one idea: sending sets a bit and wakes the target if it sleeps; acting on it happens only in
 * the target itself, on its way back to user mode, where it holds nothing and waits for nothing.
 * So a signal never takes anything away from under kernel code: a sleeper returns, with
 * an error that says whether its call should be done again.
 */

#include "proc/signal.h"
#include "cpu/pda.h"
#include "cpu/smp.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "proc/proc.h"
#include "sys/syscall.h"

static const char *const names[SIGNALS + 1] = {
	"SIG?",	     "SIGHUP",	"SIGINT",    "SIGQUIT", "SIGILL",   "SIGTRAP", "SIGABRT", "SIGBUS",
	"SIGFPE",    "SIGKILL", "SIGUSR1",   "SIGSEGV", "SIGUSR2",  "SIGPIPE", "SIGALRM", "SIGTERM",
	"SIGSTKFLT", "SIGCHLD", "SIGCONT",   "SIGSTOP", "SIGTSTP",  "SIGTTIN", "SIGTTOU", "SIGURG",
	"SIGXCPU",   "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO",   "SIGPWR",  "SIGSYS",
};

/* Default actions; of all other signals it is to end the process. */
#define STOPPERS (SIG_BIT(SIGSTOP) | SIG_BIT(SIGTSTP) | SIG_BIT(SIGTTIN) | SIG_BIT(SIGTTOU))
#define IGNORED_BY_DEFAULT \
	(SIG_BIT(SIGCHLD) | SIG_BIT(SIGCONT) | SIG_BIT(SIGURG) | SIG_BIT(SIGWINCH))

const char *signal_name(int sig)
{
	return names[sig > 0 && sig <= SIGNALS ? sig : 0];
}

struct sigaction signal_action(const struct task *t, int sig)
{
	return t->sig ? t->sig->of[sig] : (struct sigaction){ .handler = SIG_DFL };
}

/* True if `sig` would do nothing to `t`.  init lives: only what it handles reaches it. */
static bool ignores(const struct task *t, int sig)
{
	uaddr_t handler = t->sig ? t->sig->of[sig].handler : SIG_DFL;

	if (handler == SIG_DFL)
		return t->pid == PID_INIT || (IGNORED_BY_DEFAULT & SIG_BIT(sig));
	return handler == SIG_IGN;
}

bool signal_reaps_children(const struct task *parent)
{
	const struct sigaction *a = parent->sig ? &parent->sig->of[SIGCHLD] : NULL;

	return a && (a->handler == SIG_IGN || (a->flags & SA_NOCLDWAIT));
}

int signal_set_action(int sig, const struct sigaction *a)
{
	struct task *t = current;

	if (sig < 1 || sig > SIGNALS || (SIG_BIT(sig) & SIG_UNMASKABLE))
		return -EINVAL;
	if (!t->sig)
		t->sig = kzalloc(sizeof(*t->sig));
	if (!t->sig)
		return -ENOMEM;
	t->sig->of[sig] = *a;
	t->sig->of[sig].mask &= ~SIG_UNMASKABLE;
	if (ignores(t, sig))
		t->sig_pending &= ~SIG_BIT(sig);
	return 0;
}

void signal_set_mask(uint32_t mask)
{
	current->sig_blocked = mask & ~SIG_UNMASKABLE;
}

int signal_fork(struct task *child)
{
	const struct task *t = current;

	child->sig_blocked = t->sig_blocked;
	if (!t->sig)
		return 0;
	child->sig = kmalloc(sizeof(*child->sig));
	if (!child->sig)
		return -ENOMEM;
	memcpy(child->sig, t->sig, sizeof(*child->sig));
	return 0;
}

/* The handlers' code is gone with the old program; what was ignored stays so. */
void signal_exec(struct task *t)
{
	int sig;

	if (!t->sig)
		return;
	for (sig = 1; sig <= SIGNALS; sig++) {
		uaddr_t kept = t->sig->of[sig].handler == SIG_IGN ? SIG_IGN : SIG_DFL;

		t->sig->of[sig] = (struct sigaction){ .handler = kept };
	}
}

/* Let a stopped task go on. */
static void resume(struct task *t)
{
	if (!t->stop_signal)
		return;
	t->stop_signal = 0;
	wake_all(&t->continued);
}

int signal_send(struct task *t, int sig)
{
	if (sig < 0 || sig > SIGNALS)
		return -EINVAL;
	if (t->state == TASK_ZOMBIE || !sig)
		return 0;
	if (!t->space) /* a kernel task */
		return -EPERM;
	if (sig == SIGCONT) {
		t->sig_pending &= ~STOPPERS;
		if (t->stop_signal) {
			t->stop_news = true;
			notify_parent(t, true);
		}
	} else if (SIG_BIT(sig) & STOPPERS) {
		t->sig_pending &= ~SIG_BIT(SIGCONT);
	}
	if (sig == SIGCONT || (sig == SIGKILL && t->pid != PID_INIT))
		resume(t);
	if (ignores(t, sig) && !(t->sig_blocked & SIG_BIT(sig)))
		return 0;
	t->sig_pending |= SIG_BIT(sig);
	if (t->sig_blocked & SIG_BIT(sig))
		return 0;
	if (sig == SIGKILL)
		wake_all(&t->vfork_done);
	wake_task(t, false);
	if (t->on_cpu && t != current)
		smp_kick(t->cpu); /* it may be far from its next entry */
	return 0;
}

int signal_send_group(uint32_t pgid, int sig)
{
	struct task *t;
	int err = -ESRCH;

	list_for_each_entry (t, &task_list, all) {
		if (t->pgid == pgid && t->pgid)
			err = signal_send(t, sig);
	}
	return err;
}

/* The call that the signal interrupted, if any, shall be made again: back to its INT 0x80. */
static void restart_call(struct trapframe *f)
{
	f->eax = f->error;
	f->eip -= 2;
}

/* An interrupted call's error that asks for a restart, or 0. */
static int wants_restart(const struct trapframe *f)
{
	int error = -(int32_t)f->eax;

	if (f->trap != TRAP_SYSCALL || f->error >= SYSCALLS)
		return 0;
	return error == ERESTARTSYS || error == ERESTARTNOHAND || error == ERESTARTSLEEP ? error
											 : 0;
}

static void before_handler(struct trapframe *f, const struct sigaction *a)
{
	int error = wants_restart(f);

	if (error == ERESTARTSYS && (a->flags & SA_RESTART))
		restart_call(f);
	else if (error)
		f->eax = -EINTR;
}

static void without_handler(struct task *t, struct trapframe *f)
{
	int error = wants_restart(f);

	if (error == ERESTARTSLEEP)
		t->sleep_restarts = true;
	if (error)
		restart_call(f);
	if (t->sig_restore_mask) {
		t->sig_restore_mask = false;
		t->sig_blocked = t->sig_saved_mask;
	}
}

/* Stop until SIGCONT (or SIGKILL) comes. */
static void stop(struct task *t, int sig)
{
	t->stop_signal = sig;
	t->stop_news = true;
	notify_parent(t, true);
	while (t->stop_signal)
		sleep_on(&t->continued);
}

/* Take the lowest signal that is pending and not blocked; 0: none. */
static int take_signal(struct task *t)
{
	uint32_t ready = t->sig_pending & ~t->sig_blocked;
	int sig;

	if (!ready)
		return 0;
	if (ready & SIG_BIT(SIGKILL))
		sig = SIGKILL;
	else
		sig = __builtin_ctz(ready) + 1;
	t->sig_pending &= ~SIG_BIT(sig);
	return sig;
}

/* False if that was impossible: then the process has SIGSEGV pending instead. */
static bool run_handler(struct task *t, struct trapframe *f, int sig, const struct sigaction *a)
{
	uint32_t mask = t->sig_restore_mask ? t->sig_saved_mask : t->sig_blocked;

	before_handler(f, a);
	if (a->flags & SA_RESETHAND)
		t->sig->of[sig].handler = SIG_DFL;
	if (signal_push_frame(f, sig, a, mask)) {
		t->sig->of[SIGSEGV].handler = SIG_DFL;
		proc_fault(f, SIGSEGV, "no room on its stack for a signal handler");
		return false;
	}
	t->sig_restore_mask = false;
	signal_set_mask(t->sig_blocked | a->mask | (a->flags & SA_NODEFER ? 0 : SIG_BIT(sig)));
	return true;
}

void signal_deliver(struct trapframe *f)
{
	struct task *t = current;
	int sig;

	while ((sig = take_signal(t)) != 0) {
		struct sigaction a = signal_action(t, sig);

		if (ignores(t, sig))
			continue;
		if (a.handler != SIG_DFL) {
			if (run_handler(t, f, sig, &a))
				return;
			continue;
		}
		if (SIG_BIT(sig) & STOPPERS)
			stop(t, sig);
		else
			proc_exit(sig);
	}
	without_handler(t, f);
}
