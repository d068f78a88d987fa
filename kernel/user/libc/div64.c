/*
 * div64.c - division of 64-bit numbers, which the compiler calls by these names.
 *
 * gcc's own library has them, but its 32-bit half is not installed everywhere that
 * gcc -m32 compiles.
 */

typedef unsigned long long u64;
typedef long long s64;

u64 __udivmoddi4(u64 n, u64 d, u64 *rest);
u64 __udivdi3(u64 n, u64 d);
u64 __umoddi3(u64 n, u64 d);
s64 __divmoddi4(s64 n, s64 d, s64 *rest);
s64 __divdi3(s64 n, s64 d);
s64 __moddi3(s64 n, s64 d);

/*
 * A divisor of 32 bits takes two DIVs, high half first (its remainder is the high
 * half of the second dividend, so the quotient fits).  A larger one takes shifts and
 * subtractions.
 */
u64 __udivmoddi4(u64 n, u64 d, u64 *rest)
{
	u64 quotient = 0;

	if (d >> 32 == 0) {
		unsigned high = n >> 32, low = n, divisor = d, r = 0;

		__asm__("divl %2" : "+a"(high), "+d"(r) : "rm"(divisor) : "cc");
		__asm__("divl %2" : "+a"(low), "+d"(r) : "rm"(divisor) : "cc");
		if (rest)
			*rest = r;
		return (u64)high << 32 | low;
	}
	for (int bit = __builtin_clzll(d); bit >= 0; bit--) {
		quotient <<= 1;
		if (n >= d << bit) {
			n -= d << bit;
			quotient |= 1;
		}
	}
	if (rest)
		*rest = n;
	return quotient;
}

u64 __udivdi3(u64 n, u64 d)
{
	return __udivmoddi4(n, d, 0);
}

u64 __umoddi3(u64 n, u64 d)
{
	u64 rest;

	__udivmoddi4(n, d, &rest);
	return rest;
}

/* Rounds towards zero; the rest has the sign of `n`. */
s64 __divmoddi4(s64 n, s64 d, s64 *rest)
{
	u64 r, q = __udivmoddi4(n < 0 ? -(u64)n : (u64)n, d < 0 ? -(u64)d : (u64)d, &r);

	*rest = n < 0 ? -r : r;
	return (n < 0) != (d < 0) ? -q : q;
}

s64 __divdi3(s64 n, s64 d)
{
	s64 rest;

	return __divmoddi4(n, d, &rest);
}

s64 __moddi3(s64 n, s64 d)
{
	s64 rest;

	__divmoddi4(n, d, &rest);
	return rest;
}
