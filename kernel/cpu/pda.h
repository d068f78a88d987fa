/*
 * pda.h - the per-processor data area, and the ways that reach it.
 *
 * A processor's own data lie in a struct pda.  Kernel code must find the one of the CPU that it
 * runs on, with nothing in its hands but registers.  Three builds, three answers:
 *
 *   gs     %gs holds a selector whose base is the PDA: a field is one instruction away, and needs
 *          no base register.  The price: user code owns %gs, so every entry saves it and loads
 *          ours, and every exit puts it back.
 *   stack  a kernel stack is one page, and the thread_info at its base says whose PDA it is:
 *          mask the stack pointer, load the PDA's address, load the field.
 *   array  the PDAs are a static array for the most CPUs there can be, indexed by the CPU number
 *          that thread_info holds.  What is never used is paid for, too.
 *
 * `stack` and `array` leave %gs to user code; only a task switch must change it.
 *
 * A read is no volatile access: between two calls the compiler may keep what it has read.  It may
 * not do so over schedule(), after which this may be another CPU: a call into another file is
 * taken to change memory.
 *
 * What differs between the builds is here, in the entry code (by the macros at the end) and in
 * smp.c, where a PDA comes from.
 *
 * Build-time choice: PDA=gs|stack|array.  Lessons 10 and 11.
 */
#pragma once

#include "cpu/gdt.h"
#include "cpu/offsets.h"

#define CPUS_MAX   8
#define STACK_SIZE 4096

#ifdef PDA_gs
#define PDA_KIND  "gs"
#define KERNEL_GS PDA_SEL
#elif defined(PDA_stack)
#define PDA_KIND  "stack"
#define KERNEL_GS 0
#else
#define PDA_KIND  "array"
#define KERNEL_GS 0
#endif

#ifndef __ASSEMBLER__
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/types.h"

#define STACK_MAGIC 0x4b6c6176u /* "Klav": gone when the stack grew over its end */

struct task;
struct space;
struct telemetry_cpu;

/* At the base of every kernel stack. */
struct thread_info {
	struct task *task;
	struct pda *pda; /* of the CPU that runs on this stack; kept in the stack build */
	uint32_t cpu;	 /* its number; kept in the array build */
	uint32_t magic;
};

#ifdef PDA_array
#define PDA_ALIGNED __attribute__((aligned(1 << PDA_SHIFT))) /* an index is a shift away */
#else
#define PDA_ALIGNED
#endif

struct pda {
	struct pda *self;
	struct task *task;     /* the running one */
	struct space *space;   /* whose directory this CPU stands on; holds a reference */
	uint32_t cpu;	       /* 0 to CPUS_MAX - 1 */
	uint32_t need_resched; /* schedule before returning to user mode; cpu/offsets.h knows its
				  place */
	struct telemetry_cpu *stats;
	struct task *idle;
	uint32_t apic_id;
	uint32_t segments;		    /* key of what the user descriptors say now */
	uint32_t window_base, window_limit; /* and of their window */
	uint32_t slice;			    /* ticks left to the current task */
	volatile uint32_t flush_pending;    /* somebody waits for this CPU to flush: cpu/tlb.c */
	uint32_t stale;	   /* translations of its borrowed space changed: flush before using them */
	struct task *dead; /* left at a switch, and nobody will wait for it: freed then, too */
	struct space *left; /* space left at a switch: dropped once off the old stack */
	volatile uint32_t online;
	struct trapframe *stopped; /* frame at which the monitor stopped it, or NULL */
	uint32_t below_tss[16];	   /* the stack that SYSENTER starts on, for an NMI then */
	struct tss tss;
	uint64_t gdt[GDT_SLOTS];
} PDA_ALIGNED;

/* By CPU number; NULL for CPUs that are not there. */
extern struct pda *pda_of[CPUS_MAX];
extern uint32_t cpu_count;

/* CPU 0's is static: it needs one before there is an allocator. */
#ifdef PDA_array
extern struct pda pda_array[CPUS_MAX];
#define boot_pda pda_array[0]
#else
extern struct pda boot_pda;
#endif

static inline struct thread_info *current_thread_info(void)
{
	uint32_t esp;

	asm("movl %%esp, %0" : "=r"(esp));
	return (struct thread_info *)(esp & -STACK_SIZE);
}

/*
 * The running task.  Constant as seen by that task, so in every build the compiler may keep it in a
 * register, even over a call.
 */
#ifdef PDA_gs
#define current_from(task_) asm("movl %%gs:%c1, %0" : "=r"(task_) : "i"(PDA_TASK))
#else
#define current_from(task_) \
	asm("movl %c2(%1), %0" : "=r"(task_) : "r"(current_thread_info()), "i"(THREAD_TASK))
#endif
#define current                   \
	({                        \
		struct task *t_;  \
		current_from(t_); \
		t_;               \
	})

/* --- a field of this CPU's PDA --------------------------------------------- */

#ifdef PDA_gs

/* Nobody's memory: it tells the compiler which reads and writes have to do with each other. */
extern struct pda pda_proxy;

#define PDA_AT(field) "i"(offsetof(struct pda, field))

#define pda_read(field)                                                                    \
	({                                                                                 \
		typeof(pda_proxy.field) v_;                                                \
		asm("movl %%gs:%c1, %0" : "=r"(v_) : PDA_AT(field), "m"(pda_proxy.field)); \
		v_;                                                                        \
	})
#define pda_write(field, value)                                                             \
	do {                                                                                \
		typeof(pda_proxy.field) v_ = (value);                                       \
		asm("movl %1, %%gs:%c2" : "+m"(pda_proxy.field) : "ri"(v_), PDA_AT(field)); \
	} while (0)
#define pda_add(field, value)                        \
	asm("addl %1, %%gs:%c2"                      \
	    : "+m"(pda_proxy.field)                  \
	    : "ri"((uint32_t)(value)), PDA_AT(field) \
	    : "cc")

#define this_pda() pda_read(self)

#else

#ifdef PDA_stack
#define this_pda() (current_thread_info()->pda)
#else
#define this_pda() (&pda_array[current_thread_info()->cpu])
#endif

#define pda_read(field)		(this_pda()->field)
#define pda_write(field, value) ((void)(this_pda()->field = (value)))
#define pda_add(field, value)	((void)(this_pda()->field += (value)))

#endif

/* --- the user's %gs --------------------------------------------------------- */

/*
 * user_gs(): the selector that the current task has in %gs in user mode, whose entry frame is `f`.
 * user_gs_set(): what it shall have when it goes back; one that cannot be loaded becomes null.
 * pda_follow(): a switch leads from a task with `*gs` in %gs, which is noted, to the stack `to` of
 * one with `next_gs`; `pda` is this CPU's.  The GDT says already what it is to say for that task.
 */
#ifdef PDA_gs
static inline uint32_t user_gs(const struct trapframe *f)
{
	return f->gs & 0xffff;
}

static inline void user_gs_set(struct trapframe *f, uint32_t selector)
{
	f->gs = selector;
}

static inline void pda_follow(struct pda *pda, struct thread_info *to, uint32_t *gs,
			      uint32_t next_gs)
{
	(void)pda, (void)to, (void)gs, (void)next_gs; /* %gs leads to the PDA, whoever runs */
}
#else
static inline uint32_t user_gs(const struct trapframe *f)
{
	(void)f;
	return read_gs();
}

static inline void user_gs_set(struct trapframe *f, uint32_t selector)
{
	(void)f;
	load_gs(selector);
}

static inline void pda_follow(struct pda *pda, struct thread_info *to, uint32_t *gs,
			      uint32_t next_gs)
{
#ifdef PDA_stack
	to->pda = pda;
#else
	to->cpu = pda->cpu;
#endif
	*gs = read_gs();
	if (*gs | next_gs)
		load_gs(next_gs);
}
#endif

#else /* --- the same for entry.S ------------------------------------------------ */

/* At `at`, if the instruction faults, go on at `to`. */
.macro on_fault at, to
	.pushsection .extable, "a"
	.long	\at, \to
	.popsection
.endm

/*
 * Pop a segment register.  What user code left in it may not be loadable any more: it becomes null,
 * and the program finds out when it uses it.
 */
.macro pop_segment register
9:	popl	%\register
	on_fault 9b, 8f
	.subsection 1
8:	movl	$0, (%esp)
	jmp	9b
	.previous
.endm

/* The last thing saved at an entry, and the first put back. */
.macro pda_enter scratch
#ifdef PDA_gs
	pushl	%gs
	movl	$PDA_SEL, \scratch
	movl	\scratch, %gs
#endif
.endm

.macro pda_leave
#ifdef PDA_gs
	pop_segment gs
#endif
.endm

/*
 * At a system call the frame fills the top of the stack, so that thread_info lies at a fixed
 * distance from %esp: not even a mask is needed.
 */
/* clang-format off */
#define THREAD_INFO(field) (FRAME_BYTES - STACK_SIZE + field)(%esp)
/* clang-format on */

/* The current task, to `register`. */
.macro find_task register
#ifdef PDA_gs
	movl	%gs:PDA_TASK, \register
#else
	movl	THREAD_INFO(THREAD_TASK), \register
#endif
.endm

/* Zero flag clear: something else should run before this task goes back. */
.macro test_need_resched scratch
#ifdef PDA_gs
	cmpl	$0, %gs:PDA_NEED_RESCHED
#elif defined(PDA_stack)
	movl	THREAD_INFO(THREAD_PDA), \scratch
	cmpl	$0, PDA_NEED_RESCHED(\scratch)
#else
	movl	THREAD_INFO(THREAD_CPU), \scratch
	shll	$PDA_SHIFT, \scratch
	cmpl	$0, pda_array + PDA_NEED_RESCHED(\scratch)
#endif
.endm
#endif
