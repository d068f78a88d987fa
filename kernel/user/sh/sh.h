/*
 * sh.h - what the shell's four files share.
 *
 * main.c reads lines, parse.c makes a tree of each, run.c runs the tree, expand.c makes of
 * its words what the programs get.  The grammar:
 *
 *	line      lists, each ended by ; or & or a newline
 *	list      pipelines joined by && and ||
 *	pipeline  [!] commands joined by |
 *	command   words and redirections
 *
 * A tree lives until its line has run: parse.c allocates it from one pool.
 */

#ifndef SH_H
#define SH_H

#include <stddef.h>
#include <sys/types.h>

enum redirect { REDIR_IN, REDIR_OUT, REDIR_APPEND, REDIR_DUP };

struct redirection {
	enum redirect kind;
	int fd;
	char *word; /* raw: a file, or a descriptor for REDIR_DUP */
	struct redirection *next;
};

/* Words are kept raw, quotes and all, and expanded when the command runs: $? changes. */
struct word {
	char *raw;
	struct word *next;
};

struct command {
	struct word *words;
	struct redirection *redirections;
	struct command *next; /* down the pipe */
};

enum join { JOIN_ALWAYS, JOIN_AND, JOIN_OR };

struct pipeline {
	struct command *commands;
	enum join join; /* with the pipeline before: does its status decide? */
	int negate;
	struct pipeline *next;
};

struct list {
	struct pipeline *pipelines;
	int background;
	struct list *next;
};

enum parse_result { PARSE_OK, PARSE_INCOMPLETE, PARSE_ERROR };

/*
 * Makes a tree of `text`.  PARSE_INCOMPLETE: it ends inside quotes, after \ or after an
 * operator, more may come.  PARSE_ERROR: a line saying so has been printed.
 */
enum parse_result parse(const char *text, struct list **tree);

/* Expands one raw word: removes quotes, replaces $ names.  In the pool. */
char *expand(const char *raw);

/*
 * Expands words and, in those with patterns, file names.  An array in the pool, ended by
 * NULL; its length in *count.
 */
char **expand_words(const struct word *words, int *count);

/* Memory that lives until pool_free(), zeroed; pool_copy() gives the first n bytes of s. */
void *pool_alloc(size_t size);
char *pool_copy(const char *s, size_t n);
void pool_free(void);

/* Runs a tree.  Leaves the last status in last_status. */
void run(struct list *tree);

/* Forgets background jobs that have ended; tells of them when interactive. */
void reap_jobs(void);

/* Prints "sh: what: why", flushed. */
void sh_error(const char *what, const char *why);

extern int interactive; /* reads a terminal: jobs get process groups of their own */
extern int last_status; /* $? */
extern pid_t last_job;	/* $! */
extern pid_t sh_pid;	/* $$ */
extern char **sh_args;	/* $0, $1, ... */
extern int sh_arg_count;

#endif
