/*
 * signal.c - sets of signals, and handlers.
 *
 * The kernel's struct sigaction also names the code a handler returns to, which we
 * provide (__sigreturn), so that no kernel page need be mapped into the program.
 */

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "internal.h"

#define SA_RESTORER 0x04000000

struct kernel_sigaction {
	sighandler_t handler;
	unsigned long flags;
	void (*restorer)(void);
	sigset_t mask;
};

int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct kernel_sigaction knew, kold;

	if (new) {
		knew.handler = new->sa_handler;
		knew.flags = new->sa_flags | SA_RESTORER;
		knew.restorer = __sigreturn;
		knew.mask = new->sa_mask;
	}
	if (syscall(SYS_rt_sigaction, sig, new ? &knew : NULL, old ? &kold : NULL,
		    sizeof(sigset_t)) < 0)
		return -1;
	if (old) {
		old->sa_handler = kold.handler;
		old->sa_flags = kold.flags & ~SA_RESTORER;
		old->sa_mask = kold.mask;
	}
	return 0;
}

sighandler_t signal(int sig, sighandler_t handler)
{
	struct sigaction new = { .sa_handler = handler, .sa_flags = SA_RESTART }, old;

	return sigaction(sig, &new, &old) < 0 ? SIG_ERR : old.sa_handler;
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return syscall(SYS_rt_sigprocmask, how, set, old, sizeof(sigset_t));
}

int sigsuspend(const sigset_t *mask)
{
	return syscall(SYS_rt_sigsuspend, mask, sizeof(sigset_t));
}

int raise(int sig)
{
	return kill(getpid(), sig);
}

int sigemptyset(sigset_t *set)
{
	set->bits[0] = set->bits[1] = 0;
	return 0;
}

int sigfillset(sigset_t *set)
{
	set->bits[0] = set->bits[1] = ~0U;
	return 0;
}

/* Returns the word of `set` in which `sig` has a bit, NULL when there is no such signal. */
static unsigned *word_of(sigset_t *set, int sig)
{
	if (sig < 1 || sig >= NSIG) {
		errno = EINVAL;
		return NULL;
	}
	return &set->bits[(sig - 1) / 32];
}

static unsigned bit_of(int sig)
{
	return 1U << (sig - 1) % 32;
}

int sigaddset(sigset_t *set, int sig)
{
	unsigned *word = word_of(set, sig);

	if (!word)
		return -1;
	*word |= bit_of(sig);
	return 0;
}

int sigdelset(sigset_t *set, int sig)
{
	unsigned *word = word_of(set, sig);

	if (!word)
		return -1;
	*word &= ~bit_of(sig);
	return 0;
}

int sigismember(const sigset_t *set, int sig)
{
	unsigned *word = word_of((sigset_t *)set, sig);

	return word ? (*word & bit_of(sig)) != 0 : -1;
}
