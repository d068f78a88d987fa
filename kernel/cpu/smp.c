/*
 * smp.c - the other processors.
 *
 * They wake in real mode, one at a time, each to find its PDA and its idle task's stack
 * allocated and waiting (boot/trampoline.S).  Stopping them later is by NMI, since
 * they may spin with interrupts off.
 *
 * Tunables: cpu.invlpg, cpu.wp, cpu.sysenter.  Lessons 10 and 12.
 */
#include "cpu/smp.h"
#include "boot/trampoline.h"
#include "cpu/acpi.h"
#include "cpu/apic.h"
#include "cpu/cr3.h"
#include "cpu/fpu.h"
#include "cpu/pda.h"
#include "cpu/tlb.h"
#include "cpu/timer.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/paging.h"
#include "mm/space.h"
#include "sched/lock.h"
#include "sched/sched.h"
#include "telemetry.h"

#ifdef PDA_array
_Static_assert(sizeof(struct pda) == 1 << PDA_SHIFT, "offsets.h");
struct pda pda_array[CPUS_MAX];
#else
struct pda boot_pda;
#endif
struct pda *pda_of[CPUS_MAX] = { &boot_pda };
uint32_t cpu_count = 1;
uint32_t cpu_features;
bool cpu_has_wp;
int cpu_may_invlpg = 1, cpu_may_wp = 1, cpu_may_sysenter = 1;

volatile bool smp_stopped;
void (*smp_on_resume)(void);

/* --- what every CPU does to itself ----------------------------------------- */

/* EFLAGS.ID can be changed where there is CPUID; AC on a 486 but not on a 386 (SDM 1 20.1.2). */
static bool flag_can_change(uint32_t flag)
{
	uint32_t before, after;

	asm volatile("pushfl\n\tpopl %0\n\t"
		     "movl %0, %1\n\txorl %2, %1\n\t"
		     "pushl %1\n\tpopfl\n\tpushfl\n\tpopl %1\n\t"
		     "pushl %0\n\tpopfl"
		     : "=&r"(before), "=&r"(after)
		     : "ir"(flag));
	return (before ^ after) & flag;
}

/* SDM 3A 5.8.7.  Where it lacks, or may not be used, it is a fault: the selector stays 0. */
#define MSR_SYSENTER_CS	 0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176

static void sysenter_init(void)
{
	if (!cpu_may_sysenter)
		cpu_features &= ~CPUID_SEP; /* so that no program is told of it */
	if (!(cpu_features & CPUID_SEP))
		return;
	wrmsr(MSR_SYSENTER_CS, KERNEL_CS);
	wrmsr(MSR_SYSENTER_ESP, (uint32_t)&this_pda()->tss);
	wrmsr(MSR_SYSENTER_EIP, (uint32_t)sysenter_entry);
}

/* A machine profile may stand for an older processor than the one that runs us (cpu.invlpg,
 * cpu.wp): then what that one lacks is not used here. */
void cpu_init(void)
{
	uint32_t regs[4];
	bool cpu_is_486;

	if (flag_can_change(EFLAGS_ID)) {
		cpuid(1, regs);
		cpu_features = regs[3];
	}
	cpu_is_486 = flag_can_change(EFLAGS_AC);
	cpu_has_invlpg = cpu_is_486 && cpu_may_invlpg;
	cpu_has_wp = cpu_is_486 && cpu_may_wp;
	if (cpu_has_wp)
		write_cr0(pda_read(stats)->cr0 = read_cr0() | CR0_WP);
	fpu_init();
	sysenter_init();
}

/* A zeroed PDA for `cpu`, or NULL: no memory. */
static struct pda *pda_new(uint32_t cpu)
{
#ifdef PDA_array
	return &pda_array[cpu];
#else
	(void)cpu;
	return kzalloc(sizeof(struct pda));
#endif
}

void pda_init(struct pda *pda, uint32_t cpu)
{
	pda->self = pda;
	pda->cpu = cpu;
	pda->stats = &telemetry.cpu[cpu];
	pda->space = space_get(&kernel_space);
	pda_of[cpu] = pda;
}

/* --- bringing up ------------------------------------------------------------ */

/* Where the trampoline leads, on the stack of this CPU's idle task. */
static void ap_main(struct pda *pda)
{
	gdt_load(pda);
	trap_load();
	cr3_booted();
	cpu_init();
	apic_enable(false);
	timer_init_ap();
	pda->online = 1;
	kernel_lock();
	paging_init_cpu();
	idle_loop();
}

static bool start_cpu(uint32_t cpu, uint32_t id)
{
	struct pda *pda = pda_new(cpu);
	struct trampoline *t = phys_to_virt(TRAMPOLINE_PHYS);
	struct task *idle = pda ? idle_task_new(pda, cpu) : NULL;

	if (!idle) {
		klog("cpu %u: no memory to start it\n", cpu);
		return false;
	}
	pda_init(pda, cpu);
	tlb_publish(cpu);
	pda->apic_id = id;
	pda->idle = pda->task = idle;

	memcpy(t, trampoline_start, trampoline_end - trampoline_start);
	t->dir = virt_to_phys(common_dir);
	t->stack = (uint32_t)idle->stack + STACK_SIZE;
	t->argument = (uint32_t)pda;
	t->entry = (uint32_t)ap_main;

	apic_start_cpu(id, TRAMPOLINE_PHYS);
	for (uint32_t ms = 0; ms < 1000; ms++) {
		if (pda->online)
			return true;
		timer_wait_us(1000);
	}
	klog("cpu %u (APIC %u) did not start\n", cpu, id);
	pda_of[cpu] = NULL;
	return false;
}

void smp_start(void)
{
	struct acpi_cpus found;
	uint32_t me = apic_id();

	boot_pda.apic_id = me;
	if (!apic_present || !acpi_find_cpus(&found))
		return;
	/* The trampoline turns paging on while it runs at its physical address. */
	common_dir[0] = common_dir[KERNEL_FIRST_DIR];
	for (uint32_t i = 0; i < found.count; i++)
		if (found.apic_id[i] != me && start_cpu(cpu_count, found.apic_id[i]))
			cpu_count++;
	common_dir[0] = 0;
	tlb_flush_page(0);
	telemetry.cpus = cpu_count;
}

void smp_kick(uint32_t cpu)
{
	apic_send(pda_of[cpu]->apic_id, TRAP_RESCHED);
}

/* --- stopping the world ------------------------------------------------------ */

static volatile uint32_t stopper;

bool smp_stop_begin(void)
{
	return !xchg32(&stopper, 1);
}

uint32_t smp_stop(void)
{
	uint32_t missing = 0;

	smp_stopped = true;
	apic_send_nmi_others();
	for (uint32_t ms = 0; ms < 1000; ms++) {
		missing = 0;
		for (uint32_t i = 0; i < cpu_count; i++)
			missing += pda_of[i] != this_pda() && !pda_of[i]->stopped;
		if (!missing)
			break;
		timer_wait_us(1000);
	}
	return missing;
}

void smp_resume(void)
{
	smp_stopped = false;
	for (uint32_t i = 0; i < cpu_count; i++)
		while (pda_of[i] != this_pda() && pda_of[i]->stopped)
			cpu_pause();
	stopper = 0;
}

void smp_nmi(struct trapframe *f)
{
	struct pda *pda = this_pda();

	if (!smp_stopped)
		return;
	pda->stopped = f;
	while (smp_stopped)
		cpu_pause();
	if (smp_on_resume)
		smp_on_resume();
	pda->stopped = NULL;
}
