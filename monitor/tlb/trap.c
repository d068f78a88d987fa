/*
 * trap.c - what a processor itself reads and writes when it delivers a trap: the gate, the
 * descriptors it names, of a task in user mode also the TSS, and the pushes.
 */
#include "monitor/tlb/trap.h"

#define GATE_INTERRUPT 0x0eu /* SDM 3A 6.11: type of a 32-bit interrupt gate */

int trap_vector(struct guest *g, uint32_t linear)
{
	const struct telemetry_cpu *p = &g->telemetry->cpu[0]; /* one IDT for all */
	struct guest_cpu mmu = { .guest = g, .cr3 = p->cr3 };

	if (!p->idt || g->telemetry->magic != TELEMETRY_MAGIC)
		return -1;
	for (int v = 0; v < 256; v++) {
		uint32_t low = guest_read(&mmu, p->idt + v * 8);
		uint32_t high = guest_read(&mmu, p->idt + v * 8 + 4);

		if (((low & 0xffff) | (high & 0xffff0000u)) == linear &&
		    (high >> 8 & 0xf) == GATE_INTERRUPT)
			return v;
	}
	return -1;
}

/* SDM 3A 6.3.1: those that push an error code, and those that point at the faulting instruction */
#define PUSHES_ERROR (1u << 8 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 17)
#define ARE_FAULTS                                                                           \
	(1u << 0 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 13 | \
	 1u << 14 | 1u << 16 | 1u << 17 | 1u << 19)

static bool in_mask(uint32_t mask, uint32_t vector)
{
	return vector < 32 && mask >> vector & 1;
}

static void reads_descriptor(struct feed *f, uint32_t at)
{
	feed_plain(f, at, TLB_READ);
	feed_plain(f, at + 4, TLB_READ);
}

/* Base of the segment `selector` of the GDT, SDM 3A 3.4.5. */
static uint32_t segment_base(struct guest_cpu *mmu, uint32_t gdt, uint32_t selector)
{
	uint32_t at = gdt + (selector & ~7u);
	uint32_t low = guest_read(mmu, at), high = guest_read(mmu, at + 4);

	return low >> 16 | (high & 0xff) << 16 | (high & 0xff000000u);
}

void trap_delivered(struct feed *f, struct guest_cpu *mmu, const struct telemetry_cpu *p,
		    uint32_t vector, uint32_t push_at)
{
	uint32_t frame = push_at + 4, gate = p->idt + vector * 8u, words = 3, at = frame;
	uint32_t eip, cs, ss0;

	if (in_mask(PUSHES_ERROR, vector)) {
		words++;
		frame += 4;
	}
	eip = guest_read(mmu, frame);
	cs = guest_read(mmu, frame + 4) & 0xffff;
	feed_trap(f, in_mask(ARE_FAULTS, vector) ? segment_base(mmu, p->gdt, cs) + eip
						 : FEED_ALL_DONE);
	reads_descriptor(f, gate);
	reads_descriptor(f, p->gdt + (guest_read(mmu, gate) >> 16 & ~7u));
	if (cs & 3) { /* from user mode: to another stack, SDM 3A 6.12.1 */
		words += 2;
		ss0 = guest_read(mmu, p->tss + 8);
		reads_descriptor(f, p->tss + 4);
		reads_descriptor(f, p->gdt + (ss0 & 0xfff8u));
	}
	while (words--)
		feed_plain(f, at + words * 4, TLB_WRITE);
}
