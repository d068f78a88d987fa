/*
 * pda.h - the per-processor data area, and the one set of macros that reaches it.
 *
 * This is the gs build: %gs holds a selector whose base is this CPU's PDA, so that
 * a field is one instruction away, `mov %gs:offset, reg`, without a base register.
 * Price: user code owns %gs, so every kernel entry saves it and loads ours.
 *
 * Allocated as each CPU comes up (claim B3); CPU 0's is static, since it needs one
 * before there is an allocator.
 *
 * Lessons 10 and 11.
 */
#pragma once

#include "cpu/gdt.h"
#include "lib/types.h"

#define CPUS_MAX 8

struct task;
struct space;
struct trapframe;
struct telemetry_cpu;

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
	uint32_t window_base, window_limit; /* what the user descriptors say now */
	uint32_t slice;			    /* ticks left to the current task */
	volatile uint32_t flush_pending;    /* somebody waits for this CPU to flush: cpu/tlb.c */
	uint32_t stale;	   /* translations of its borrowed space changed: flush before using them */
	struct task *dead; /* left at a switch, and nobody will wait for it: freed then, too */
	struct space *left; /* space left at a switch: dropped once off the old stack */
	volatile uint32_t online;
	struct trapframe *stopped; /* frame at which the monitor stopped it, or NULL */
	struct tss tss;
	uint64_t gdt[GDT_SLOTS];
};

/* By CPU number; NULL for CPUs that are not there. */
extern struct pda *pda_of[CPUS_MAX];
extern uint32_t cpu_count;

#define pda_read(field)                                                                          \
	({                                                                                       \
		typeof(((struct pda *)0)->field) v_;                                             \
		asm volatile("movl %%gs:%c1, %0" : "=r"(v_) : "i"(offsetof(struct pda, field))); \
		v_;                                                                              \
	})
#define pda_write(field, value)                                           \
	do {                                                              \
		typeof(((struct pda *)0)->field) v_ = (value);            \
		asm volatile("movl %0, %%gs:%c1"                          \
			     :                                            \
			     : "ri"(v_), "i"(offsetof(struct pda, field)) \
			     : "memory");                                 \
	} while (0)
#define pda_add(field, value)                                                    \
	asm volatile("addl %0, %%gs:%c1"                                         \
		     :                                                           \
		     : "ri"((uint32_t)(value)), "i"(offsetof(struct pda, field)) \
		     : "memory", "cc")

/* The running task.  Constant as seen by that task, so the compiler may keep it in a register. */
#define current                                                                        \
	({                                                                             \
		struct task *t_;                                                       \
		asm("movl %%gs:%c1, %0" : "=r"(t_) : "i"(offsetof(struct pda, task))); \
		t_;                                                                    \
	})

#define this_pda() pda_read(self)
