/*
 * step.c - run exactly one instruction of the stopped CPU, and never lose it.
 *
 * EFLAGS.TF traps after the next instruction.  But if that instruction itself enters the kernel
 * (a fault, INT), hardware clears TF and the handler runs away.  So while stepping, all gates lead
 * to stubs that report a debug trap at the handler's first instruction (switch.S).  Interrupts are
 * kept off: the other CPUs are stopped, and one instruction should be one instruction.
 *
 * TF and IF are visible to the program in what PUSHF and INT push: they are put right there.
 */
#include "cpu/pda.h"
#include "cpu/x86.h"
#include "mm/space.h"
#include "monitor/shell/gates.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/step.h"
#include "sched/task.h"

#define STUBS	  33 /* vectors 0 to 31, and the system call */
#define STUB_SIZE 16
#define NO_VECTOR 0xffffffffu

/* Opcodes that read or write EFLAGS or do not end: SDM 2. */
#define OP_HLT	 0xF4
#define OP_PUSHF 0x9C
#define OP_POPF	 0x9D
#define OP_IRET	 0xCF
#define OP_CLI	 0xFA
#define OP_STI	 0xFB

extern const char step_stubs[];
extern uint32_t step_handlers[STUBS]; /* the real ones; switch.S reads them */
extern uint32_t step_vector;	      /* which stub was taken; switch.S writes it */

uint32_t step_handlers[STUBS];
uint32_t step_vector = NO_VECTOR;
uint32_t steps_left;

static bool interrupts_were_on;
static uint8_t opcode;

/* The instruction's first byte that is not a prefix we meet. */
static uint8_t opcode_at(const struct trapframe *f)
{
	uint8_t code[2] = { 0 };

	if (frame_from_user(f))
		peek_user(current->space, f->eip, code, sizeof(code));
	else
		peek_kernel(f->eip, code, sizeof(code));
	return code[0] == 0x66 ? code[1] : code[0];
}

static uint32_t vector_of(uint32_t stub)
{
	return stub == STUBS - 1 ? TRAP_SYSCALL : stub;
}

static void lead_gates_here(void)
{
	gates_copy();
	for (uint32_t i = 0; i < STUBS; i++) {
		uint32_t v = vector_of(i);

		step_handlers[i] = gates_get(v);
		/* A stop of another CPU must get through, #DB is what we wait for, #DF has no
		 * address. */
		if (v != TRAP_NMI && v != TRAP_DEBUG && v != TRAP_DOUBLE && step_handlers[i])
			gates_set(v, (uint32_t)step_stubs + i * STUB_SIZE);
	}
	gates_use(true);
}

bool step_begin(struct trapframe *f)
{
	opcode = opcode_at(f);
	if (opcode == OP_HLT && !frame_from_user(f)) {
		f->eip++;
		return false;
	}
	interrupts_were_on = f->eflags & EFLAGS_IF;
	f->eflags = (f->eflags | EFLAGS_TF | EFLAGS_RF) & ~EFLAGS_IF;
	step_vector = NO_VECTOR;
	lead_gates_here();
	return true;
}

/* Flags as they would be without us. */
static uint32_t without_step(uint32_t eflags)
{
	return (eflags & ~(EFLAGS_TF | EFLAGS_RF)) | (interrupts_were_on ? EFLAGS_IF : 0);
}

static bool has_error_code(uint32_t vector)
{
	return (vector >= TRAP_DOUBLE && vector <= TRAP_PAGE && vector != 9) ||
	       vector == TRAP_ALIGN;
}

/* PUSHF left our TF on the stack. */
static void clean_pushed_flags(struct trapframe *f)
{
	paddr_t p;
	bool user = frame_from_user(f);
	uint32_t sp = user ? f->esp + current->space->base : (uint32_t)&f->esp;

	if (peek_translate(user ? current->space->dir : common_dir, sp, &p) && frame_is_ram(p)) {
		uint32_t *flags = phys_to_virt(p);

		*flags = without_step(*flags);
	}
}

const char *step_end(struct trapframe *f)
{
	uint32_t stub = step_vector;

	gates_use(false);
	step_vector = NO_VECTOR;
	if (stub != NO_VECTOR) {
		/* Hardware's frame lies below the one the stub made: [error], eip, cs, eflags. */
		uint32_t *hardware = &f->esp + has_error_code(vector_of(stub));

		hardware[2] = without_step(hardware[2]);
		return trap_name(vector_of(stub));
	}
	switch (opcode) {
	case OP_PUSHF:
		clean_pushed_flags(f);
		f->eflags = without_step(f->eflags);
		break;
	case OP_POPF:
	case OP_IRET:
	case OP_CLI:
	case OP_STI: /* the instruction's own doing stays */
		f->eflags &= ~(EFLAGS_TF | EFLAGS_RF);
		break;
	default:
		f->eflags = without_step(f->eflags);
	}
	return NULL;
}
