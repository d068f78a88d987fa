/*
 * signals.c - system calls about signals.
 *
 * Each comes in two forms: the old one, with a mask of one word, and the rt one, with a mask of
 * two, whose second word, for the real-time signals that do not exist here, is always zero.
 */

#include "cpu/pda.h"
#include "lib/errno.h"
#include "mm/usercopy.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sys/sys.h"

#define SIGSET_BYTES 8 /* of an rt mask */

/* Sends to all of a group, or (group 0) to all but init and the caller. */
static int32_t send_many(uint32_t pgid, int sig)
{
	struct task *t, *next;
	int32_t err = -ESRCH;

	list_for_each_entry_safe (t, next, &task_list, all) {
		if (!t->space || (pgid ? t->pgid != pgid : t->pid == PID_INIT || t == current))
			continue;
		err = signal_send(t, sig);
		if (err)
			return err;
	}
	return err;
}

int32_t sys_kill(struct trapframe *f)
{
	int32_t pid = f->ebx;
	int sig = f->ecx;
	struct task *t;

	if (pid > 0) {
		t = task_find(pid);
		return t ? signal_send(t, sig) : -ESRCH;
	}
	if (pid == -1)
		return send_many(0, sig);
	return send_many(pid ? -(uint32_t)pid : current->pgid, sig);
}

int32_t sys_tkill(struct trapframe *f)
{
	struct task *t = (int32_t)f->ebx > 0 ? task_find(f->ebx) : NULL;

	if ((int32_t)f->ebx <= 0)
		return -EINVAL;
	return t ? signal_send(t, f->ecx) : -ESRCH;
}

int32_t sys_tgkill(struct trapframe *f)
{
	struct task *t = task_find(f->ecx);

	if ((int32_t)f->ebx <= 0 || (int32_t)f->ecx <= 0)
		return -EINVAL;
	return t && f->ebx == f->ecx ? signal_send(t, f->edx) : -ESRCH;
}

/* --- actions -------------------------------------------------------------- */

/* How user space orders the fields. */
struct old_action {
	uaddr_t handler;
	uint32_t mask, flags;
	uaddr_t restorer;
};

struct rt_action {
	uaddr_t handler;
	uint32_t flags;
	uaddr_t restorer;
	uint32_t mask[2];
};

static bool is_signal(int sig)
{
	return sig >= 1 && sig <= SIGNALS;
}

int32_t sys_sigaction(struct trapframe *f)
{
	int sig = f->ebx;
	struct sigaction old, new;
	struct old_action u;
	int err;

	if (!is_signal(sig))
		return -EINVAL;
	old = signal_action(current, sig);
	if (f->ecx) {
		if (copy_from_user(&u, f->ecx, sizeof(u)))
			return -EFAULT;
		new = (struct sigaction){ u.handler, u.flags, u.restorer, u.mask };
		err = signal_set_action(sig, &new);
		if (err)
			return err;
	}
	u = (struct old_action){ old.handler, old.mask, old.flags, old.restorer };
	return f->edx ? copy_to_user(f->edx, &u, sizeof(u)) : 0;
}

int32_t sys_rt_sigaction(struct trapframe *f)
{
	int sig = f->ebx;
	struct sigaction old, new;
	struct rt_action u;
	int err;

	if (!is_signal(sig) || f->esi != SIGSET_BYTES)
		return -EINVAL;
	old = signal_action(current, sig);
	if (f->ecx) {
		if (copy_from_user(&u, f->ecx, sizeof(u)))
			return -EFAULT;
		new = (struct sigaction){ u.handler, u.flags, u.restorer, u.mask[0] };
		err = signal_set_action(sig, &new);
		if (err)
			return err;
	}
	u = (struct rt_action){ old.handler, old.flags, old.restorer, { old.mask, 0 } };
	return f->edx ? copy_to_user(f->edx, &u, sizeof(u)) : 0;
}

/* --- masks ---------------------------------------------------------------- */

enum { SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK };

static int change_mask(uint32_t how, uint32_t set)
{
	uint32_t mask = current->sig_blocked;

	switch (how) {
	case SIG_BLOCK:
		mask |= set;
		break;
	case SIG_UNBLOCK:
		mask &= ~set;
		break;
	case SIG_SETMASK:
		mask = set;
		break;
	default:
		return -EINVAL;
	}
	signal_set_mask(mask);
	return 0;
}

/* One word of mask to user space, and zeros to make `size` bytes of it. */
static int put_mask(uaddr_t at, uint32_t mask, uint32_t size)
{
	uint32_t set[2] = { mask, 0 };

	return copy_to_user(at, set, size);
}

static int32_t set_mask(struct trapframe *f, uint32_t size)
{
	uint32_t old = current->sig_blocked, set;
	int err;

	if (f->ecx) {
		if (get_user32(&set, f->ecx))
			return -EFAULT;
		err = change_mask(f->ebx, set);
		if (err)
			return err;
	}
	return f->edx ? put_mask(f->edx, old, size) : 0;
}

int32_t sys_sigprocmask(struct trapframe *f)
{
	return set_mask(f, sizeof(uint32_t));
}

int32_t sys_rt_sigprocmask(struct trapframe *f)
{
	return f->esi == SIGSET_BYTES ? set_mask(f, SIGSET_BYTES) : -EINVAL;
}

static uint32_t pending(void)
{
	return current->sig_pending & current->sig_blocked;
}

int32_t sys_sigpending(struct trapframe *f)
{
	return put_mask(f->ebx, pending(), sizeof(uint32_t));
}

int32_t sys_rt_sigpending(struct trapframe *f)
{
	return f->ecx <= SIGSET_BYTES ? put_mask(f->ebx, pending(), f->ecx) : -EINVAL;
}

/* --- waiting -------------------------------------------------------------- */

/* Sleep until a signal has something to do; signal_deliver() decides whether that ends the call. */
static int32_t wait_for_signal(void)
{
	struct waitq nobody_wakes = WAITQ_INIT(nobody_wakes);

	while (!sleep_on_interruptible(&nobody_wakes))
		;
	return -ERESTARTNOHAND;
}

int32_t sys_pause(struct trapframe *f)
{
	(void)f;
	return wait_for_signal();
}

/* With another mask while asleep; the handler's frame, or signal_deliver(), restores the old. */
static int32_t suspend(uint32_t mask)
{
	struct task *t = current;

	t->sig_saved_mask = t->sig_blocked;
	t->sig_restore_mask = true;
	signal_set_mask(mask);
	return wait_for_signal();
}

int32_t sys_sigsuspend(struct trapframe *f)
{
	return suspend(f->edx);
}

int32_t sys_rt_sigsuspend(struct trapframe *f)
{
	uint32_t mask;

	if (f->ecx != SIGSET_BYTES)
		return -EINVAL;
	if (get_user32(&mask, f->ebx))
		return -EFAULT;
	return suspend(mask);
}

int32_t sys_sigreturn(struct trapframe *f)
{
	return signal_return(f);
}

int32_t sys_rt_sigreturn(struct trapframe *f)
{
	return signal_return_rt(f);
}
