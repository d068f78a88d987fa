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

#include "cpu/fpu.h"
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
	uaddr_t fpstate; /* the FPU's state, as FXSAVE or FNSAVE wrote it; 0: it had none */
	uint32_t oldmask, cr2;
};

struct siginfo {
	int32_t signo, error, code;
	uaddr_t addr;
	uint32_t rest[28];
};

/* Signals that an instruction caused; the others were sent. */
#define SIG_FAULTS \
	(SIG_BIT(SIGSEGV) | SIG_BIT(SIGBUS) | SIG_BIT(SIGILL) | SIG_BIT(SIGFPE) | SIG_BIT(SIGTRAP))
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

static void save_context(struct sigcontext *c, const struct trapframe *f, uint32_t mask,
			 uaddr_t fpstate)
{
	c->gs = user_gs(f);
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
	c->fpstate = fpstate;
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
	user_gs_set(f, safe_selector(c->gs));
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

/* What is pushed, and below where. */
struct push {
	struct trapframe *f;
	int sig;
	const struct sigaction *action;
	uint32_t mask;
	uaddr_t below, fpstate;
};

/* Where a frame of `size` bytes goes: the stack is 16-byte aligned before the return address. */
static uaddr_t frame_place(const struct push *p, uint32_t size)
{
	return ((p->below - size + 4) & ~15u) - 4;
}

/* Where the handler returns to: to the restorer it brought, or to the code in its frame. */
static uaddr_t return_place(const struct push *p, uaddr_t code)
{
	return p->action->flags & SA_RESTORER ? p->action->restorer : code;
}

static int push_plain(const struct push *p)
{
	uaddr_t at = frame_place(p, sizeof(struct frame_plain));
	struct frame_plain frame;

	frame.return_to = return_place(p, at + offsetof(struct frame_plain, code));
	frame.sig = p->sig;
	save_context(&frame.context, p->f, p->mask, p->fpstate);
	memcpy(frame.code, code_plain, sizeof(frame.code));
	if (copy_to_user(at, &frame, sizeof(frame)))
		return -EFAULT;
	p->f->esp = at;
	return 0;
}

static void fill_rt(struct frame_rt *frame, uaddr_t at, const struct push *p)
{
	bool fault = SIG_BIT(p->sig) & SIG_FAULTS;

	frame->return_to = return_place(p, at + offsetof(struct frame_rt, code));
	frame->sig = p->sig;
	frame->info_at = at + offsetof(struct frame_rt, info);
	frame->context_at = at + offsetof(struct frame_rt, uc_flags);
	frame->info.signo = p->sig;
	frame->info.code = fault ? SI_KERNEL : SI_USER;
	frame->info.addr = fault ? current->fault_addr : 0;
	frame->stack_flags = SS_DISABLE;
	frame->mask[0] = p->mask;
	save_context(&frame->context, p->f, p->mask, p->fpstate);
	memcpy(frame->code, code_rt, sizeof(frame->code));
}

/* Over 300 bytes: too big for a kernel stack, so from the heap. */
static int push_rt(const struct push *p)
{
	uaddr_t at = frame_place(p, sizeof(struct frame_rt));
	struct frame_rt *frame = kzalloc(sizeof(*frame));
	int err;

	if (!frame)
		return -EFAULT;
	fill_rt(frame, at, p);
	err = copy_to_user(at, frame, sizeof(*frame));
	if (!err) {
		p->f->esp = at;
		p->f->edx = frame->info_at;
		p->f->ecx = frame->context_at;
	}
	kfree(frame);
	return err;
}

/* The FPU's state goes first, if there is one. */
static int push_fpu(struct push *p)
{
	void *state = fpu_take();
	int err;

	if (!state)
		return 0;
	p->fpstate = p->below = (p->below - fpu_state_size()) & ~15u;
	err = copy_to_user(p->fpstate, state, fpu_state_size());
	kfree(state);
	return err;
}

int signal_push_frame(struct trapframe *f, int sig, const struct sigaction *a, uint32_t mask)
{
	struct push p = { .f = f, .sig = sig, .action = a, .mask = mask, .below = f->esp };
	int err = push_fpu(&p);

	if (!err)
		err = a->flags & SA_SIGINFO ? push_rt(&p) : push_plain(&p);
	if (err)
		return err;
	f->eax = sig; /* for handlers that take it in a register */
	f->eip = a->handler;
	f->cs = USER_CS;
	f->ds = f->es = f->ss = USER_DS;
	f->eflags &= ~(EFLAGS_DF | EFLAGS_TF | EFLAGS_RF | EFLAGS_VM);
	f->error = ~0u;
	return 0;
}

static int pop_fpu(uaddr_t fpstate)
{
	void *state;

	if (!fpstate) {
		fpu_drop(current);
		return 0;
	}
	state = kmalloc(fpu_state_size());
	if (!state || copy_from_user(state, fpstate, fpu_state_size())) {
		kfree(state);
		return -EFAULT;
	}
	fpu_give(state);
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

	if (copy_from_user(&c, at + offsetof(struct frame_plain, context), sizeof(c)) ||
	    pop_fpu(c.fpstate))
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
	    get_user32(&mask, at + offsetof(struct frame_rt, mask)) || pop_fpu(c.fpstate))
		return bad_frame(f);
	signal_set_mask(mask);
	restore_context(f, &c);
	return f->eax;
}
