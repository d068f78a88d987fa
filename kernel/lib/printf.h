/*
 * printf.h - formatted output inside the kernel.
 *
 * Conversions: %d %i %u %x %X %o %c %s %p %% with l, ll, h, hh, z; flags - 0 + # and
 * blank; width and precision, also as *.  64-bit numbers work.  No floating point.
 */
#pragma once

#include <stdarg.h>

#include "lib/types.h"

/* As in ISO C: return what the whole text needs, NUL apart; write at most `size` bytes, NUL
 * included. */
int vsnprintf(char *buf, size_t size, const char *fmt, va_list ap);
int snprintf(char *buf, size_t size, const char *fmt, ...) printf_like(3, 4);

/* Format to `put(arg, c)`, a character at a time: needs no buffer.  Returns the characters put. */
int format(void (*put)(void *arg, char c), void *arg, const char *fmt, va_list ap);

/* A line of the kernel's log (the console when interactive, a log port in batch).  Never sleeps,
 * any context. */
void klog(const char *fmt, ...) printf_like(1, 2);

/* Text for the user at the console.  Never sleeps, any context. */
void kprintf(const char *fmt, ...) printf_like(1, 2);
