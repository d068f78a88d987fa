/*
 * crash.c - does what a program must not do, in one of several ways.
 *
 * It dies of it, the kernel says how, and nothing else is harmed.
 */

#include <stdio.h>
#include <string.h>

#include "args.h"

static const char text[] = "crash null|kernel|overflow|jump|priv|divide";

static volatile int zero;
static unsigned char data[16] = { 0xf4 }; /* a privileged instruction, where data may be executed */

static void null(void)
{
	*(volatile int *)(unsigned long)zero = 1;
}

static void kernel(void)
{
	*(volatile int *)0xc0100000UL = 1;
}

static int descend(int depth)
{
	volatile char frame[1000];

	frame[0] = depth;
	return zero ? 0 : descend(depth + 1) + frame[0];
}

static void overflow(void)
{
	descend(0);
}

static void jump(void)
{
	((void (*)(void))(void *)data)();
}

static void priv(void)
{
#if defined(__i386__) || defined(__x86_64__)
	__asm__ volatile("cli");
#else /* built for another kind of host: the nearest there is */
	__builtin_trap();
#endif
}

static void divide(void)
{
	volatile int one = 1;

	one = one / zero;
}

static const struct {
	const char *name;
	void (*crash)(void);
} ways[] = {
	{ "null", null }, { "kernel", kernel }, { "overflow", overflow },
	{ "jump", jump }, { "priv", priv },	{ "divide", divide },
};

int main(int argc, char **argv)
{
	if (argc != 2)
		usage(text);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(argv[1], ways[i].name) == 0) {
			ways[i].crash();
			fprintf(stderr, "crash: %s did no harm\n", argv[1]);
			return 1;
		}
	}
	usage(text);
}
