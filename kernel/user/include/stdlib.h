/*
 * stdlib.h - numbers, memory, sorting, leaving.
 */

#ifndef _STDLIB_H
#define _STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

int atoi(const char *s);
long strtol(const char *s, char **end, int base);
unsigned long strtoul(const char *s, char **end, int base);

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *p, size_t size);
void free(void *p);

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
/* Makes a file with a name of its own: the six X at the end of `name` are replaced. */
int mkstemp(char *name);

char *getenv(const char *name);
void exit(int status) __attribute__((noreturn));
void abort(void) __attribute__((noreturn));

#endif
