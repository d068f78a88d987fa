/*
 * trampoline.h - the page in which another CPU wakes up.
 */
#pragma once

#define TRAMPOLINE_PHYS 0x8000 /* below 1 MB, a page's start: SDM 3A 8.4.4 */

#define TRAMPOLINE_DIR	    8
#define TRAMPOLINE_STACK    12
#define TRAMPOLINE_ENTRY    16
#define TRAMPOLINE_ARGUMENT 20

#ifndef __ASSEMBLER__
#include "lib/types.h"

struct trampoline {
	uint8_t jump[8];
	uint32_t dir;	   /* physical */
	uint32_t stack;	   /* its top */
	uint32_t entry;	   /* function to call, */
	uint32_t argument; /* with this */
};

extern const char trampoline_start[], trampoline_end[];
#endif
