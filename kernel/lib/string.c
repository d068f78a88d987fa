/*
 * string.c - memory and strings.
 *
 * Copies and fills use the string instructions, four bytes an iteration: on the
 * processors this kernel stands for nothing is faster, and an emulator that counts
 * instructions counts each iteration.
 */
#include "lib/string.h"

#ifndef KLAAVA_HOST

void *memset(void *dst, int c, size_t n)
{
	char *d = dst;
	size_t words = n / 4, rest = n % 4;
	uint32_t pattern = (uint8_t)c * 0x01010101u;

	asm volatile("rep stosl" : "+D"(d), "+c"(words) : "a"(pattern) : "memory");
	asm volatile("rep stosb" : "+D"(d), "+c"(rest) : "a"(pattern) : "memory");
	return dst;
}

void *memcpy(void *dst, const void *src, size_t n)
{
	char *d = dst;
	const char *s = src;
	size_t words = n / 4, rest = n % 4;

	asm volatile("rep movsl" : "+D"(d), "+S"(s), "+c"(words) : : "memory");
	asm volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(rest) : : "memory");
	return dst;
}

void *memmove(void *dst, const void *src, size_t n)
{
	char *d = dst;
	const char *s = src;

	if (d <= s || d >= s + n)
		return memcpy(dst, src, n);
	while (n--)
		d[n] = s[n];
	return dst;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *p = a, *q = b;

	if (!n)
		return 0;
	asm volatile("repe cmpsb" : "+S"(p), "+D"(q), "+c"(n) : : "memory", "cc");
	return p[-1] - q[-1];
}

size_t strlen(const char *s)
{
	const char *e = s;
	size_t left = -1u;

	asm volatile("repne scasb" : "+D"(e), "+c"(left) : "a"(0) : "memory", "cc");
	return e - s - 1;
}

size_t strnlen(const char *s, size_t max)
{
	size_t n = 0;

	while (n < max && s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; n--, a++, b++)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	do
		if (*s == (char)c)
			found = s;
	while (*s++);
	return (char *)found;
}

char *strstr(const char *s, const char *what)
{
	size_t n = strlen(what);

	for (; strncmp(s, what, n); s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

#endif

size_t str_copy(char *dst, const char *src, size_t size)
{
	size_t n = strlen(src);

	if (size) {
		size_t fits = MIN(n, size - 1);

		memcpy(dst, src, fits);
		dst[fits] = '\0';
	}
	return n;
}

bool parse_u32(const char *s, uint32_t *out)
{
	uint32_t base = 10, value = 0;

	if (s[0] == '0' && (s[1] | 0x20) == 'x') {
		base = 16;
		s += 2;
	}
	if (!*s)
		return false;
	for (; *s; s++) {
		uint32_t digit, lower = (uint8_t)*s | 0x20;

		if (*s >= '0' && *s <= '9')
			digit = *s - '0';
		else if (base == 16 && lower >= 'a' && lower <= 'f')
			digit = lower - 'a' + 10;
		else
			return false;
		if (value > (UINT32_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	*out = value;
	return true;
}
