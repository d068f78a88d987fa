/*
 * gdt.c - segments: the kernel's flat ones, the user window, the PDA's.
 *
 * In a private space the window is all of user memory and nobody notices segments. In a shared
 * space it is 64 MB somewhere in the middle, as in 1992: the program's address 0 is
 * linear slot << 26, and the processor checks every access against the limit.
 */
#include "cpu/gdt.h"
#include "cpu/pda.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "mm/paging.h"
#include "telemetry.h"

/* Access bytes, SDM 3A 3.4.5 */
#define ACCESS_KERNEL_CODE 0x9Au
#define ACCESS_KERNEL_DATA 0x92u
#define ACCESS_USER_CODE   0xFAu
#define ACCESS_USER_DATA   0xF2u
#define ACCESS_TSS	   0x89u

#define DESC_32BIT    (1u << 22)
#define DESC_4K_UNITS (1u << 23) /* of the second word */

#define ACCESS_SYSTEM_MASK 0x10u /* set: code or data */

uint64_t gdt_descriptor(uint32_t base, uint32_t bytes, uint32_t access)
{
	uint32_t limit = bytes - 1, low, high = access << 8;

	if (limit > 0xfffff) {
		limit >>= 12;
		high |= DESC_4K_UNITS;
	}
	if (access & ACCESS_SYSTEM_MASK)
		high |= DESC_32BIT;
	low = (limit & 0xffff) | base << 16;
	high |= (limit & 0xf0000) | (base >> 16 & 0xff) | (base & 0xff000000);
	return (uint64_t)high << 32 | low;
}

uint32_t gdt_base(uint64_t descriptor)
{
	return (descriptor >> 16 & 0xffffff) | (uint32_t)(descriptor >> 56) << 24;
}

uint64_t gdt_with_base(uint64_t descriptor, uint32_t base)
{
	return (descriptor & 0x00ffff000000ffffu) | (uint64_t)(base & 0xffffff) << 16 |
	       (uint64_t)(base >> 24) << 56;
}

/* --- the double-fault task ------------------------------------------------ */

/* A stack like every other one: what runs on it asks for its PDA. */
static union {
	struct thread_info info;
	char bytes[STACK_SIZE];
} double_fault_stack __attribute__((aligned(STACK_SIZE), section(".bss.stacks")));
static struct tss double_fault_tss;

static noreturn void double_fault(void)
{
	struct pda *pda;
	struct trapframe f = { 0 };

	/* The processor saved the registers of the broken context in the TSS of its CPU. */
	thread_info_mend();
	pda = this_pda();
	f.trap = TRAP_DOUBLE;
	f.eip = pda->tss.eip;
	f.esp_unused = pda->tss.esp;
	f.ebp = pda->tss.ebp;
	f.eax = pda->tss.eax;
	f.ebx = pda->tss.ebx;
	f.ecx = pda->tss.ecx;
	f.edx = pda->tss.edx;
	f.esi = pda->tss.esi;
	f.edi = pda->tss.edi;
	f.cs = pda->tss.cs;
	f.eflags = pda->tss.eflags;
	panic_at(&f, "double fault: a trap could not be entered (stack overflow?)");
}

/* -------------------------------------------------------------------------- */

struct gdt_pointer {
	uint16_t limit;
	uint32_t base;
} __attribute__((packed));

struct pda *gdt_pda(void)
{
	struct gdt_pointer pointer;

	asm volatile("sgdt %0" : "=m"(pointer));
	return (struct pda *)(pointer.base - offsetof(struct pda, gdt));
}

void thread_info_mend(void)
{
	struct pda *pda = gdt_pda();

	*current_thread_info() = (struct thread_info){ pda->task, pda, pda->cpu, STACK_MAGIC };
}

void gdt_load(struct pda *pda)
{
	struct gdt_pointer pointer = { sizeof(pda->gdt) - 1, (uint32_t)pda->gdt };
	uint64_t *gdt = pda->gdt;

	gdt[GDT_KERNEL_CODE] = gdt_descriptor(0, 0, ACCESS_KERNEL_CODE);
	gdt[GDT_KERNEL_DATA] = gdt_descriptor(0, 0, ACCESS_KERNEL_DATA);
	gdt[GDT_USER_CODE] = gdt_descriptor(0, KERNEL_BASE, ACCESS_USER_CODE);
	gdt[GDT_USER_DATA] = gdt_descriptor(0, KERNEL_BASE, ACCESS_USER_DATA);
	gdt[GDT_TSS] = gdt_descriptor((uint32_t)&pda->tss, sizeof(pda->tss), ACCESS_TSS);
	gdt[GDT_DOUBLE] =
		gdt_descriptor((uint32_t)&double_fault_tss, sizeof(double_fault_tss), ACCESS_TSS);
	gdt[GDT_PDA] = gdt_descriptor((uint32_t)pda, sizeof(*pda), ACCESS_KERNEL_DATA);
	pda->window_limit = KERNEL_BASE;
	pda->stats->gdt = pointer.base;
	pda->stats->tss = (uint32_t)&pda->tss;

	pda->tss.ss0 = KERNEL_DS;
	pda->tss.iomap = sizeof(pda->tss);
	double_fault_tss = (struct tss){
		.eip = (uint32_t)double_fault,
		.esp = (uint32_t)&double_fault_stack + sizeof(double_fault_stack) - 16,
		.eflags = EFLAGS_FIXED,
		.cr3 = virt_to_phys(common_dir),
		.cs = KERNEL_CS,
		.ss = KERNEL_DS,
		.ds = KERNEL_DS,
		.es = KERNEL_DS,
		.gs = KERNEL_GS,
		.iomap = sizeof(struct tss),
	};

	/* After a reset the LDT is 64 KB from address 0 (SDM 3A 9.1.1): where a program could make
	 * itself call gates into the kernel.  So: none. */
	asm volatile("lgdt %0\n\t"
		     "lldt %w3\n\t"
		     "ljmp %1, $1f\n"
		     "1:\n\t"
		     "movl %2, %%ds; movl %2, %%es; movl %2, %%ss\n\t"
		     "movl %3, %%fs; movl %4, %%gs\n\t"
		     "ltr %w5"
		     :
		     : "m"(pointer), "i"(KERNEL_CS), "r"(KERNEL_DS), "r"(0), "r"(KERNEL_GS),
		       "r"(TSS_SEL)
		     : "memory");
}

void segments_changed(struct segments *s, uint32_t base, uint32_t limit)
{
	static uint32_t last;
	bool flat = !base && limit == KERNEL_BASE;

	for (uint32_t i = 0; i < TLS_SLOTS; i++)
		flat = flat && !s->tls[i];
	s->base = base;
	s->key = flat ? 0 : ++last;
}

void segments_move(struct segments *s, uint32_t delta)
{
	for (uint32_t i = 0; i < TLS_SLOTS; i++)
		if (s->tls[i])
			s->tls[i] = gdt_with_base(s->tls[i], gdt_base(s->tls[i]) + delta);
}

void gdt_set_segments(const struct segments *s, uint32_t limit)
{
	uint64_t code = gdt_descriptor(s->base, limit, ACCESS_USER_CODE);
	struct pda *pda = this_pda();

	pda->segments = s->key;
	pda->window_base = s->base;
	pda->window_limit = limit;
	pda->gdt[GDT_USER_CODE] = code;
	pda->gdt[GDT_USER_DATA] = code ^ (uint64_t)(ACCESS_USER_CODE ^ ACCESS_USER_DATA) << 40;
	memcpy(&pda->gdt[GDT_TLS], s->tls, sizeof(s->tls));
}
