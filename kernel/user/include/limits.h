/*
 * limits.h - sizes of types on i386, and the longest path.
 */

#ifndef _LIMITS_H
#define _LIMITS_H

#define CHAR_BIT   8
#define UCHAR_MAX  255
#define INT_MAX	   2147483647
#define INT_MIN	   (-INT_MAX - 1)
#define UINT_MAX   4294967295U
#define LONG_MAX   2147483647L
#define LONG_MIN   (-LONG_MAX - 1)
#define ULONG_MAX  4294967295UL
#define LLONG_MAX  9223372036854775807LL
#define LLONG_MIN  (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ULL
#define PATH_MAX   4096

#endif
