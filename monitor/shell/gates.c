/*
 * gates.c - a second interrupt table: see gates.h.
 *
 * A step and a probe must not lose control to the kernel's handlers.  Instead of patching the
 * table that all CPUs share, the one CPU concerned is pointed to a copy.
 */
#include "lib/string.h"
#include "monitor/shell/gates.h"

#define VECTORS 256

/* SDM 3A 6.11 */
struct gate {
	uint16_t offset_low, selector;
	uint16_t type;
	uint16_t offset_high;
};

struct table_pointer {
	uint16_t limit;
	uint32_t base;
} __attribute__((packed));

static struct gate copy[VECTORS] __attribute__((aligned(8)));
static struct table_pointer kernels;

void gates_copy(void)
{
	struct table_pointer now;

	asm volatile("sidt %0" : "=m"(now));
	if (now.base != (uint32_t)copy)
		kernels = now;
	memcpy(copy, (const void *)kernels.base, MIN(kernels.limit + 1u, sizeof(copy)));
}

void gates_set(uint32_t vector, uint32_t address)
{
	copy[vector].offset_low = address & 0xffff;
	copy[vector].offset_high = address >> 16;
}

uint32_t gates_get(uint32_t vector)
{
	return copy[vector].offset_low | (uint32_t)copy[vector].offset_high << 16;
}

void gates_use(bool ours)
{
	struct table_pointer p = { sizeof(copy) - 1, (uint32_t)copy };

	if (!ours)
		p = kernels;
	if (p.base)
		asm volatile("lidt %0" : : "m"(p));
}
