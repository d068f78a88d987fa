/*
 * signal_calls.c - the system calls beneath sigaction() and its like: both generations of them,
 * handlers that get the registers, and frames that a program has spoilt.
 */

#include <signal.h>
#include <sys/syscall.h>

#include "guest.h"

#define NR_SIGACTION	 67
#define NR_SIGSUSPEND	 72
#define NR_SIGPENDING	 73
#define NR_SIGPROCMASK	 126
#define NR_RT_SIGACTION	 174
#define NR_RT_SIGPENDING 176
#define NR_TKILL	 238
#define NR_TGKILL	 270
#define WITH_INFO	 4u
#define BIT(sig)	 (1ul << ((sig)-1))

/* As the kernel wants them. */
struct old_action {
	void (*handler)(int);
	unsigned long mask, flags;
	void (*restorer)(void);
};

struct rt_action {
	void *handler;
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask[2];
};

/* struct sigcontext of i386 */
struct context {
	unsigned long gs, fs, es, ds, edi, esi, ebp, esp, ebx, edx, ecx, eax;
	unsigned long trap, error, eip, cs, eflags, esp_at_signal, ss, fpstate, oldmask, cr2;
};

struct ucontext {
	unsigned long flags, link, stack[3];
	struct context c;
	unsigned long mask[2];
};

static volatile int caught;

static void handler(int sig)
{
	caught = sig;
}

/* No restorer: the kernel brings the way back itself. */
static long old_sigaction(int sig, void (*h)(int), unsigned long flags)
{
	struct old_action a = { h, 0, flags, 0 };

	return syscall(NR_SIGACTION, sig, &a, NULL);
}

static long rt_sigaction(int sig, void *h, unsigned long flags)
{
	struct rt_action a = { h, flags, 0, { 0, 0 } };

	return syscall(NR_RT_SIGACTION, sig, &a, NULL, 8);
}

static void test_old_calls(void)
{
	struct old_action old = { 0, 0, 0, 0 };
	unsigned long mask = BIT(SIGUSR2), was = 0, pending[2] = { 0, 0 };

	answer("sigaction", old_sigaction(SIGUSR1, handler, 0));
	raise(SIGUSR1);
	printf("caught: %d\n", caught == SIGUSR1);
	answer("sigaction tells the old", syscall(NR_SIGACTION, SIGUSR1, NULL, &old));
	yes("it is ours", old.handler == handler);

	old_sigaction(SIGUSR2, handler, 0);
	answer("sigprocmask", syscall(NR_SIGPROCMASK, SIG_BLOCK, &mask, &was));
	printf("mask before: %lx\n", was);
	caught = 0;
	raise(SIGUSR2);
	answer("sigpending", syscall(NR_SIGPENDING, pending));
	printf("pending: %d, caught: %d\n", pending[0] == BIT(SIGUSR2), caught);
	pending[0] = 0;
	answer("rt_sigpending", syscall(NR_RT_SIGPENDING, pending, 8));
	printf("pending: %d\n", pending[0] == BIT(SIGUSR2));
	answer("sigsuspend", syscall(NR_SIGSUSPEND, 0, 0, 0));
	printf("caught: %d\n", caught == SIGUSR2);
	mask = 0;
	syscall(NR_SIGPROCMASK, SIG_SETMASK, &mask, &was);
	printf("mask after: %d\n", was == BIT(SIGUSR2));
}

static void test_bad_arguments(void)
{
	unsigned long mask[2] = { 0, 0 };

	answer("signal 0", old_sigaction(0, handler, 0));
	answer("signal 65", old_sigaction(65, handler, 0));
	answer("SIGKILL", old_sigaction(SIGKILL, handler, 0));
	answer("SIGSTOP", rt_sigaction(SIGSTOP, handler, 0));
	answer("wrong size", syscall(NR_RT_SIGACTION, SIGUSR1, NULL, NULL, 4));
	answer("wrong how", syscall(NR_SIGPROCMASK, 9, mask, NULL));
	answer("kill 0, signal 0", kill(0, 0));
	answer("kill nobody", kill(29999, 0));
	answer("kill, signal 99", kill(getpid(), 99));
	answer("tkill 0", syscall(NR_TKILL, 0, SIGUSR1));
	caught = 0;
	answer("tgkill", syscall(NR_TGKILL, getpid(), getpid(), SIGUSR1));
	printf("caught: %d\n", caught == SIGUSR1);
}

static volatile unsigned long seen_sig, seen_addr, seen_same;

/* Gets the registers, and puts the interrupted code elsewhere: the next instruction. */
static void with_info(int sig, int *info, struct ucontext *u)
{
	seen_sig = info[0];
	seen_addr = info[3];
	seen_same = u->c.cr2;
	if (sig == SIGSEGV)
		u->c.eip = u->c.ecx;
}

static void test_context(void)
{
	unsigned long result = 0;

	answer("rt_sigaction", rt_sigaction(SIGSEGV, with_info, WITH_INFO));
	for (int i = 0; i < 3; i++) {
		__asm__ volatile("movl $1f, %%ecx; movl 0x1234, %%eax; 1: addl $1, %0"
				 : "+r"(result)
				 :
				 : "eax", "ecx", "memory");
	}
	printf("faults survived: %lu, signal %lu, address 0x%lx, cr2 0x%lx\n", result, seen_sig,
	       seen_addr, seen_same);
	rt_sigaction(SIGSEGV, 0, 0);
}

/* A floating-point computation goes on after a handler that computes too. */
static volatile double spoiled;

static void computes(int sig)
{
	for (int i = 1; i <= sig; i++)
		spoiled = spoiled / i + 1.5;
}

static void test_floating_point(void)
{
	double sum = 0;

	rt_sigaction(SIGUSR1, computes, 0);
	for (int i = 1; i <= 100; i++) {
		double term = 1.0 / i;

		__asm__ volatile("int $0x80" : : "a"(37), "b"(getpid()), "c"(SIGUSR1) : "memory");
		sum += term;
	}
	printf("sum of 1/i: %ld\n", (long)(sum * 100000000));
}

/* A handler that asks for the right to use ports, and for code in the kernel. */
static void grabs_rights(int sig, int *info, struct ucontext *u)
{
	(void)sig;
	(void)info;
	u->c.eflags |= 0x3000; /* IOPL 3 */
}

static int wants_rights(void)
{
	rt_sigaction(SIGUSR1, grabs_rights, WITH_INFO);
	raise(SIGUSR1);
	__asm__ volatile("inb $0x64, %%al" : : : "eax");
	return 0;
}

static int wild_stack(void)
{
	rt_sigaction(SIGUSR1, handler, 0);
	__asm__ volatile("movl $20, %%eax; int $0x80; movl %%eax, %%ebx; movl $0x10, %%esp;"
			 "movl $10, %%ecx; movl $37, %%eax; int $0x80"
			 :
			 :
			 : "eax", "ebx", "ecx", "memory");
	return 0;
}

static int once(void)
{
	rt_sigaction(SIGUSR1, handler, SA_RESETHAND);
	raise(SIGUSR1);
	raise(SIGUSR1);
	return 0;
}

int main(void)
{
	test_old_calls();
	test_bad_arguments();
	test_context();
	test_floating_point();
	report_child("rights that a frame grabs", wants_rights);
	report_child("no stack for the handler", wild_stack);
	report_child("a handler for once", once);
	return 0;
}
