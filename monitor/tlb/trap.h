/*
 * trap.h - what a processor itself reads and writes when it delivers a trap.
 */
#pragma once

#include "monitor/tlb/feed.h"
#include "monitor/tlb/guest.h"

/* The vector whose gate leads to `linear`, or -1. */
int trap_vector(struct guest *g, uint32_t linear);

/*
 * The references that led to the entry stub of `vector`, which is about to push to `push_at`; `p`
 * is what the kernel says of that processor's tables.
 */
void trap_delivered(struct feed *f, struct guest_cpu *mmu, const struct telemetry_cpu *p,
		    uint32_t vector, uint32_t push_at);
