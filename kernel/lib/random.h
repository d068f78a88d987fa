/*
 * random.h - numbers that nobody chose (xorshift, G. Marsaglia, 2003).
 *
 * Whoever wants some keeps the state, and seeds it with the clock: as unpredictable as that is, so
 * repeatable under a machine profile, and no secret.
 */
#pragma once

#include "lib/types.h"

#define RANDOM_SEED 0x9e3779b97f4a7c15u /* mixed in, since a state of 0 stays 0 */

static inline uint32_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}
