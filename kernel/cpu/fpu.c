/*
 * fpu.c - floating-point state belongs to its task, lazily.
 *
 * FXSAVE where the processor has it (SSE registers too), else FNSAVE.  A state is
 * 512 or 108 bytes; a task that never computes in floating point has none.
 */
#include "cpu/fpu.h"
#include "cpu/pda.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "sched/task.h"
#include "telemetry.h"

#define FXSAVE_SIZE 512 /* SDM 1 10.5; wants 16-byte alignment, which kmalloc(512) gives */
#define FSAVE_SIZE  108
#define MXCSR_RESET 0x1F80u /* all exceptions masked, SDM 1 10.2.3 */

static bool present, has_fxsr, has_sse;

uint32_t fpu_state_size(void)
{
	return has_fxsr ? FXSAVE_SIZE : FSAVE_SIZE;
}

/* Without an FPU, FNSTSW leaves what was there. */
static bool probe(void)
{
	uint16_t status = 0x5a5a;

	asm volatile("fninit; fnstsw %0" : "+m"(status));
	return status == 0;
}

void fpu_init(void)
{
	uint32_t cr0 = (read_cr0() | CR0_MP | CR0_NE) & ~(CR0_EM | CR0_TS);

	write_cr0(cr0);
	present = probe();
	has_fxsr = cpu_features & CPUID_FXSR;
	has_sse = has_fxsr && cpu_features & CPUID_SSE;
	if (has_fxsr)
		write_cr4(pda_read(stats)->cr4 =
				  read_cr4() | CR4_OSFXSR | (has_sse ? CR4_OSXMMEXCPT : 0));
	write_cr0(present ? cr0 | CR0_TS : (cr0 | CR0_EM) & ~CR0_MP);
}

static void save(void *state)
{
	if (has_fxsr)
		asm volatile("fxsave (%0)" : : "r"(state) : "memory");
	else
		asm volatile("fnsave (%0); fwait" : : "r"(state) : "memory");
}

static void restore(const void *state)
{
	if (has_fxsr)
		asm volatile("fxrstor (%0)" : : "r"(state) : "memory");
	else
		asm volatile("frstor (%0)" : : "r"(state) : "memory");
}

int fpu_use(void)
{
	struct task *t = current;
	uint32_t mxcsr = MXCSR_RESET;

	if (!present)
		return -ENXIO;
	clts();
	if (t->fpu) {
		restore(t->fpu);
	} else {
		t->fpu = kzalloc(fpu_state_size());
		if (!t->fpu) {
			write_cr0(read_cr0() | CR0_TS);
			return -ENOMEM;
		}
		asm volatile("fninit");
		if (has_sse)
			asm volatile("ldmxcsr %0" : : "m"(mxcsr));
	}
	t->fpu_live = true;
	return 0;
}

void fpu_switch_out(struct task *t)
{
	if (!t->fpu_live)
		return;
	save(t->fpu);
	t->fpu_live = false;
	write_cr0(read_cr0() | CR0_TS);
}

int fpu_fork(struct task *child)
{
	struct task *t = current;

	if (!t->fpu)
		return 0;
	child->fpu = kmalloc(fpu_state_size());
	if (!child->fpu)
		return -ENOMEM;
	fpu_switch_out(t);
	memcpy(child->fpu, t->fpu, fpu_state_size());
	return 0;
}

void fpu_drop(struct task *t)
{
	if (t->fpu_live)
		write_cr0(read_cr0() | CR0_TS);
	t->fpu_live = false;
	kfree(t->fpu);
	t->fpu = NULL;
}

void *fpu_take(void)
{
	struct task *t = current;
	void *state = t->fpu;

	fpu_switch_out(t);
	t->fpu = NULL;
	return state;
}

/* FXRSTOR faults on reserved bits of MXCSR (SDM 1 11.6.6); nothing else in a state can hurt. */
#define FXSAVE_MXCSR 24
#define MXCSR_BITS   0xFFBFu /* all but DAZ, which the first processors with SSE lack */

void fpu_give(void *state)
{
	if (has_fxsr)
		*(uint32_t *)((char *)state + FXSAVE_MXCSR) &= MXCSR_BITS;
	fpu_drop(current);
	current->fpu = state;
}
