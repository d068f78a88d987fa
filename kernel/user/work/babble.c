/*
 * babble.c - system calls with random numbers and random arguments.
 *
 * Each round is a process of its own that may die of it; one that hangs is killed.  The kernel must
 * not mind: afterwards everything runs on, and no memory is missing.  Only on Klaava: elsewhere
 * there is something to lose.
 */

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "babble [ROUNDS [SEED]]";

#define CALLS	  300 /* a round */
#define PATIENCE  100 /* looks, 10 ms apart, before a round is killed */
#define HIGHEST	  340 /* most numbers are below */
#define ONE_IN(n) (random_word() % (n) == 0)
#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))

/* i386's numbers, whatever this is compiled for: it runs on Klaava only. */
enum {
	NR_EXIT = 1,
	NR_FORK = 2,
	NR_EXECVE = 11,
	NR_PAUSE = 29,
	NR_KILL = 37,
	NR_SIGSUSPEND = 72,
	NR_MUNMAP = 91,
	NR_SIGRETURN = 119,
	NR_CLONE = 120,
	NR_NANOSLEEP = 162,
	NR_POLL = 168,
	NR_RT_SIGRETURN = 173,
	NR_RT_SIGSUSPEND = 179,
	NR_VFORK = 190,
	NR_TKILL = 238,
	NR_EXIT_GROUP = 252,
	NR_CLOCK_NANOSLEEP = 267,
	NR_TGKILL = 270,
};

static unsigned seed;
static char memory[4 * 4096];

static unsigned random_word(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

/* Values at which something changes: of sizes, of rights, of address space. */
static long odd_value(void)
{
	static const unsigned values[] = {
		0,	    1,		-1u,	    2,		3,	    4,		8,
		16,	    17,		4095,	    4096,	4097,	    0x7fffffff, 0x80000000,
		0xc0000000, 0xbfffffff, 0xfffff000, 0x03fff000, 0x04000000, 0x00400000, -100u
	};

	return values[random_word() % COUNT(values)];
}

static long argument(void)
{
	switch (random_word() % 8) {
	case 0:
		return random_word();
	case 1:
	case 2:
		return odd_value();
	case 3:
		return (long)(memory + random_word() % sizeof(memory));
	case 4:
		return (long)memory;
	case 5:
		return random_word() % 64;
	case 6:
		return (long)"/bin/sh";
	default:
		return 1l << random_word() % 32;
	}
}

/* Calls that only end the round or make it wait; signals to others. */
static int is_boring(long number)
{
	static const short calls[] = { NR_EXIT,	      NR_EXIT_GROUP, NR_PAUSE,
				       NR_SIGSUSPEND, NR_NANOSLEEP,  NR_RT_SIGSUSPEND,
				       NR_KILL,	      NR_POLL,	     NR_CLOCK_NANOSLEEP };

	for (size_t i = 0; i < COUNT(calls); i++)
		if (number == calls[i])
			return 1;
	return 0;
}

/* Calls after which a round seldom lives on, or that make more of it. */
static int is_rare(long number)
{
	static const short calls[] = { NR_SIGRETURN, NR_RT_SIGRETURN, NR_MUNMAP,
				       NR_EXECVE,    NR_TKILL,	      NR_TGKILL,
				       NR_FORK,	     NR_VFORK,	      NR_CLONE };

	for (size_t i = 0; i < COUNT(calls); i++)
		if (number == calls[i])
			return 1;
	return 0;
}

static void babble(void)
{
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	for (int i = 0; i < 40; i++)
		memset(memory + random_word() % (sizeof(memory) - 64), random_word(), 64);
	for (int i = 0; i < CALLS; i++) {
		long number = ONE_IN(8) ? random_word() : random_word() % HIGHEST;

		if (is_boring(number) || (is_rare(number) && !ONE_IN(64)))
			continue;
		syscall(number, argument(), argument(), argument(), argument(), argument(),
			argument());
	}
}

/* True if it came to an end by itself. */
static int ended(pid_t pid)
{
	struct timespec moment = { 0, 10000000 };
	int tries = 0;

	while (waitpid(pid, NULL, WNOHANG) != pid) {
		nanosleep(&moment, NULL);
		if (++tries == PATIENCE)
			kill(pid, SIGKILL);
	}
	return tries < PATIENCE;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? number_arg(argv[1], 1, 1000000, text) : 100;
	long first = argc > 2 ? number_arg(argv[2], 0, 1000000, text) : 1;
	struct utsname system;
	int hung = 0;

	if (argc > 3)
		usage(text);
	if (uname(&system) || strcmp(system.sysname, "Klaava") != 0) {
		fprintf(stderr, "babble: only on Klaava\n");
		return 1;
	}
	for (long i = 0; i < rounds; i++) {
		pid_t pid = fork();

		if (pid < 0) {
			complain("babble", "fork");
			return 1;
		}
		if (pid == 0) {
			setpgid(0, 0);
			seed = (unsigned)(first + i) * 2654435761u | 1;
			babble();
			_exit(0);
		}
		hung += !ended(pid);
	}
	printf("babble: %ld rounds, %d killed\n", rounds, hung);
	return 0;
}
