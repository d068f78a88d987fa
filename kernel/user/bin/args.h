/*
 * args.h - how our programs read their arguments: the same checks, the same words.
 *
 * A bad argument is one line of usage on standard error and status 2.
 */

#ifndef ARGS_H
#define ARGS_H

#include <time.h>

/* Prints "usage: " and `text`; ends the program with status 2. */
void usage(const char *text) __attribute__((noreturn));

/* Prints "program: what: why (errno)" on standard error. */
void complain(const char *program, const char *what);

/* Reads a decimal number from `least` to `most`; usage(text) when it is none. */
long number_arg(const char *s, long least, long most, const char *text);

/* Reads a number of bytes, with k, K or M behind it of KB or MB; usage(text) when it is none. */
long size_arg(const char *s, const char *text);

/* Reads seconds with a decimal fraction ("2", "0.25", ".5"); usage(text) when they are none. */
struct timespec seconds_arg(const char *s, const char *text);

/* Sleeps until the monotonic clock says `until`, whatever interrupts. */
void sleep_until(struct timespec until);

/* Is `a` earlier than `b`? */
int earlier(struct timespec a, struct timespec b);

/* a + b, and a point `t` from now on the monotonic clock. */
struct timespec add_time(struct timespec a, struct timespec b);
struct timespec from_now(struct timespec t);

#endif
