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
#define TELEMETRY_VERSION 7
#define TELEMETRY_CPUS	  8
#define TELEMETRY_EVENTS  256
#define TELEMETRY_REASONS 8

/* Laid out alike for the kernel, which aligns these to 4 bytes, and for a 64-bit host, to 8. */
typedef uint64_t telemetry_u64 __attribute__((aligned(4)));

struct telemetry_cpu {
	uint32_t loads[TELEMETRY_REASONS]; /* of CR3, by enum cr3_reason */
	uint32_t avoided;		   /* switches that needed no load */
	uint32_t switches;		   /* task switches */
	uint32_t ticks, ticks_idle;
	uint32_t page_flushes;	  /* single pages dropped (INVLPG) */
	uint32_t shootdowns_sent; /* IPIs */
	uint32_t shootdowns_answered;
	uint32_t shootdowns_lazy; /* not sent: the CPU idles there, and flushes before it goes on */
	uint32_t shootdowns_elsewhere; /* not sent: the CPU stands on another directory */
	uint32_t page_faults;
	uint32_t syscalls;
	uint32_t interrupts;

	/*
	 * For the TLB model, which sees instructions but no registers: written before what it sees.
	 */
	uint32_t cr0, cr3, cr4; /* about to be loaded */
	uint32_t event;		/* number of the event that this load of CR3 left */
	uint32_t invlpg;	/* linear address about to be invalidated */
	uint32_t space;		/* generation of the space this CPU stands on; 0: the kernel's */
	uint32_t gdt, idt, tss; /* linear addresses of its tables: interrupt delivery reads them */
	uint32_t tlb;		/* physical address of its struct telemetry_tlb; 0: none yet */
};

/* One entry of the model's TLB. */
struct telemetry_tlb_entry {
	uint32_t vpn; /* linear address >> 12; of a 4 MB page, its first */
	uint32_t pfn;
	uint16_t flags; /* low 12 bits of the table entry, W and U those of both levels; 0: empty */
	uint16_t cause; /* of the miss that brought it: enum telemetry_tlb_cause */
	uint32_t space; /* generation at the fill; 0: a kernel page */
	uint32_t filled; /* the model's count of fills, at this one: newer is greater */
	uint32_t flush;	 /* of cause FLUSH: the event of the load it was charged to */
};

enum telemetry_tlb_cause {
	TELEMETRY_TLB_FIRST = 1,
	TELEMETRY_TLB_REPLACED,
	TELEMETRY_TLB_FLUSH,
};

#define TELEMETRY_TLB_ENTRIES 128
#define TELEMETRY_TLB_PARTS   3
#define TELEMETRY_TLB_ANY     0xFFu /* as a victim: nobody knows before */

/* In held[], beside the page's number. */
#define TELEMETRY_TLB_HELD    0x80000000u
#define TELEMETRY_TLB_CHARGED 0x40000000u /* it was missed since, because of that flush */

enum telemetry_tlb_kind {
	TELEMETRY_TLB_FETCH,
	TELEMETRY_TLB_READ,
	TELEMETRY_TLB_WRITE,
	TELEMETRY_TLB_KINDS
};

enum telemetry_tlb_role {
	TELEMETRY_TLB_UNIFIED,
	TELEMETRY_TLB_INSTRUCTIONS,
	TELEMETRY_TLB_DATA,
	TELEMETRY_TLB_LARGE, /* 4 MB pages */
};

/*
 * Written by the model, read by the views: a page a CPU, allocated by the kernel as the CPU comes
 * up. first + replaced + flush = misses; the rest of the references are hits.  What the causes
 * mean: monitor/tlb/model.h.
 */
struct telemetry_tlb {
	uint32_t attached; /* 1 once a model writes here */
	uint32_t parts;
	char geometry[96]; /* as it was asked for */
	struct {
		uint32_t first; /* index into entry[]; set s, way w is at first + s * ways + w */
		uint32_t sets, ways;
		uint32_t role;
		uint32_t replacement; /* enum tlb_replacement of model.h */
		uint32_t first_set;   /* index into victim[] of its set 0 */
		telemetry_u64 misses; /* that filled an entry of it */
	} part[TELEMETRY_TLB_PARTS];
	uint32_t fills;
	uint32_t last_flush; /* number of the event that was the last load of CR3 */
	telemetry_u64 references[TELEMETRY_TLB_KINDS]; /* one each page that an access touches */
	telemetry_u64 straddles; /* instructions on two pages: telemetry_tlb_instructions() */
	telemetry_u64 misses, miss_first, miss_replaced, miss_flush;
	telemetry_u64 rewalks; /* hits on a clean entry by a write: tables read, to set DIRTY */
	telemetry_u64
		walk_reads;    /* entries of directories and tables read, for misses and rewalks */
	telemetry_u64 flushes; /* CR3 loads, and what else empties it */
	telemetry_u64 page_flushes;	       /* INVLPG: none on a 386 */
	telemetry_u64 wp_writes;	       /* writes of CR0 with WP set: none on a 386 */
	uint8_t victim[TELEMETRY_TLB_ENTRIES]; /* by set: the way to go, once all are taken */
	uint32_t held[TELEMETRY_TLB_ENTRIES];  /* by entry: the page the last flush found there */
	struct telemetry_tlb_entry entry[TELEMETRY_TLB_ENTRIES];
};

static inline uint64_t telemetry_tlb_references(const struct telemetry_tlb *t)
{
	return t->references[TELEMETRY_TLB_FETCH] + t->references[TELEMETRY_TLB_READ] +
	       t->references[TELEMETRY_TLB_WRITE];
}

static inline uint64_t telemetry_tlb_hits(const struct telemetry_tlb *t)
{
	return telemetry_tlb_references(t) - t->misses;
}

static inline uint64_t telemetry_tlb_instructions(const struct telemetry_tlb *t)
{
	return t->references[TELEMETRY_TLB_FETCH] - t->straddles;
}

struct telemetry_event {
	telemetry_u64 t; /* ns since boot */
	uint32_t cpu;
	uint32_t from, to; /* directories, physical */
	uint32_t pid_from, pid_to;
	uint16_t reason;
	uint16_t loaded;
	uint32_t misses; /* of what this load dropped: written by the TLB model, also later */
};

/* Why dirty blocks were written. */
enum telemetry_flush {
	TELEMETRY_FLUSH_AGE,   /* dirty for cache.flush seconds */
	TELEMETRY_FLUSH_SYNC,  /* sync, fsync, cache.write=through */
	TELEMETRY_FLUSH_ORDER, /* another could not be changed before */
	TELEMETRY_FLUSH_PACE,  /* too many were dirty */
	TELEMETRY_FLUSH_ROOM,  /* somebody needed a buffer, or memory */
	TELEMETRY_FLUSHES
};

/* Blocks, but where it says requests. */
struct telemetry_cache {
	uint32_t buffers, free, dirty;
	uint32_t hits, misses, reads, writes, readahead;
	uint32_t write_requests;
	uint32_t written[TELEMETRY_FLUSHES]; /* or tried to: `writes` and those that failed */
	uint32_t evicted;		     /* made way for another block */
	uint32_t reclaimed;		     /* ... for who was short of memory */
	uint32_t failed;		     /* dirty ones whose latest write did */
	uint32_t lost;			     /* given up, because of that */
	uint32_t orders;		     /* noted so far: one before another */
	uint32_t forced;		     /* could not be noted: the one was written at once */
};

/* A slot of the swap area holds a page.  Kinds: data, or a page table. */
struct telemetry_swap {
	uint32_t slots, used, bad;	/* of the area; 0 slots: there is none */
	uint32_t pages, tables;		/* on the disk now: entries that name a slot, tables */
	uint32_t data_in, data_out;	/* pages read and written so far */
	uint32_t table_in, table_out;	/* and tables */
	uint32_t data_dropped;		/* pages that needed no write: they can be made again */
	uint32_t table_dropped;		/* tables that had no entries left */
	uint32_t reads, writes, errors; /* requests to the disk */
	uint32_t scanned, cleared;	/* entries the clock looked at; whose ACCESSED it cleared */
};

struct telemetry {
	uint32_t magic, version, size;
	uint32_t cpus;
	struct telemetry_cpu cpu[TELEMETRY_CPUS];
	uint32_t
		events; /* ever logged; the newest is events - 1, at that modulo TELEMETRY_EVENTS */
	struct telemetry_event event[TELEMETRY_EVENTS];
	struct telemetry_cache cache;
	struct telemetry_swap swap;

	/*
	 * A bit for each frame, at this physical address (0: none): the model sets it whenever it
	 * reads a table for a user's address in that frame, as a processor would set ACCESSED.
	 */
	uint32_t accessed, accessed_frames;
	uint32_t accessed_kept; /* 1 once a model does */
};

_Static_assert(sizeof(struct telemetry_event) == 36, "the same size everywhere");
_Static_assert(sizeof(struct telemetry_tlb) == 4024, "the same size everywhere, less than a page");

extern struct telemetry telemetry;
