/*
 * exec.c - from a line of text to a command that ran.
 *
 * A line is commands between `;`.  A command is words, in quotes or not, and may end in `| WORD`,
 * which shows only lines with WORD in them.  A name may be shortened as long as it stays unique.
 * Commands that take another command (watch, time) get the rest of their text unread.
 */
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/shell.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

bool is_prefix(const char *word, const char *name)
{
	return *word && !strncmp(word, name, strlen(word));
}

/* Where `stop` first appears outside quotes, or the end. */
static const char *find_outside_quotes(const char *s, const char *end, char stop)
{
	char quote = 0;

	for (; s < end; s++) {
		if (quote)
			quote = *s == quote ? 0 : quote;
		else if (*s == '"' || *s == '\'')
			quote = *s;
		else if (*s == stop)
			break;
	}
	return s;
}

bool next_command(const char **line, const char **text, uint32_t *n)
{
	const char *s = *line, *end;

	while (is_blank(*s) || *s == ';')
		s++;
	if (!*s) {
		*line = s;
		return false;
	}
	end = find_outside_quotes(s, s + strlen(s), ';');
	*text = s;
	*n = end - s;
	*line = end;
	return true;
}

struct program_hint {
	const char *word;
	char text[48];
};

static void hint_at(void *arg, const char *program)
{
	struct program_hint *h = arg;

	if (!strcmp(program, h->word))
		snprintf(h->text, sizeof(h->text), ", but a program: run %s", program);
}

static void no_such_command(const char *word)
{
	struct program_hint h = { .word = word };

	words_programs(hint_at, &h);
	if (!strcmp(word, "exit") || !strcmp(word, "quit"))
		str_copy(h.text, "; poweroff ends the machine", sizeof(h.text));
	fail("%s: no such command%s", word, h.text[0] ? h.text : nearest(word, words_commands));
}

const struct command *find_command(const char *word)
{
	const struct command *found = NULL;
	uint32_t matches = 0;

	for (uint32_t i = 0; i < command_count; i++) {
		if (!strcmp(word, commands[i].name))
			return &commands[i];
		if (is_prefix(word, commands[i].name)) {
			found = &commands[i];
			matches++;
		}
	}
	if (matches == 1)
		return found;
	if (!matches) {
		no_such_command(word);
		return NULL;
	}
	out("%s: ambiguous:", word);
	for (uint32_t i = 0; i < command_count; i++)
		if (is_prefix(word, commands[i].name))
			out(" %s", commands[i].name);
	out("\n");
	return NULL;
}

/* The next word of *s, unquoted, copied to *to; NULL at the end.  An open quote ends there, too. */
static char *next_word(const char **s, const char *end, char **to)
{
	char *word = *to, quote = 0;

	while (*s < end && is_blank(**s))
		++*s;
	if (*s == end)
		return NULL;
	for (; *s < end && (quote || !is_blank(**s)); ++*s) {
		char c = **s;

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? 0 : c;
		else
			*(*to)++ = c;
	}
	*(*to)++ = 0;
	return word;
}

/* Take -k out of the arguments. */
static bool take_keys(int *argc, char **argv)
{
	bool found = false;
	int kept = 0;

	for (int i = 0; i < *argc; i++) {
		if (i && !strcmp(argv[i], "-k"))
			found = true;
		else
			argv[kept++] = argv[i];
	}
	*argc = kept;
	return found;
}

static int run_words(const struct command *c, const char *s, const char *end, char *argv[],
		     char **to)
{
	const char *pipe = find_outside_quotes(s, end, '|'), *filter_text = pipe + 1;
	const char *filter = NULL;
	int argc = 1, status;

	while ((argv[argc] = next_word(&s, pipe, to)))
		if (++argc == ARGS_MAX)
			return fail("%s: too many words", c->name);
	if (pipe < end) {
		filter = next_word(&filter_text, end, to);
		if (!filter)
			return fail("|: a word must follow: lines without it are not shown");
	}
	mon->keys = (c->flags & CMD_VIEW) && take_keys(&argc, argv);
	out_begin(filter, c->flags & CMD_DIRECT);
	status = c->run(argc, argv);
	out_end();
	return status;
}

static int run_one(const char *text, uint32_t n)
{
	const char *s = text, *end = text + n;
	uint32_t mark = mon->arena_used;
	char *to = mon->arena + mark;
	char *argv[ARGS_MAX], *slash;
	const struct command *c;
	int status;

	/* Words never take more than their text and a NUL each; twice it is enough for both. */
	if (mark + 2 * n + 4 > sizeof(mon->arena))
		return fail("command too long: %u characters", n);
	argv[0] = next_word(&s, end, &to);
	if (!argv[0])
		return 0;
	slash = strchr(argv[0], '/');
	if (slash && slash != argv[0]) { /* x/8 is x /8 */
		s -= strlen(slash);
		*slash = 0;
	}
	c = find_command(argv[0]);
	if (!c)
		return 1;
	if ((c->flags & CMD_LIVE) && mon->stopped)
		return fail("%s: needs a world that runs; `go` first", c->name);
	if (c->flags & CMD_REST) {
		while (s < end && is_blank(*s))
			s++;
		argv[1] = to;
		memcpy(to, s, end - s);
		to[end - s] = 0;
		mon->arena_used = to + (end - s) + 1 - mon->arena;
		status = c->run(2, argv);
	} else {
		/* Words may be run again below us (lesson), so they stay taken while we run. */
		mon->arena_used = mark + 2 * n + 4;
		status = run_words(c, s, end, argv, &to);
	}
	mon->arena_used = mark;
	return status;
}

/* `time time time ...` is a call a word, on a stack of 4 KB. */
#define DEPTH_MAX 4

int run_command(const char *text, uint32_t n)
{
	int status;

	if (mon->depth == DEPTH_MAX)
		return fail("more than %u commands in one another", DEPTH_MAX);
	mon->depth++;
	status = run_one(text, n);
	mon->depth--;
	return status;
}

int run_line(const char *line)
{
	const char *text;
	uint32_t n;
	int status = 0;

	while (next_command(&line, &text, &n))
		status |= run_command(text, n);
	return status;
}
