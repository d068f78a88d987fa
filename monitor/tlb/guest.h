/*
 * guest.h - the guest's memory, as the plugin sees it from outside.
 *
 * Its RAM is a shared file: mapping it gives us its page tables and what its kernel publishes,
 * at the price of a load, and without the guest noticing.
 */
#pragma once

#include "monitor/tlb/model.h"

#define KERNEL_BASE 0xC0000000u

struct guest {
	uint8_t *ram;
	uint64_t bytes;
	struct telemetry *telemetry;
};

/* The translation of one CPU: what its control registers say. */
struct guest_cpu {
	struct guest *guest;
	uint32_t cr3;
	bool large_pages; /* CR4.PSE */
};

/* Map the RAM in `file`; telemetry lies at physical `at`.  NULL, or what is wrong. */
const char *guest_open(struct guest *g, const char *file, uint64_t at);

/* `bytes` of RAM from physical `at`, or NULL. */
void *guest_memory(const struct guest *g, uint32_t at, uint32_t bytes);

/*
 * A tlb_walk_fn; context is a struct guest_cpu.  As a processor's walk it leaves a mark: in the
 * kernel's bitmap of frames (telemetry.accessed), if that is there and the address a user's.  The
 * ACCESSED bits themselves are the emulator's, whose own TLB caches other pages than the model.
 */
bool guest_walk(void *context, uint32_t linear, struct tlb_walk *found);

/* The aligned word at `linear`; 0 where nothing is. */
uint32_t guest_read(struct guest_cpu *c, uint32_t linear);
