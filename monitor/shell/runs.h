/*
 * runs.h - page-table entries that continue each other, said once.
 *
 * Entries form a run when their pages are consecutive, their flags equal, and their frames
 * all consecutive (step 1) or all the same (step 0).  No more than arithmetic: the host tests it.
 */
#pragma once

#include "lib/types.h"

struct pt_run {
	uint32_t vpn;	/* of the first page */
	uint32_t pages; /* 0: no run yet */
	uint32_t frame; /* of the first page */
	uint32_t step;	/* 0 or 1; any while there is one page */
	uint32_t flags;
};

/* Put the entry `pte` of page `vpn` on the run's end.  False if it does not continue it. */
static inline bool run_add(struct pt_run *r, uint32_t vpn, uint32_t pte)
{
	uint32_t frame = pte >> 12, flags = pte & 0xfff;
	uint32_t last = r->frame + (r->pages - 1) * r->step;

	if (!r->pages) {
		*r = (struct pt_run){ vpn, 1, frame, 0, flags };
		return true;
	}
	if (vpn != r->vpn + r->pages || flags != r->flags)
		return false;
	if (r->pages == 1 && frame == r->frame + 1)
		r->step = 1;
	else if (frame != last + r->step)
		return false;
	r->pages++;
	return true;
}
