/*
 * stdlib.c - numbers from text, and sorting.
 */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The value of `c` as a digit, 36 or more when it is none. */
static unsigned digit(int c)
{
	if (isdigit(c))
		return c - '0';
	return isalpha(c) ? (unsigned)(tolower(c) - 'a' + 10) : UINT_MAX;
}

/*
 * Reads blanks, a sign, a 0x or 0 prefix where `base` allows, and digits.  Leaves
 * the magnitude in *value, its sign in *negative and where it stopped in *end
 * (`s` itself when there was no number).  Returns false when it does not fit.
 */
static int scan(const char *s, char **end, int base, unsigned long *value, int *negative)
{
	const char *p = s;
	int fits = 1, any = 0;

	while (isspace((unsigned char)*p))
		p++;
	*negative = *p == '-';
	if (*p == '-' || *p == '+')
		p++;
	if ((base == 0 || base == 16) && p[0] == '0' && tolower(p[1]) == 'x' && isxdigit(p[2])) {
		p += 2;
		base = 16;
	} else if (base == 0) {
		base = *p == '0' ? 8 : 10;
	}
	*value = 0;
	for (; digit((unsigned char)*p) < (unsigned)base; p++, any = 1) {
		unsigned d = digit((unsigned char)*p);

		if (*value > (ULONG_MAX - d) / base)
			fits = 0;
		*value = *value * base + d;
	}
	if (end)
		*end = (char *)(any ? p : s);
	return fits;
}

unsigned long strtoul(const char *s, char **end, int base)
{
	unsigned long value;
	int negative;

	if (!scan(s, end, base, &value, &negative)) {
		errno = ERANGE;
		return ULONG_MAX;
	}
	return negative ? -value : value;
}

long strtol(const char *s, char **end, int base)
{
	unsigned long value;
	int negative, fits = scan(s, end, base, &value, &negative);

	if (!fits || value > (unsigned long)LONG_MAX + negative) {
		errno = ERANGE;
		return negative ? LONG_MIN : LONG_MAX;
	}
	return negative ? (long)-value : (long)value;
}

int atoi(const char *s)
{
	return strtol(s, NULL, 10);
}

static void swap(char *a, char *b, size_t size)
{
	for (; size; size--, a++, b++) {
		char c = *a;

		*a = *b;
		*b = c;
	}
}

/* Lets element `at` of a heap of `count` sink below larger children. */
static void sink(char *base, size_t at, size_t count, size_t size,
		 int (*compare)(const void *, const void *))
{
	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			return;
		if (child + 1 < count &&
		    compare(base + child * size, base + (child + 1) * size) < 0)
			child++;
		if (compare(base + at * size, base + child * size) >= 0)
			return;
		swap(base + at * size, base + child * size, size);
		at = child;
	}
}

/* A heap sort: no recursion, no worst case, no memory.  Not stable. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	for (size_t i = count / 2; i-- > 0;)
		sink(base, i, count, size, compare);
	while (count > 1) {
		count--;
		swap(base, (char *)base + count * size, size);
		sink(base, 0, count, size, compare);
	}
}
