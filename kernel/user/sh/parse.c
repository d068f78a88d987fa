/*
 * parse.c - from text to a tree: recursive descent, one function a line of the grammar.
 */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sh.h"

/* The pool */

struct chunk {
	struct chunk *next;
};

static struct chunk *pool;

void *pool_alloc(size_t size)
{
	struct chunk *c = calloc(1, sizeof(*c) + size);

	if (!c) {
		sh_error("out of memory", "giving up");
		exit(2);
	}
	c->next = pool;
	pool = c;
	return c + 1;
}

void pool_free(void)
{
	while (pool) {
		struct chunk *next = pool->next;

		free(pool);
		pool = next;
	}
}

char *pool_copy(const char *s, size_t n)
{
	char *copy = pool_alloc(n + 1);

	memcpy(copy, s, n);
	return copy;
}

/* Tokens */

static const char *at; /* the rest of the text */
static enum parse_result result;

static void incomplete(void)
{
	if (result == PARSE_OK)
		result = PARSE_INCOMPLETE;
}

static void skip_blanks(void)
{
	while (*at == ' ' || *at == '\t' || (at[0] == '\\' && at[1] == '\n')) {
		at += *at == '\\' ? 2 : 1;
		if (!*at && at[-1] == '\n')
			incomplete();
	}
	if (*at == '#')
		while (*at && *at != '\n')
			at++;
}

static void syntax_error(void)
{
	char near[8] = "newline";

	if (result != PARSE_OK)
		return;
	result = PARSE_ERROR;
	if (*at && *at != '\n')
		snprintf(near, sizeof(near), "%.*s", at[0] == at[1] && strchr("|&", *at) ? 2 : 1,
			 at);
	fprintf(stderr, "sh: syntax error near `%s'\n", near);
}

/* Takes `token` if it comes next. */
static int accept(const char *token)
{
	size_t n = strlen(token);

	skip_blanks();
	if (strncmp(at, token, n) != 0)
		return 0;
	at += n;
	return 1;
}

/* The length of the raw word at `s`, its quotes included; 0 when there is none. */
static size_t word_length(const char *s)
{
	const char *p = s;

	while (*p && !strchr(" \t\n|&;<>()", *p)) {
		if (*p == '\\') {
			if (!p[1] || (p[1] == '\n' && !p[2])) {
				incomplete();
				return 0;
			}
			p += 2;
		} else if (*p == '\'' || *p == '"') {
			char quote = *p++;

			while (*p && *p != quote)
				p += *p == '\\' && quote == '"' && p[1] ? 2 : 1;
			if (!*p) {
				incomplete();
				return 0;
			}
			p++;
		} else {
			p++;
		}
	}
	return p - s;
}

static char *take_word(void)
{
	size_t n;
	char *word;

	skip_blanks();
	n = word_length(at);
	if (n == 0)
		return NULL;
	word = pool_copy(at, n);
	at += n;
	return word;
}

/* The grammar */

/* Takes a redirection, a descriptor number in front of it included; NULL when none comes. */
static struct redirection *parse_redirection(void)
{
	struct redirection *r;
	enum redirect kind;
	const char *p;
	int fd = -1;

	skip_blanks();
	p = at;
	if (isdigit((unsigned char)p[0]) && (p[1] == '<' || p[1] == '>'))
		fd = *p++ - '0';
	if (*p != '<' && *p != '>')
		return NULL;
	at = p;
	if (fd < 0)
		fd = *p == '<' ? STDIN_FILENO : STDOUT_FILENO;
	if (accept(">>"))
		kind = REDIR_APPEND;
	else if (accept(">&") || accept("<&"))
		kind = REDIR_DUP;
	else if (accept(">|"))
		kind = REDIR_OUT;
	else
		kind = *at++ == '>' ? REDIR_OUT : REDIR_IN;
	r = pool_alloc(sizeof(*r));
	r->kind = kind;
	r->fd = fd;
	r->word = take_word();
	if (!r->word)
		syntax_error();
	return r;
}

static struct command *parse_command(void)
{
	struct command *c = pool_alloc(sizeof(*c));
	struct word **words = &c->words;
	struct redirection **redirections = &c->redirections;

	while (result == PARSE_OK) {
		struct redirection *r = parse_redirection();
		char *raw;

		if (r) {
			*redirections = r;
			redirections = &r->next;
			continue;
		}
		raw = take_word();
		if (!raw)
			break;
		*words = pool_alloc(sizeof(**words));
		(*words)->raw = raw;
		words = &(*words)->next;
	}
	if (!c->words && !c->redirections)
		syntax_error();
	return c;
}

/* After an operator the next command may be on the next line, which may not be here yet. */
static void skip_newlines(void)
{
	do
		skip_blanks();
	while (*at == '\n' && at++);
	if (!*at)
		incomplete();
}

static struct pipeline *parse_pipeline(void)
{
	struct pipeline *p = pool_alloc(sizeof(*p));
	struct command **next = &p->commands;

	skip_blanks();
	if (at[0] == '!' && (at[1] == ' ' || at[1] == '\t')) {
		at++;
		p->negate = 1;
	}
	for (;;) {
		*next = parse_command();
		next = &(*next)->next;
		skip_blanks();
		if (result != PARSE_OK || *at != '|' || at[1] == '|')
			return p;
		at++;
		skip_newlines();
	}
}

static struct list *parse_list(void)
{
	struct list *l = pool_alloc(sizeof(*l));
	struct pipeline **next = &l->pipelines;
	enum join join = JOIN_ALWAYS;

	for (;;) {
		*next = parse_pipeline();
		(*next)->join = join;
		next = &(*next)->next;
		if (result != PARSE_OK)
			return l;
		if (accept("&&"))
			join = JOIN_AND;
		else if (accept("||"))
			join = JOIN_OR;
		else
			return l;
		skip_newlines();
	}
}

enum parse_result parse(const char *text, struct list **tree)
{
	struct list **next = tree;

	at = text;
	result = PARSE_OK;
	*tree = NULL;
	for (;;) {
		do
			skip_blanks();
		while (*at == '\n' && at++);
		if (!*at || result != PARSE_OK)
			return result;
		*next = parse_list();
		skip_blanks();
		if (*at == '&' && result == PARSE_OK)
			(*next)->background = 1;
		if (*at == '&' || *at == ';' || *at == '\n')
			at++;
		else if (*at)
			syntax_error();
		next = &(*next)->next;
	}
}
