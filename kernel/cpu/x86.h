/*
 * x86.h - the processor's own words: registers, flags, instructions.
 *
 * Thin wrappers, one instruction each, named after it.  Bit names are those of Intel's
 * manual (SDM volume 3A, sections 2.3 to 2.5; on the 386 most of them read as zero).
 * CR3 is not written here: see cpu/cr3.c, the one door.
 */
#pragma once

#include "lib/types.h"

/* CR0, SDM 3A 2.5 */
#define CR0_PE (1u << 0)  /* protected mode */
#define CR0_MP (1u << 1)  /* WAIT heeds TS */
#define CR0_EM (1u << 2)  /* no FPU: its instructions trap */
#define CR0_TS (1u << 3)  /* task switched: the next FPU instruction traps (#NM) */
#define CR0_NE (1u << 5)  /* FPU errors by #MF, not by IRQ 13 */
#define CR0_WP (1u << 16) /* ring 0 honours read-only pages; 486 and later */
#define CR0_AM (1u << 18)
#define CR0_NW (1u << 29)
#define CR0_CD (1u << 30)
#define CR0_PG (1u << 31)

/* CR4, SDM 3A 2.5 */
#define CR4_PSE	       (1u << 4)
#define CR4_PGE	       (1u << 7)
#define CR4_OSFXSR     (1u << 9)
#define CR4_OSXMMEXCPT (1u << 10)

/* EFLAGS, SDM 1 3.4.3 */
#define EFLAGS_CF    (1u << 0)
#define EFLAGS_FIXED (1u << 1) /* reads as one */
#define EFLAGS_TF    (1u << 8)
#define EFLAGS_IF    (1u << 9)
#define EFLAGS_DF    (1u << 10)
#define EFLAGS_IOPL  (3u << 12)
#define EFLAGS_NT    (1u << 14)
#define EFLAGS_RF    (1u << 16)
#define EFLAGS_VM    (1u << 17)
#define EFLAGS_AC    (1u << 18)
#define EFLAGS_ID    (1u << 21)

/* CPUID leaf 1, EDX: SDM 2A, table 3-11 */
#define CPUID_FPU  (1u << 0)
#define CPUID_PSE  (1u << 3)
#define CPUID_TSC  (1u << 4)
#define CPUID_APIC (1u << 9)
#define CPUID_SEP  (1u << 11)
#define CPUID_PGE  (1u << 13)
#define CPUID_FXSR (1u << 24)
#define CPUID_SSE  (1u << 25)

static inline void outb(uint16_t port, uint8_t v)
{
	asm volatile("outb %0, %1" : : "a"(v), "Nd"(port));
}

static inline void outw(uint16_t port, uint16_t v)
{
	asm volatile("outw %0, %1" : : "a"(v), "Nd"(port));
}

static inline void outl(uint16_t port, uint32_t v)
{
	asm volatile("outl %0, %1" : : "a"(v), "Nd"(port));
}

static inline uint8_t inb(uint16_t port)
{
	uint8_t v;

	asm volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

static inline uint16_t inw(uint16_t port)
{
	uint16_t v;

	asm volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
	return v;
}

/* Read `n` 16-bit words from `port`: how a PIO disk hands over a sector. */
static inline void insw(uint16_t port, void *dst, uint32_t n)
{
	asm volatile("rep insw" : "+D"(dst), "+c"(n) : "d"(port) : "memory");
}

static inline void outsw(uint16_t port, const void *src, uint32_t n)
{
	asm volatile("rep outsw" : "+S"(src), "+c"(n) : "d"(port) : "memory");
}

static inline void cli(void)
{
	asm volatile("cli" : : : "memory");
}

static inline void sti(void)
{
	asm volatile("sti" : : : "memory");
}

/* Those that wait come behind the instruction that follows STI. */
static inline void let_interrupts_in(void)
{
	asm volatile("sti; nop; cli" : : : "memory");
}

/* Enable interrupts and wait for one.  STI's shadow of one instruction leaves no gap. */
static inline void sti_hlt(void)
{
	asm volatile("sti; hlt" : : : "memory");
}

static inline void hlt(void)
{
	asm volatile("hlt" : : : "memory");
}

/* In every spin loop: without it an emulated CPU keeps the others from running. */
static inline void cpu_pause(void)
{
	asm volatile("pause" : : : "memory");
}

static inline uint32_t read_eflags(void)
{
	uint32_t v;

	asm volatile("pushfl; popl %0" : "=r"(v) : : "memory");
	return v;
}

#define DEFINE_CR_READ(reg)                                                 \
	static inline uint32_t read_##reg(void)                             \
	{                                                                   \
		uint32_t v;                                                 \
		asm volatile("movl %%" #reg ", %0" : "=r"(v) : : "memory"); \
		return v;                                                   \
	}
DEFINE_CR_READ(cr0)
DEFINE_CR_READ(cr2)
DEFINE_CR_READ(cr3)
DEFINE_CR_READ(cr4)

static inline void write_cr0(uint32_t v)
{
	asm volatile("movl %0, %%cr0" : : "r"(v) : "memory");
}

static inline void write_cr4(uint32_t v)
{
	asm volatile("movl %0, %%cr4" : : "r"(v) : "memory");
}

static inline uint32_t read_gs(void)
{
	uint32_t v;

	asm volatile("movl %%gs, %0" : "=r"(v));
	return v & 0xffff;
}

/* A selector that cannot be loaded becomes null. */
static inline void load_gs(uint32_t selector)
{
	asm volatile("1: movl %0, %%gs\n\t"
		     ".subsection 1\n"
		     "2: xorl %0, %0\n\t"
		     "jmp 1b\n\t"
		     ".previous\n\t"
		     ".pushsection .extable, \"a\"\n\t"
		     ".long 1b, 2b\n\t"
		     ".popsection"
		     : "+r"(selector)
		     :
		     : "cc");
}

static inline void wrmsr(uint32_t msr, uint32_t low)
{
	asm volatile("wrmsr" : : "c"(msr), "a"(low), "d"(0));
}

static inline void clts(void)
{
	asm volatile("clts");
}

static inline uint32_t xchg32(volatile uint32_t *p, uint32_t v)
{
	asm volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
}

static inline uint64_t rdtsc(void)
{
	uint64_t v;

	asm volatile("rdtsc" : "=A"(v));
	return v;
}

static inline void cpuid(uint32_t leaf, uint32_t out[4])
{
	asm volatile("cpuid"
		     : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
		     : "a"(leaf), "c"(0));
}

/* CPUID leaf 1 EDX of the boot CPU; 0 on a processor without CPUID. */
extern uint32_t cpu_features;

/* CR0.WP works: 486 and later. */
extern bool cpu_has_wp;
