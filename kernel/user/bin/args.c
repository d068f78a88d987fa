/*
 * args.c - reading arguments and clocks: see args.h.
 */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "args.h"

#define BILLION 1000000000L

void usage(const char *text)
{
	fprintf(stderr, "usage: %s\n", text);
	exit(2);
}

void complain(const char *program, const char *what)
{
	int error = errno;

	fflush(stdout);
	fprintf(stderr, "%s: %s: %s\n", program, what, strerror(error));
}

long number_arg(const char *s, long least, long most, const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(s, &end, 10);
	if (end == s || *end || errno || n < least || n > most)
		usage(text);
	return n;
}

long size_arg(const char *s, const char *text)
{
	long unit = 1, n;
	char *end;

	errno = 0;
	n = strtol(s, &end, 10);
	if (end > s && (*end == 'k' || *end == 'K' || *end == 'M'))
		unit = *end++ == 'M' ? 1L << 20 : 1L << 10;
	if (end == s || *end || errno || n < 0 || n > LONG_MAX / unit)
		usage(text);
	return n * unit;
}

struct timespec seconds_arg(const char *s, const char *text)
{
	struct timespec t = { 0, 0 };
	long unit = BILLION / 10;
	const char *p = s;

	while (isdigit((unsigned char)*p) && t.tv_sec < 100000000)
		t.tv_sec = t.tv_sec * 10 + *p++ - '0';
	if (*p == '.') {
		p++;
		for (; isdigit((unsigned char)*p); p++, unit /= 10)
			t.tv_nsec += (*p - '0') * unit;
	}
	if (*p || p == s || strcmp(s, ".") == 0)
		usage(text);
	return t;
}

int earlier(struct timespec a, struct timespec b)
{
	return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

struct timespec add_time(struct timespec a, struct timespec b)
{
	a.tv_sec += b.tv_sec;
	a.tv_nsec += b.tv_nsec;
	if (a.tv_nsec >= BILLION) {
		a.tv_nsec -= BILLION;
		a.tv_sec++;
	}
	return a;
}

struct timespec from_now(struct timespec t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return add_time(now, t);
}

void sleep_until(struct timespec until)
{
	for (;;) {
		struct timespec now, left;

		clock_gettime(CLOCK_MONOTONIC, &now);
		if (!earlier(now, until))
			return;
		left.tv_sec = until.tv_sec - now.tv_sec;
		left.tv_nsec = until.tv_nsec - now.tv_nsec;
		if (left.tv_nsec < 0) {
			left.tv_nsec += BILLION;
			left.tv_sec--;
		}
		nanosleep(&left, NULL);
	}
}
