/*
 * sys/types.h - the system's types.  Offsets and inode numbers have 64 bits, times 32.
 */

#ifndef _SYS_TYPES_H
#define _SYS_TYPES_H

#include <stddef.h>

typedef int pid_t;
typedef unsigned uid_t;
typedef unsigned gid_t;
typedef unsigned mode_t;
typedef unsigned nlink_t;
typedef unsigned long long dev_t;
typedef unsigned long long ino_t;
typedef long long off_t;
typedef int ssize_t;
typedef long time_t;
typedef long clock_t;
typedef long suseconds_t;
typedef int clockid_t;

#endif
