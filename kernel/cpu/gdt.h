/*
 * gdt.h - segments.
 *
 * Each CPU has a GDT of its own, inside its PDA: the PDA segment's base and the user
 * window's base differ from CPU to CPU.  The order of the first four is the one that
 * SYSENTER and SYSEXIT demand (SDM 3A 5.8.7).
 */
#pragma once

#define GDT_KERNEL_CODE 1
#define GDT_KERNEL_DATA 2
#define GDT_USER_CODE	3
#define GDT_USER_DATA	4
#define GDT_TSS		5
#define GDT_DOUBLE	6 /* the TSS of the double-fault task */
#define GDT_TLS		7 /* the first of the slots for user thread-local storage */
#define TLS_SLOTS	3
#define GDT_PROBE	10 /* two, while `tlb probe` runs at ring 3 */
#define GDT_PDA		27 /* the slot of 2006; the gs build's */
#define GDT_SLOTS	32

#define KERNEL_CS (GDT_KERNEL_CODE << 3)
#define KERNEL_DS (GDT_KERNEL_DATA << 3)
#define USER_CS	  ((GDT_USER_CODE << 3) | 3)
#define USER_DS	  ((GDT_USER_DATA << 3) | 3)
#define TSS_SEL	  (GDT_TSS << 3)
#define PDA_SEL	  (GDT_PDA << 3)

#ifndef __ASSEMBLER__
#include "lib/types.h"

/* Task state segment, SDM 3A 8.2.1: only the ring-0 stack of it is used, and all of it by #DF. */
struct tss {
	uint32_t link, esp0, ss0, esp1, ss1, esp2, ss2;
	uint32_t cr3, eip, eflags, eax, ecx, edx, ebx, esp, ebp, esi, edi;
	uint32_t es, cs, ss, ds, fs, gs, ldt;
	uint16_t trap, iomap;
};

struct pda;

/* Whose GDT this CPU has loaded: finds its PDA even where the stack or %gs cannot be believed. */
struct pda *gdt_pda(void);

/* Write anew what the base of this stack, overwritten or not yet in use, tells about its owner. */
void thread_info_mend(void);

/* Fill `pda`'s GDT and TSS and make them this CPU's.  Once a CPU, before the first trap. */
void gdt_load(struct pda *pda);

/* What user code's selectors mean, beside the window of its space. */
struct segments {
	uint32_t base; /* of the window; assembly knows its place */
	uint32_t key;  /* no two tasks that differ have the same; 0: all of user memory, no TLS */
	uint64_t tls[TLS_SLOTS]; /* descriptors, in linear addresses; 0: none */
};

/* After a change: a key for what `s`, with this window, says now. */
void segments_changed(struct segments *s, uint32_t base, uint32_t limit);

/* For the same segments in a space whose window starts `delta` bytes higher. */
void segments_move(struct segments *s, uint32_t delta);

/*
 * User code and data see `limit` bytes from s->base, and what else `s` says: rewrite this CPU's
 * user descriptors. `limit` is a multiple of 4 KB.  The selectors in use reload at the return to
 * user mode; %gs where pda_follow() or user_gs_set() follows.
 */
void gdt_set_segments(const struct segments *s, uint32_t limit);

/* `bytes` from `base` on, 0 standing for 4 GB; above 1 MB in units of 4 KB. */
uint64_t gdt_descriptor(uint32_t base, uint32_t bytes, uint32_t access);

/* Its base; the same with another one. */
uint32_t gdt_base(uint64_t descriptor);
uint64_t gdt_with_base(uint64_t descriptor, uint32_t base);
#endif
