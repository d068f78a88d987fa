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
#define TELEMETRY_VERSION 1
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
