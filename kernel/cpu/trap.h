/*
 * trap.h - what the processor and our stubs leave on the kernel stack at an entry.
 */
#pragma once

#include "cpu/x86.h"
#include "lib/types.h"

/* SDM 3A 6.3.1 */
enum {
	TRAP_DIVIDE = 0,
	TRAP_DEBUG = 1,
	TRAP_NMI = 2,
	TRAP_BREAKPOINT = 3,
	TRAP_OVERFLOW = 4,
	TRAP_BOUND = 5,
	TRAP_OPCODE = 6,
	TRAP_NO_FPU = 7,
	TRAP_DOUBLE = 8,
	TRAP_TSS = 10,
	TRAP_SEGMENT = 11,
	TRAP_STACK = 12,
	TRAP_PROTECTION = 13,
	TRAP_PAGE = 14,
	TRAP_FPU = 16,
	TRAP_ALIGN = 17,
	TRAP_MACHINE = 18,
	TRAP_SIMD = 19,
	TRAP_IRQ0 = 0x20, /* 16 lines of the two 8259 */
	TRAP_SYSCALL = 0x80,
	TRAP_APIC_TIMER = 0xF0,
	TRAP_RESCHED = 0xF1,
	TRAP_SHOOTDOWN = 0xF2,
	TRAP_SPURIOUS = 0xFF,
};

/* Page-fault error code, SDM 3A 4.7 */
#define PF_PRESENT (1u << 0) /* 0: not present; 1: rights */
#define PF_WRITE   (1u << 1)
#define PF_USER	   (1u << 2)

struct trapframe {
#ifdef PDA_gs
	uint32_t gs; /* the other builds leave it where it is: cpu/pda.h, user_gs() */
#endif
	uint32_t fs, es, ds;					/* our stub */
	uint32_t edi, esi, ebp, esp_unused, ebx, edx, ecx, eax; /* PUSHA */
	uint32_t trap;
	uint32_t error; /* hardware's error code; the call's number at a system call; else 0 */
	uint32_t eip, cs, eflags;
	uint32_t esp, ss; /* there only when it came from user mode */
};

/*
 * A user program that pops the VM flag by IRET gets nowhere on a real processor (SDM 2A, IRET), but
 * into virtual-8086 mode in an emulator that does not check who asks; there %cs is no selector.
 */
static inline bool frame_from_user(const struct trapframe *f)
{
	return (f->cs & 3) || (f->eflags & EFLAGS_VM);
}

/* The user frame of a task lies at the very top of its kernel stack. */
#define FRAME_SIZE sizeof(struct trapframe)

const char *trap_name(uint32_t trap);

/* Fill and load the IDT.  trap_init() once, trap_load() on every CPU. */
void trap_init(void);
void trap_load(void);

typedef void (*irq_handler)(struct trapframe *f);

/*
 * Call `fn` at each interrupt of 8259 line `irq` (0 to 15), and unmask it.  It runs with
 * interrupts off and the kernel lock held, on CPU 0; it must not sleep.
 */
void irq_register(uint32_t irq, irq_handler fn);

/* Interrupts per line since boot. */
extern uint32_t irq_count[16];

/* DR7, which is 0 from the first instruction of a debug trap to the last: see debug_entry. */
extern uint32_t debug_control;
extern char debug_entry[], debug_entry_end[];

/* Where SYSENTER leads: its first instruction finds a stack, and no debug trap may come before. */
extern char sysenter_entry[];

/* Where a faulting kernel instruction goes on, or 0: the table that EXTABLE entries make. */
uint32_t extable_find(uint32_t eip);
