/*
 * utime.h - setting a file's times, in whole seconds.
 */

#ifndef _UTIME_H
#define _UTIME_H

#include <sys/types.h>

struct utimbuf {
	time_t actime, modtime;
};

/* NULL: now. */
int utime(const char *path, const struct utimbuf *times);

#endif
