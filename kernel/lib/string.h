/*
 * string.h - memory and strings, as in ISO C unless said.
 */
#pragma once

#include "lib/types.h"

#ifdef KLAAVA_HOST
#include <string.h>
#else
void *memset(void *dst, int c, size_t n);
void *memcpy(void *dst, const void *src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
size_t strnlen(const char *s, size_t max);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
char *strrchr(const char *s, int c);
char *strstr(const char *s, const char *what);
#endif

/* Copy as much of `src` as fits `size` bytes, always ending in NUL.  Returns strlen(src). */
size_t str_copy(char *dst, const char *src, size_t size);

/* Parse an unsigned number, decimal or 0x hexadecimal, the whole of `s`.  False if it is not one.
 */
bool parse_u32(const char *s, uint32_t *out);
