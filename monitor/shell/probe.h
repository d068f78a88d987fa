/*
 * probe.h - the order for a TLB probe, between the command and the CPU that carries it out.
 */
#pragma once

#include "mm/paging.h"

#define PROBE_MAX 960 /* pages: their addresses must fit the ring-3 page with its code */

/* What is known of a page. */
#define PROBE_ACCESSED 1u /* ACCESSED was set before */
#define PROBE_CACHED   2u

struct probe {
	bool wanted, done;
	uint32_t cpu;
	const pte_t *dir;
	uint8_t state[PROBE_MAX]; /* of the pages in probe_page */
};

extern struct probe probe;

/* The page that ring 3 runs from and reads: linear addresses first, code at the end. */
struct probe_page {
	uint32_t count;
	uint32_t addr[PROBE_MAX];
	char code[64];
};

extern struct probe_page probe_page;

/* Carry it out, if this is the CPU meant. */
void probe_here(void);
