/*
 * gates.h - a second interrupt table, for the moments when traps must come to the monitor.
 */
#pragma once

#include "lib/types.h"

/* Copy the kernel's gates. */
void gates_copy(void);

/* Where `vector`'s gate leads in the copy; its type stays. */
void gates_set(uint32_t vector, uint32_t address);
uint32_t gates_get(uint32_t vector);

/* This CPU uses the copy, or the kernel's table again. */
void gates_use(bool copy);
