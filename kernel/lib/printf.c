/*
 * printf.c - formatted output.
 *
 * One engine, format(), that hands out a character at a time; everything else says where the
 * characters go.
 */
#include "lib/printf.h"
#include "lib/string.h"

struct spec {
	bool left, zero, alternate, upper;
	char sign; /* '+', ' ' or 0 */
	int width, precision;
};

struct out {
	void (*put)(void *arg, char c);
	void *arg;
	int count;
};

static void put(struct out *o, char c)
{
	o->put(o->arg, c);
	o->count++;
}

static void pad(struct out *o, char c, int n)
{
	while (n-- > 0)
		put(o, c);
}

static void put_field(struct out *o, const struct spec *s, const char *text, int length)
{
	if (!s->left)
		pad(o, ' ', s->width - length);
	for (int i = 0; i < length; i++)
		put(o, text[i]);
	if (s->left)
		pad(o, ' ', s->width - length);
}

static void put_number(struct out *o, const struct spec *s, uint64_t value, uint32_t base,
		       bool negative)
{
	char digits[24], prefix[3];
	int n = 0, p = 0, zeros;
	const char *alphabet = s->upper ? "0123456789ABCDEF" : "0123456789abcdef";

	if (negative)
		prefix[p++] = '-';
	else if (s->sign)
		prefix[p++] = s->sign;
	if (s->alternate && base == 16 && value) {
		prefix[p++] = '0';
		prefix[p++] = s->upper ? 'X' : 'x';
	}
	while (value || (n == 0 && s->precision != 0)) {
		if (value >> 32 == 0) {
			digits[n++] = alphabet[(uint32_t)value % base];
			value = (uint32_t)value / base;
		} else {
			digits[n++] = alphabet[value % base];
			value /= base;
		}
	}
	if (s->precision >= 0)
		zeros = s->precision - n;
	else
		zeros = s->zero && !s->left ? s->width - p - n : 0;
	zeros = MAX(zeros, 0);

	if (!s->left)
		pad(o, ' ', s->width - p - zeros - n);
	for (int i = 0; i < p; i++)
		put(o, prefix[i]);
	pad(o, '0', zeros);
	for (int i = n; i--;)
		put(o, digits[i]);
	if (s->left)
		pad(o, ' ', s->width - p - zeros - n);
}

static const char *parse_int(const char *f, int *out, va_list *ap)
{
	*out = 0;
	if (*f == '*') {
		*out = va_arg(*ap, int);
		return f + 1;
	}
	for (; *f >= '0' && *f <= '9'; f++)
		*out = *out * 10 + (*f - '0');
	return f;
}

static const char *parse_spec(const char *f, struct spec *s, int *size, va_list *ap)
{
	*s = (struct spec){ .precision = -1 };
	for (;; f++) {
		if (*f == '-')
			s->left = true;
		else if (*f == '0')
			s->zero = true;
		else if (*f == '#')
			s->alternate = true;
		else if (*f == '+' || (*f == ' ' && !s->sign))
			s->sign = *f;
		else
			break;
	}
	f = parse_int(f, &s->width, ap);
	if (s->width < 0) {
		s->left = true;
		s->width = -s->width;
	}
	if (*f == '.') {
		f = parse_int(f + 1, &s->precision, ap);
		if (s->precision < 0)
			s->precision = -1;
	}
	*size = 0;
	for (;; f++) {
		if (*f == 'l')
			(*size)++;
		else if (*f == 'h')
			(*size)--;
		else if (*f == 'z')
			*size += sizeof(size_t) > sizeof(int) ? 2 : 0;
		else
			return f;
	}
}

static int64_t next_signed(int size, va_list *ap)
{
	if (size >= 2)
		return va_arg(*ap, long long);
	if (size == 1)
		return va_arg(*ap, long);
	int v = va_arg(*ap, int);

	return size == -1 ? (short)v : size == -2 ? (signed char)v : v;
}

static uint64_t next_unsigned(int size, va_list *ap)
{
	if (size >= 2)
		return va_arg(*ap, unsigned long long);
	if (size == 1)
		return va_arg(*ap, unsigned long);
	unsigned v = va_arg(*ap, unsigned);

	return size == -1 ? (unsigned short)v : size == -2 ? (unsigned char)v : v;
}

static void convert(struct out *o, char c, struct spec *s, int size, va_list *ap)
{
	switch (c) {
	case 'd':
	case 'i': {
		int64_t v = next_signed(size, ap);

		put_number(o, s, v < 0 ? -(uint64_t)v : (uint64_t)v, 10, v < 0);
		return;
	}
	case 'u':
		put_number(o, s, next_unsigned(size, ap), 10, false);
		return;
	case 'o':
		put_number(o, s, next_unsigned(size, ap), 8, false);
		return;
	case 'X':
		s->upper = true;
		/* fall through */
	case 'x':
		put_number(o, s, next_unsigned(size, ap), 16, false);
		return;
	case 'p':
		s->alternate = true;
		put_number(o, s, (uintptr_t)va_arg(*ap, void *), 16, false);
		return;
	case 'c': {
		char ch = va_arg(*ap, int);

		put_field(o, s, &ch, 1);
		return;
	}
	case 's': {
		const char *text = va_arg(*ap, const char *);

		if (!text)
			text = "(null)";
		put_field(o, s, text, strnlen(text, s->precision < 0 ? INT32_MAX : s->precision));
		return;
	}
	default:
		put(o, c);
	}
}

int format(void (*put_char)(void *arg, char c), void *arg, const char *f, va_list ap0)
{
	struct out o = { .put = put_char, .arg = arg };
	va_list ap;

	va_copy(ap, ap0);
	for (; *f; f++) {
		struct spec s;
		int size;

		if (*f != '%') {
			put(&o, *f);
			continue;
		}
		f = parse_spec(f + 1, &s, &size, &ap);
		if (!*f)
			break;
		convert(&o, *f, &s, size, &ap);
	}
	va_end(ap);
	return o.count;
}

struct bounded {
	char *at, *end;
};

static void put_bounded(void *arg, char c)
{
	struct bounded *b = arg;

	if (b->at < b->end)
		*b->at++ = c;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
	struct bounded b = { buf, size ? buf + size - 1 : buf };
	int n = format(put_bounded, &b, fmt, ap);

	if (size)
		*b.at = '\0';
	return n;
}

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n;
}
