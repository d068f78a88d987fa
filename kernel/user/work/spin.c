/*
 * spin.c - uses a processor and nothing else, for a while or for ever.
 *
 * The clock is read once in many turns, so that what this measures is user code.
 * Where the clock stands still during a slice the loop still ends: time is the
 * monotonic clock's, not a count of turns.
 */

#include "args.h"

static const char text[] = "spin [SECONDS]     (fractions allowed; without: for ever)";

#define TURNS 20000

int main(int argc, char **argv)
{
	volatile unsigned work = 1;
	struct timespec end = { 0, 0 };

	if (argc > 2)
		usage(text);
	if (argc == 2)
		end = from_now(seconds_arg(argv[1], text));
	for (;;) {
		for (int i = 0; i < TURNS; i++)
			work = work * 1103515245 + 12345;
		if (argc == 2 && !earlier(from_now((struct timespec){ 0, 0 }), end))
			return 0;
	}
}
