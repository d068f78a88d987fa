/*
 * random.c - getrandom: bytes that nobody chose.
 *
 * They come from the clock (lib/random.h): good enough for a C library that wants to shuffle
 * something, repeatable under a machine profile, and no secret.
 */
#include "cpu/timer.h"
#include "lib/errno.h"
#include "lib/random.h"
#include "mm/usercopy.h"
#include "sys/sys.h"

#define GRND_ALL 7u

int32_t sys_getrandom(struct trapframe *f)
{
	static uint64_t state = RANDOM_SEED;
	uint32_t n = MIN(f->ecx, 256u), done = 0;

	if (f->edx & ~GRND_ALL)
		return -EINVAL;
	state ^= time_ns();
	if (!state)
		state = RANDOM_SEED;
	while (done < n) {
		uint32_t word = random_next(&state), part = MIN(n - done, sizeof(word));

		if (copy_to_user(f->ebx + done, &word, part))
			return -EFAULT;
		done += part;
	}
	return n;
}
