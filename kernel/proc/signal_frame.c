/*
 * signal_frame.c - running a handler: the interrupted registers wait on the user's own stack.
 *
 * The one idea: the kernel pushes a frame that looks to the handler like a call.  When the handler
 * returns, the return address leads to two instructions that ask the kernel, by sigreturn, to put
 * the registers back.  The frame was in the user's hands meanwhile, so nothing in it is believed:
 * selectors and flags are forced to what a user may have.
 *
 * Layouts are those of Linux i386 (its asm/sigcontext.h and ucontext.h), as far as handlers see
 * them.
 */

#include "cpu/gdt.h"
#include "cpu/pda.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/usercopy.h"
#include "proc/proc.h"
#include "proc/signal.h"

struct sigcontext {
	uint32_t gs, fs, es, ds;
	uint32_t edi, esi, ebp, esp, ebx, edx, ecx, eax;
	uint32_t trap, error;
	uint32_t eip, cs, eflags, esp_at_signal, ss;
	uaddr_t fpstate; /* 0: FPU state belongs to the task and is not in the frame */
	uint32_t oldmask, cr2;
};

struct siginfo {
	int32_t signo, error, code;
	uaddr_t addr;
	uint32_t rest[28];
};

#define SI_KERNEL 0x80
#define SI_USER	  0

/* MOV $number, %eax; INT $0x80: what a handler returns to when it brought no restorer. */
#define NR_SIGRETURN	119
#define NR_RT_SIGRETURN 173

struct frame_plain {
	uaddr_t return_to;
	int32_t sig;
	struct sigcontext context;
	uint8_t code[8]; /* POP %eax first, as Linux: sigreturn finds the frame at esp - 8 */
};

struct frame_rt {
	uaddr_t return_to;
	int32_t sig;
	uaddr_t info_at, context_at;
	struct siginfo info;
	/* struct ucontext */
	uint32_t uc_flags;
	uaddr_t uc_link;
	uint32_t stack_base, stack_flags, stack_size;
	struct sigcontext context;
	uint32_t mask[2];
	uint8_t code[8];
};

#define SS_DISABLE 2

static const uint8_t code_plain[8] = { 0x58, 0xb8, NR_SIGRETURN, 0, 0, 0, 0xcd, 0x80 };
static const uint8_t code_rt[8] = { 0xb8, NR_RT_SIGRETURN, 0, 0, 0, 0xcd, 0x80, 0x90 };

static void save_context(struct sigcontext *c, const struct trapframe *f, uint32_t mask)
{
	c->gs = f->gs;
	c->fs = f->fs;
	c->es = f->es;
	c->ds = f->ds;
	c->edi = f->edi;
	c->esi = f->esi;
	c->ebp = f->ebp;
	c->esp = c->esp_at_signal = f->esp;
	c->ebx = f->ebx;
	c->edx = f->edx;
	c->ecx = f->ecx;
	c->eax = f->eax;
	c->trap = f->trap;
	c->error = f->error;
	c->eip = f->eip;
	c->cs = f->cs;
	c->eflags = f->eflags;
	c->ss = f->ss;
	c->fpstate = 0;
	c->oldmask = mask;
	c->cr2 = current->fault_addr;
}

/* A data selector that a user may have: none, the flat one, or a thread-local one. */
static uint32_t safe_selector(uint32_t s)
{
	uint32_t slot = (s & 0xffff) >> 3;

	if ((s & 0xffff) == USER_DS || ((s & 7) == 3 && slot >= GDT_TLS && slot < GDT_TLS + 3))
		return s & 0xffff;
	return 0;
}

/* What a program may change in its flags: the arithmetic ones, DF, TF, RF, AC. */
#define EFLAGS_USER (0x8d5u | EFLAGS_TF | EFLAGS_DF | EFLAGS_RF | EFLAGS_AC)

static void restore_context(struct trapframe *f, const struct sigcontext *c)
{
	f->gs = safe_selector(c->gs);
	f->fs = safe_selector(c->fs);
	f->es = USER_DS;
	f->ds = USER_DS;
	f->edi = c->edi;
	f->esi = c->esi;
	f->ebp = c->ebp;
	f->ebx = c->ebx;
	f->edx = c->edx;
	f->ecx = c->ecx;
	f->eax = c->eax;
	f->eip = c->eip;
	f->cs = USER_CS;
	f->eflags = (c->eflags & EFLAGS_USER) | EFLAGS_IF | EFLAGS_FIXED;
	f->esp = c->esp;
	f->ss = USER_DS;
	f->error = ~0u; /* eax is the interrupted code's: no call to restart */
}

/* Where a frame of `size` bytes goes: the stack is 16-byte aligned before the return address. */
static uaddr_t frame_place(const struct trapframe *f, uint32_t size)
{
	return ((f->esp - size + 4) & ~15u) - 4;
}

static int push_plain(struct trapframe *f, int sig, const struct sigaction *a, uint32_t mask)
{
	uaddr_t at = frame_place(f, sizeof(struct frame_plain));
	struct frame_plain frame;

	frame.return_to = at + offsetof(struct frame_plain, code);
	if (a->flags & SA_RESTORER)
		frame.return_to = a->restorer;
	frame.sig = sig;
	save_context(&frame.context, f, mask);
	memcpy(frame.code, code_plain, sizeof(frame.code));
	if (copy_to_user(at, &frame, sizeof(frame)))
		return -EFAULT;
	f->esp = at;
	return 0;
}

static void fill_rt(struct frame_rt *frame, uaddr_t at, const struct trapframe *f, int sig)
{
	bool fault = sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE;

	frame->sig = sig;
	frame->info_at = at + offsetof(struct frame_rt, info);
	frame->context_at = at + offsetof(struct frame_rt, uc_flags);
	frame->info.signo = sig;
	frame->info.code = fault ? SI_KERNEL : SI_USER;
	frame->info.addr = fault ? current->fault_addr : 0;
	frame->stack_flags = SS_DISABLE;
	memcpy(frame->code, code_rt, sizeof(frame->code));
	(void)f;
}

/* Over 300 bytes: too big for a kernel stack, so from the heap. */
static int push_rt(struct trapframe *f, int sig, const struct sigaction *a, uint32_t mask)
{
	uaddr_t at = frame_place(f, sizeof(struct frame_rt));
	struct frame_rt *frame = kzalloc(sizeof(*frame));
	int err;

	if (!frame)
		return -EFAULT;
	fill_rt(frame, at, f, sig);
	frame->return_to =
		a->flags & SA_RESTORER ? a->restorer : at + offsetof(struct frame_rt, code);
	frame->mask[0] = mask;
	save_context(&frame->context, f, mask);
	err = copy_to_user(at, frame, sizeof(*frame));
	if (!err) {
		f->esp = at;
		f->edx = frame->info_at;
		f->ecx = frame->context_at;
	}
	kfree(frame);
	return err;
}

int signal_push_frame(struct trapframe *f, int sig, const struct sigaction *a, uint32_t mask)
{
	int err = a->flags & SA_SIGINFO ? push_rt(f, sig, a, mask) : push_plain(f, sig, a, mask);

	if (err)
		return err;
	f->eax = sig; /* for handlers that take it in a register */
	f->eip = a->handler;
	f->cs = USER_CS;
	f->ds = f->es = f->ss = USER_DS;
	f->eflags &= ~(EFLAGS_DF | EFLAGS_TF | EFLAGS_RF);
	f->error = ~0u;
	return 0;
}

static int32_t bad_frame(struct trapframe *f)
{
	proc_fault(f, SIGSEGV, "return from a signal handler with a bad stack");
	return f->eax;
}

int32_t signal_return(struct trapframe *f)
{
	uaddr_t at = f->esp - 8; /* return address and `sig` have been popped */
	struct sigcontext c;

	if (copy_from_user(&c, at + offsetof(struct frame_plain, context), sizeof(c)))
		return bad_frame(f);
	signal_set_mask(c.oldmask);
	restore_context(f, &c);
	return f->eax;
}

int32_t signal_return_rt(struct trapframe *f)
{
	uaddr_t at = f->esp - 4; /* the return address has been popped */
	struct sigcontext c;
	uint32_t mask;

	if (copy_from_user(&c, at + offsetof(struct frame_rt, context), sizeof(c)) ||
	    get_user32(&mask, at + offsetof(struct frame_rt, mask)))
		return bad_frame(f);
	signal_set_mask(mask);
	restore_context(f, &c);
	return f->eax;
}
