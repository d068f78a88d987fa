/*
 * frame.h - physical memory, a frame of 4 KB at a time.
 *
 * Every frame has a struct frame with a count of its users: 0 is free, more than 1 is shared
 * (copy-on-write).  What a frame is used for is counted by kind: `mem` shows it.
 */
#pragma once

#include "lib/types.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096u
#define PAGE_MASK  (~(PAGE_SIZE - 1))

#define KERNEL_BASE 0xC0000000u

/* Physical memory that the kernel can reach: mapped at KERNEL_BASE, up to the devices. */
#define DIRECT_MAX 0x38000000u

enum frame_kind {
	FRAME_FREE,
	FRAME_KERNEL, /* stacks, small objects, boot-time tables */
	FRAME_USER,
	FRAME_TABLE,	/* page directories and tables of spaces */
	FRAME_CACHE,	/* buffers */
	FRAME_RESERVED, /* the kernel itself, devices, holes: not ours to give */
	FRAME_KINDS
};

struct frame {
	uint16_t refs;
	uint8_t kind;
	union {
		uint8_t order; /* of a page of small objects: which size class */
		bool clean;    /* of a free frame: all zeros */
	};
	struct frame *next; /* when free */
};

extern struct frame *frames;  /* by frame number */
extern uint32_t frames_end;   /* the first frame number beyond it */
extern uint32_t frames_total; /* that may be used: the limit of mem= */
extern uint32_t frames_of[FRAME_KINDS];

static inline void *phys_to_virt(paddr_t p)
{
	return (void *)(p + KERNEL_BASE);
}

static inline paddr_t virt_to_phys(const void *v)
{
	return (paddr_t)v - KERNEL_BASE;
}

static inline struct frame *frame_of(const void *v)
{
	return &frames[virt_to_phys(v) >> PAGE_SHIFT];
}

/* Find out what memory there is; `limit` in bytes pretends there is no more (0: all).  Boot. */
void frame_init(uint32_t limit);

/*
 * A frame with one user, contents undefined; NULL when there is none even after asking the
 * cache to shrink (memory_make_room() may then help: swap.h).  User frames leave a small reserve
 * for the kernel.  Does not sleep.
 */
void *frame_alloc(enum frame_kind kind);
void *frame_alloc_zeroed(enum frame_kind kind);

/* One user more; one less, and free with the last. */
static inline void frame_get(void *v)
{
	frame_of(v)->refs++;
}
void frame_put(void *v);

/* The same for a frame with one user whose bytes are all zero: it need not be zeroed again. */
void frame_put_zeroed(void *v);

/*
 * True if `n` frames are free, or could be made so, beyond the kernel's reserve.  Who is about to
 * begin something that will need memory later, when it cannot be refused any more (fork), asks
 * first.
 */
bool frames_spare(uint32_t n);

/* Take up to `n` frames from the cache, all that it can give.  False: none. */
bool frames_reclaim(uint32_t n);

/*
 * The same for who may sleep: have the cache write what stands in its way.  As a last resort it
 * gives up something that cannot be written.  False: no frame was freed.
 */
bool frames_write_back(bool last_resort);

/*
 * Memory is short: `fn` is asked to free frames, returns how many it did; `write` is behind
 * frames_write_back().  Handed down by block/.
 */
void frame_set_reclaim(uint32_t (*fn)(uint32_t wanted), bool (*write)(bool last_resort));

/* True if `p` is RAM under the limit of mem=, whether in use or not. */
bool frame_is_ram(paddr_t p);
