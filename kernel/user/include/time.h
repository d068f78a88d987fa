/*
 * time.h - clocks and sleeping.
 */

#ifndef _TIME_H
#define _TIME_H

#include <sys/types.h>

struct timespec {
	time_t tv_sec;
	long tv_nsec;
};

#define CLOCK_REALTIME		 0
#define CLOCK_MONOTONIC		 1
#define CLOCK_PROCESS_CPUTIME_ID 2

time_t time(time_t *to);
int clock_gettime(clockid_t clock, struct timespec *to);
int nanosleep(const struct timespec *wanted, struct timespec *left);

#endif
