/*
 * debug.h - the table of breakpoints, and the traps they cause.
 */
#pragma once

#include "lib/types.h"

#define BREAKPOINTS 4

/* DR7's kinds, SDM 3B 18.2.4 */
enum { BREAK_EXECUTE = 0, BREAK_WRITE = 1, BREAK_ACCESS = 3 };

/* DR6, SDM 3B 18.2.3 */
#define DR6_HITS 0xFu
#define DR6_STEP (1u << 14)

struct breakpoint {
	bool used;
	uint8_t kind, length;
	uint32_t linear;
	uint32_t pid;	  /* 0: any */
	char program[16]; /* "": any */
	char text[40];	  /* as typed */
	uint32_t hits;
	uint32_t helps; /* not 0: number of the breakpoint that this register belongs to */
};

extern struct breakpoint breakpoints[BREAKPOINTS];

/* As the user knows it, from 1. */
static inline uint32_t breakpoint_number(const struct breakpoint *b)
{
	return b - breakpoints + 1;
}

/* DR6 of this CPU, and clear it. */
uint32_t debug_status(void);

/*
 * No debug traps on this CPU; its registers from the table; debug traps again.  A handler of debug
 * traps needs the second only: they are off in it anyway (debug_entry in cpu/entry.S).
 */
void debug_off(void);
void debug_load(void);
void debug_on(void);
bool debug_any(void);

/* The program that a breakpoint names, or NULL. */
const char *debug_program(void);

/* The table has changed: load it on every CPU, or, when the world is stopped, when it goes on. */
void debug_apply(void);

/* Does DR6 report a breakpoint that is meant for the running task? */
bool debug_is_hit(uint32_t status);

/* What to tell the user of the breakpoint that DR6 reports; NULL: it is not meant for this task. */
const char *debug_hit(uint32_t status);
