/*
 * main.c - the shell: reads commands from a terminal, a file or its arguments.
 *
 * What it knows: words, '...', "...", \, # comments, | < > >> >| 2> 2>&1, & ; && || !,
 * $? $! $$ $0 to $9 and $NAME from the environment, file names by * ? [a-z], cd, exit, wait.
 * A $ word stays one word.  There are no loops or functions: programs do the work.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "sh.h"

static const char text[] = "sh [FILE [ARG]... | -c COMMANDS [NAME [ARG]...]]";

static volatile int interrupted; /* by Ctrl-C, since the last line was begun */

int interactive;
pid_t sh_pid;
char **sh_args;
int sh_arg_count;

/* Runs `commands`, unless they are incomplete or wrong. */
static enum parse_result run_text(const char *commands)
{
	struct list *tree;
	enum parse_result result = parse(commands, &tree);

	if (result == PARSE_OK)
		run(tree);
	else if (result == PARSE_ERROR)
		last_status = 2;
	pool_free();
	return result;
}

static void unexpected_end(void)
{
	sh_error("syntax error", "unexpected end");
	last_status = 2;
}

/*
 * Ctrl-C at the prompt: the terminal has forgotten what was typed, so begin anew.  The read goes on
 * by itself (SA_RESTART): were it to be ended, a signal just before it would be lost.
 */
static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
	write(2, "$ ", 2);
}

static void run_file(FILE *f)
{
	char *line = NULL, *all = NULL;
	size_t size = 0, length = 0;
	ssize_t n;

	for (;;) {
		reap_jobs();
		if (interactive)
			fputs(length ? "> " : "$ ", stderr);
		n = getline(&line, &size, f);
		if (n < 0)
			break;
		if (interrupted) { /* the lines before this one are forgotten, too */
			interrupted = 0;
			length = 0;
		}
		all = realloc(all, length + n + 1);
		if (!all) {
			sh_error("line", strerror(ENOMEM));
			exit(2);
		}
		memcpy(all + length, line, n + 1);
		length += n;
		if (run_text(all) != PARSE_INCOMPLETE)
			length = 0;
	}
	if (length)
		unexpected_end();
}

int main(int argc, char **argv)
{
	FILE *f = stdin;

	sh_pid = getpid();
	sh_args = argv;
	sh_arg_count = 1;
	if (argc > 1 && strcmp(argv[1], "-c") == 0) {
		if (argc < 3)
			usage(text);
		if (argc > 3) {
			sh_args = argv + 3;
			sh_arg_count = argc - 3;
		}
		if (run_text(argv[2]) == PARSE_INCOMPLETE)
			unexpected_end();
		return last_status;
	}
	if (argc > 1) {
		if (argv[1][0] == '-')
			usage(text);
		f = fopen(argv[1], "re");
		if (!f) {
			sh_error(argv[1], strerror(errno));
			return 127;
		}
		sh_args = argv + 1;
		sh_arg_count = argc - 1;
	}
	interactive = f == stdin && isatty(STDIN_FILENO);
	if (!interactive) {
		run_file(f);
		return last_status;
	}
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = interrupt, .sa_flags = SA_RESTART },
		  NULL);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
	setpgid(0, 0);
	tcsetpgrp(STDIN_FILENO, getpgrp());
	run_file(f);
	fputc('\n', stderr);
	return last_status;
}
