/*
 * internal.h - what the library's files tell one another, and programs not.
 */

#ifndef LIBC_INTERNAL_H
#define LIBC_INTERNAL_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Set by stdio when something may wait in a buffer: so exit() costs no stdio where none is used.
 * Not 0: what was printed could not be written, and it has said so.
 */
extern int (*__leave_streams)(void);

/* Where formatted text goes: called with each piece in turn. */
typedef void (*emit_fn)(void *to, const char *piece, size_t n);

/* Formats into `emit`; returns the number of characters. */
int __format(emit_fn emit, void *to, const char *format, va_list ap);

/* Signal handlers return here (syscall.S). */
void __sigreturn(void);

#endif
