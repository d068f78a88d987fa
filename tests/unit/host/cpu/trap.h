/*
 * trap.h - the host's stand-in for kernel/cpu/trap.h.
 */
#pragma once

#include "lib/types.h"

struct trapframe;
typedef void (*irq_handler)(struct trapframe *f);
void irq_register(uint32_t irq, irq_handler fn);
