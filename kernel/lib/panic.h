/*
 * panic.h - when the kernel cannot go on.
 */
#pragma once

#include "lib/types.h"

/*
 * Stop all CPUs, print registers, backtrace and the last CR3 events, then stay in
 * the monitor (in batch: end with status 2).  Any context, takes no lock.
 */
void panic(const char *fmt, ...) printf_like(1, 2) noreturn;

/* The same, with the registers of the trap that showed it. */
struct trapframe;
void panic_at(struct trapframe *f, const char *fmt, ...) printf_like(2, 3) noreturn;

/* What the panic was about; "" before there was one. */
extern char panic_message[160];

#ifdef KLAAVA_HOST
#include <assert.h>
#else
#define assert(x)                                                                     \
	do {                                                                          \
		if (unlikely(!(x)))                                                   \
			panic("%s:%d: assertion failed: %s", __FILE__, __LINE__, #x); \
	} while (0)
#endif
