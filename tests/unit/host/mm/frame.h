/*
 * frame.h - the host's stand-in for kernel/mm/frame.h: frames are aligned pieces of the heap.
 */
#pragma once

#include "lib/types.h"

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096u

enum frame_kind { FRAME_FREE, FRAME_KERNEL, FRAME_USER, FRAME_TABLE, FRAME_CACHE, FRAME_KINDS };

extern uint32_t frames_total, frames_end, frames_of[FRAME_KINDS];

void *frame_alloc(enum frame_kind kind);
void *frame_alloc_zeroed(enum frame_kind kind);
void frame_put(void *v);
void frame_set_reclaim(uint32_t (*fn)(uint32_t wanted), bool (*write)(bool last_resort));

/* "Physical memory" is what host_module points to. */
void *phys_to_virt(paddr_t p);
