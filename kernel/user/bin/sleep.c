/*
 * sleep.c - does nothing for a while.
 */

#include "args.h"

static const char text[] = "sleep SECONDS     (fractions allowed)";

int main(int argc, char **argv)
{
	if (argc != 2)
		usage(text);
	sleep_until(from_now(seconds_arg(argv[1], text)));
	return 0;
}
