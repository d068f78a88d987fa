/*
 * telemetry.h - what the kernel publishes about itself.
 *
 * One block of fixed-width fields that a host program can find and read in the guest's RAM while
 * it runs; the monitor reads the same bytes, so that two views can never disagree.
 * Only ever append, and raise TELEMETRY_VERSION when a field moves.
 */
#pragma once

#include <stdint.h>

#define TELEMETRY_MAGIC	  0x4c54414bu /* "KATL" */
#define TELEMETRY_VERSION 2
#define TELEMETRY_CPUS	  8
#define TELEMETRY_EVENTS  256
#define TELEMETRY_REASONS 8

struct telemetry_cpu {
	uint32_t loads[TELEMETRY_REASONS]; /* of CR3, by enum cr3_reason */
	uint32_t avoided;		   /* switches that needed no load */
	uint32_t switches;		   /* task switches */
	uint32_t ticks, ticks_idle;
	uint32_t page_flushes;	  /* single pages dropped (INVLPG) */
	uint32_t shootdowns_sent; /* IPIs */
	uint32_t shootdowns_answered;
	uint32_t page_faults;
	uint32_t syscalls;
	uint32_t interrupts;

	/*
	 * For the TLB model, which sees instructions but no registers: written before what it sees.
	 */
	uint32_t cr3;	       /* about to be loaded */
	uint32_t invlpg;       /* linear address about to be invalidated */
	uint32_t space;	       /* generation of the space this CPU stands on; 0: the kernel's */
	uint32_t pid;	       /* of the running task */
	uint32_t gdt, idt;     /* linear addresses of its tables: interrupt delivery reads them */
	uint32_t tss;	       /* linear; delivery from user mode reads ss0:esp0 at offset 4 */
	uint32_t kernel_stack; /* esp0: delivery from user mode pushes below it */
	uint32_t tlb;	       /* physical address of its struct telemetry_tlb; 0: none */
};

/* One entry of the model's TLB.  Flags are the page-table entry's low 12 bits, as cached. */
struct telemetry_tlb_entry {
	uint32_t vpn; /* linear address >> 12; of a 4 MB page, its first */
	uint32_t pfn;
	uint32_t flags;	 /* bit 0: valid */
	uint32_t space;	 /* generation at the fill; 0: a kernel page */
	uint32_t filled; /* the model's count of fills, at this one: newer is greater */
};

#define TELEMETRY_TLB_ENTRIES 128

/*
 * Written by the model, read by the views: a page a CPU, allocated by the kernel as the CPU comes
 * up. hits + misses = references; first + replaced + flush = misses.
 */
struct telemetry_tlb {
	uint32_t attached; /* 1 once a model writes here */
	char geometry[16];
	uint32_t parts; /* 1 unified; 2 instruction, data; each then a part for large pages, if any
			 */
	struct {
		uint32_t first, sets, ways, large, replacement; /* first: index into entry[] */
	} part[4];
	uint64_t references, hits, misses;
	uint64_t miss_first, miss_replaced, miss_flush;
	uint64_t flushes, page_flushes;
	uint64_t walk_reads; /* directory and table reads of the misses */
	uint64_t instructions;
	struct telemetry_tlb_entry entry[TELEMETRY_TLB_ENTRIES];
};

struct telemetry_event {
	uint64_t t; /* ns since boot */
	uint32_t cpu;
	uint32_t from, to; /* directories, physical */
	uint32_t pid_from, pid_to;
	uint16_t reason;
	uint16_t loaded;
	uint32_t misses; /* until the next load; filled by the TLB model */
};

struct telemetry_cache {
	uint32_t buffers, free, dirty;
	uint32_t hits, misses, reads, writes, readahead;
};

struct telemetry {
	uint32_t magic, version, size;
	uint32_t cpus;
	struct telemetry_cpu cpu[TELEMETRY_CPUS];
	uint32_t
		events; /* ever logged; the newest is events - 1, at that modulo TELEMETRY_EVENTS */
	struct telemetry_event event[TELEMETRY_EVENTS];
	struct telemetry_cache cache;
};

extern struct telemetry telemetry;
