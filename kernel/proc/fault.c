/*
 * fault.c - when a program does what it must not: say what, and let it die.
 *
 * The one idea: whoever meets the trap knows best what it means and hands the words up; what
 * the processor cannot know is where the program thought it was.  There is no way to forbid
 * execution of a single page on an i386, so a jump into data shows only by what its bytes then do
 * wrong.
 */

#include "cpu/pda.h"
#include "cpu/trap.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "proc/proc.h"
#include "proc/signal.h"

/* Beyond this many columns for who and what, the rest goes on a second line of the screen. */
#define ONE_LINE (80 - (int)sizeof(": , eip 0x00000000: killed by SIGSEGV"))

/* The program executed something that its file does not call code. */
static bool runs_data(const struct trapframe *f)
{
	struct area *a = space_area(current->space, f->eip);

	return a && !(a->flags & AREA_EXEC);
}

/*
 * A handler for `sig` gets it, and nothing is said.  A program that blocks or ignores the signal
 * cannot go on either: the same instruction would only fault again.
 */
void proc_fault(struct trapframe *f, int sig, const char *what)
{
	struct task *t = current;
	struct sigaction a = signal_action(t, sig);
	char who[TASK_NAME + 8];
	uint32_t n;

	if (a.handler != SIG_DFL && a.handler != SIG_IGN && !(t->sig_blocked & SIG_BIT(sig))) {
		t->sig_pending |= SIG_BIT(sig);
		return;
	}
	if (f->trap != TRAP_PAGE && f->trap != TRAP_SYSCALL && !(f->eflags & EFLAGS_VM) &&
	    runs_data(f))
		what = "jump into data";
	n = snprintf(who, sizeof(who), "%s[%u]", t->name, t->pid);
	kprintf("%s: %s,%s eip 0x%08x: killed by %s\n", who, what,
		n + strlen(what) > ONE_LINE ? "\n   " : "", f->eip, signal_name(sig));
	proc_exit(sig);
}
