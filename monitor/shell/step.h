/*
 * step.h - one instruction of a stopped CPU.
 */
#pragma once

#include "cpu/trap.h"

/* How many more instructions to run before the prompt comes back; 0: not stepping. */
extern uint32_t steps_left;

/*
 * Make the return through `f` run one instruction and trap back.  False: it is a halt, which would
 * not end while interrupts are off; it has been stepped over instead.
 */
bool step_begin(struct trapframe *f);

/* The step's trap arrived with `f`: put back what step_begin() changed.  Where it led, if not on:
 * or NULL. */
const char *step_end(struct trapframe *f);
