/*
 * format.c - what printf and its family do to a format.
 *
 * Flags - 0 + blank #, width, precision (both also *), lengths hh h l ll z t j,
 * conversions d i u o x X c s p %.  No floating point: programs here count.
 */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

struct spec {
	int left, zero, plus, blank, alternate;
	int width;
	int precision; /* -1: none given */
	int length;    /* of an integer, in bytes */
	char conversion;
};

/* Reads the specification after a '%'; returns what follows it. */
static const char *parse(const char *f, struct spec *s, va_list *ap)
{
	memset(s, 0, sizeof(*s));
	for (;; f++) {
		if (*f == '-')
			s->left = 1;
		else if (*f == '0')
			s->zero = 1;
		else if (*f == '+')
			s->plus = 1;
		else if (*f == ' ')
			s->blank = 1;
		else if (*f == '#')
			s->alternate = 1;
		else
			break;
	}
	if (*f == '*') {
		s->width = va_arg(*ap, int);
		if (s->width < 0) {
			s->left = 1;
			s->width = -s->width;
		}
		f++;
	}
	while (*f >= '0' && *f <= '9')
		s->width = s->width * 10 + *f++ - '0';
	s->precision = -1;
	if (*f == '.') {
		f++;
		s->precision = 0;
		if (*f == '*') {
			s->precision = va_arg(*ap, int);
			f++;
		}
		while (*f >= '0' && *f <= '9')
			s->precision = s->precision * 10 + *f++ - '0';
	}
	s->length = sizeof(int);
	for (;; f++) {
		if (*f == 'h') {
			s->length /= 2;
		} else if (*f == 'l') {
			s->length = f[1] == 'l' ? sizeof(long long) : sizeof(long);
			f += f[1] == 'l';
		} else if (*f == 'j') {
			s->length = sizeof(intmax_t);
		} else if (*f != 'z' && *f != 't') {
			break;
		}
	}
	s->conversion = *f;
	return *f ? f + 1 : f;
}

/* Writes `n` copies of `c`. */
static void pad(emit_fn emit, void *to, char c, int n)
{
	char run[16];

	memset(run, c, sizeof(run));
	for (; n > 0; n -= sizeof(run))
		emit(to, run, n < (int)sizeof(run) ? n : (int)sizeof(run));
}

/* Writes prefix (a sign, 0x), zeros and text, padded to the width; returns how many. */
static int field(emit_fn emit, void *to, const struct spec *s, const char *prefix, int zeros,
		 const char *text, int n)
{
	int before = strlen(prefix), blanks = s->width - before - zeros - n;

	if (!s->left)
		pad(emit, to, ' ', blanks);
	emit(to, prefix, before);
	pad(emit, to, '0', zeros);
	emit(to, text, n);
	if (s->left)
		pad(emit, to, ' ', blanks);
	return before + zeros + n + (blanks > 0 ? blanks : 0);
}

/* Takes the next argument as the integer `s` says; *negative for one below zero. */
static unsigned long long take(const struct spec *s, va_list *ap, int *negative)
{
	int is_signed = s->conversion == 'd' || s->conversion == 'i';
	unsigned long long value;

	if (s->length == sizeof(long long))
		value = va_arg(*ap, unsigned long long);
	else
		value = is_signed ? (unsigned long long)va_arg(*ap, int) : va_arg(*ap, unsigned);
	if (s->length == sizeof(short))
		value = is_signed ? (unsigned long long)(short)value : (unsigned short)value;
	else if (s->length == sizeof(char))
		value = is_signed ? (unsigned long long)(signed char)value : (unsigned char)value;
	*negative = is_signed && (long long)value < 0;
	return *negative ? -value : value;
}

/* What stands in front of the digits. */
static const char *prefix_of(const struct spec *s, int negative, int is_zero)
{
	switch (s->conversion) {
	case 'd':
	case 'i':
		return negative ? "-" : s->plus ? "+" : s->blank ? " " : "";
	case 'p':
		return "0x";
	case 'x':
		return s->alternate && !is_zero ? "0x" : "";
	case 'X':
		return s->alternate && !is_zero ? "0X" : "";
	default:
		return "";
	}
}

static int number(emit_fn emit, void *to, const struct spec *s, va_list *ap)
{
	const char *digits = s->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[24], *p = text + sizeof(text); /* 2^64 has 22 octal digits */
	int least = s->precision < 0 ? 1 : s->precision, negative, n;
	unsigned long long value = take(s, ap, &negative);
	const char *prefix = prefix_of(s, negative, value == 0);
	unsigned base = 10;

	if (s->conversion == 'o')
		base = 8;
	else if (s->conversion == 'x' || s->conversion == 'X' || s->conversion == 'p')
		base = 16;
	for (; value; value /= base)
		*--p = digits[value % base];
	n = text + sizeof(text) - p;
	if (s->zero && !s->left && s->precision < 0 && s->width - (int)strlen(prefix) > least)
		least = s->width - strlen(prefix);
	return field(emit, to, s, prefix, least > n ? least - n : 0, p, n);
}

int __format(emit_fn emit, void *to, const char *format, va_list args)
{
	int count = 0;
	va_list ap;

	va_copy(ap, args);
	while (*format) {
		const char *start = format, *text;
		struct spec s;
		char c;

		while (*format && *format != '%')
			format++;
		emit(to, start, format - start);
		count += format - start;
		if (!*format)
			break;
		format = parse(format + 1, &s, &ap);
		switch (s.conversion) {
		case 'd':
		case 'i':
		case 'u':
		case 'o':
		case 'x':
		case 'X':
		case 'p':
			count += number(emit, to, &s, &ap);
			break;
		case 's':
			text = va_arg(ap, const char *);
			if (!text)
				text = "(null)";
			count += field(emit, to, &s, "", 0, text,
				       s.precision < 0 ? strlen(text) : strnlen(text, s.precision));
			break;
		case 'c':
			c = va_arg(ap, int);
			count += field(emit, to, &s, "", 0, &c, 1);
			break;
		case '%':
			count += field(emit, to, &s, "", 0, "%", 1);
			break;
		}
	}
	va_end(ap);
	return count;
}

struct bounded {
	char *to;
	size_t room; /* for text, the final 0 not counted */
};

static void emit_bounded(void *to, const char *piece, size_t n)
{
	struct bounded *b = to;

	if (n > b->room)
		n = b->room;
	memcpy(b->to, piece, n);
	b->to += n;
	b->room -= n;
}

/* Returns the length the whole text would have had. */
int vsnprintf(char *to, size_t size, const char *format, va_list ap)
{
	struct bounded b = { to, size ? size - 1 : 0 };
	int n = __format(emit_bounded, &b, format, ap);

	if (size)
		*b.to = 0;
	return n;
}

int snprintf(char *to, size_t size, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(to, size, format, ap);
	va_end(ap);
	return n;
}
