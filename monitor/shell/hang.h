/*
 * hang.h - a CPU made to spin with interrupts off, to try a break-in on.
 */
#pragma once

#include "lib/types.h"

/* Make `cpu`, another than this one, do it.  It never comes back. */
void hang_cpu(uint32_t cpu);

/* On every CPU that is let go: is it the one? */
void hang_here(void);
