/*
 * div64.c - 64-bit division, which the processor does not have and the compiler calls.
 *
 * Schoolbook division in two digits of 32 bits when the divisor has one; else a bit at a time.
 */
#include "lib/types.h"

uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t *rest);
uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);
int64_t __divdi3(int64_t n, int64_t d);
int64_t __moddi3(int64_t n, int64_t d);

uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t *rest)
{
	uint64_t quotient = 0;

	if (d >> 32 == 0) {
		uint32_t divisor = d, high = n >> 32, low = n, q_high, q_low, r;

		q_high = high / divisor;
		high %= divisor;
		asm("divl %4" : "=a"(q_low), "=d"(r) : "a"(low), "d"(high), "rm"(divisor));
		*rest = r;
		return (uint64_t)q_high << 32 | q_low;
	}
	/* The quotient has at most 32 bits. */
	for (int bit = 31; bit >= 0; bit--) {
		if ((n >> bit) >= d) {
			n -= d << bit;
			quotient |= 1ull << bit;
		}
	}
	*rest = n;
	return quotient;
}

uint64_t __udivdi3(uint64_t n, uint64_t d)
{
	uint64_t rest;

	return __udivmoddi4(n, d, &rest);
}

uint64_t __umoddi3(uint64_t n, uint64_t d)
{
	uint64_t rest;

	__udivmoddi4(n, d, &rest);
	return rest;
}

int64_t __divdi3(int64_t n, int64_t d)
{
	uint64_t q =
		__udivdi3(n < 0 ? -(uint64_t)n : (uint64_t)n, d < 0 ? -(uint64_t)d : (uint64_t)d);

	return (n < 0) != (d < 0) ? -q : q;
}

int64_t __moddi3(int64_t n, int64_t d)
{
	uint64_t r =
		__umoddi3(n < 0 ? -(uint64_t)n : (uint64_t)n, d < 0 ? -(uint64_t)d : (uint64_t)d);

	return n < 0 ? -r : r;
}
