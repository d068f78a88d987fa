/*
 * kill.c - sends a signal to processes.
 */

#include <ctype.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "kill [-SIGNAL] PID...  |  kill -l";

static const struct {
	const char *name;
	int number;
} signals[] = {
	{ "HUP", SIGHUP },   { "INT", SIGINT },	  { "QUIT", SIGQUIT }, { "ILL", SIGILL },
	{ "TRAP", SIGTRAP }, { "ABRT", SIGABRT }, { "BUS", SIGBUS },   { "FPE", SIGFPE },
	{ "KILL", SIGKILL }, { "USR1", SIGUSR1 }, { "SEGV", SIGSEGV }, { "USR2", SIGUSR2 },
	{ "PIPE", SIGPIPE }, { "ALRM", SIGALRM }, { "TERM", SIGTERM }, { "CHLD", SIGCHLD },
	{ "CONT", SIGCONT }, { "STOP", SIGSTOP }, { "TSTP", SIGTSTP },
};

#define SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* Takes 9, KILL, kill and SIGKILL alike. */
static int signal_named(const char *s)
{
	if (isdigit((unsigned char)*s))
		return number_arg(s, 0, 64, text);
	if (strlen(s) > 3 && (s[0] == 'S' || s[0] == 's') && (s[1] == 'I' || s[1] == 'i'))
		s += 3;
	for (size_t i = 0; i < SIGNALS; i++)
		if (strcasecmp(s, signals[i].name) == 0)
			return signals[i].number;
	usage(text);
}

int main(int argc, char **argv)
{
	int sig = SIGTERM, i = 1, bad = 0;

	if (argc == 2 && strcmp(argv[1], "-l") == 0) {
		for (size_t s = 0; s < SIGNALS; s++)
			printf("%2d %s\n", signals[s].number, signals[s].name);
		return 0;
	}
	if (argc > 2 && argv[1][0] == '-')
		sig = signal_named(argv[i++] + 1);
	if (i == argc)
		usage(text);
	for (; i < argc; i++) {
		if (kill(number_arg(argv[i], INT_MIN, INT_MAX, text), sig) < 0) {
			complain("kill", argv[i]);
			bad = 1;
		}
	}
	return bad;
}
