/*
 * complete.c - what Tab may put at the cursor.
 *
 * The arguments column of the command table says what stands where: "PID [FIRST-LAST]",
 * "test|triple|hang [CPU]".  Capitals name a kind of thing, and the kind a set of words; anything
 * else is a word to be typed as it is.
 */
#include "fs/console.h"
#include "fs/inode.h"
#include "fs/namei.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"
#include "tunable.h"

void words_commands(word_fn each, void *arg)
{
	for (uint32_t i = 0; i < command_count; i++)
		each(arg, commands[i].name);
}

void words_tunables(word_fn each, void *arg)
{
	for (uint32_t i = 0; i < tunable_count; i++)
		each(arg, tunables[i].name);
}

void words_pids(word_fn each, void *arg)
{
	struct task *t;
	char pid[12];

	list_for_each_entry (t, &task_list, all) {
		snprintf(pid, sizeof(pid), "%u", t->pid);
		each(arg, pid);
	}
}

/* The names in /bin and /tests.  Reads the disk: nothing when the world is stopped. */
void words_programs(word_fn each, void *arg)
{
	static const char *const places[] = { "/bin", "/tests" };
	struct dir_entry *entry = mon->stopped ? NULL : kmalloc(sizeof(*entry));

	for (uint32_t i = 0; entry && i < ARRAY_SIZE(places); i++) {
		struct inode *dir;
		uint32_t offset = 0;

		if (path_lookup(places[i], NULL, LOOKUP_FOLLOW | LOOKUP_DIRECTORY, &dir))
			continue;
		while (dir_next(dir, &offset, entry) == 1)
			if (entry->name[0] != '.')
				each(arg, entry->name);
		inode_put(dir);
	}
	kfree(entry);
}

/* --- which set belongs to the word at the cursor ---------------------------- */

struct completion {
	const char *word;
	uint32_t length;
	uint32_t matches;
	char common[64]; /* what all matches begin with */
	bool listing;	 /* print them */
	uint32_t column;
};

static void match(void *arg, const char *word)
{
	struct completion *c = arg;
	uint32_t n = 0;

	if (strncmp(word, c->word, c->length))
		return;
	if (c->listing) {
		uint32_t width = strlen(word) + 2;

		if (c->column && c->column + width > screen_columns) {
			out("\n");
			c->column = 0;
		}
		out("%s  ", word);
		c->column += width;
		return;
	}
	if (!c->matches++) {
		str_copy(c->common, word, sizeof(c->common));
		return;
	}
	while (c->common[n] && c->common[n] == word[n])
		n++;
	c->common[n] = 0;
}

/* What one token of the arguments column stands for.  `tunable`: the one named before, if any. */
static void match_token(struct completion *c, const char *token, const struct tunable *tunable)
{
	if (!strcmp(token, "TUNABLE"))
		words_tunables(match, c);
	else if (!strcmp(token, "PID"))
		words_pids(match, c);
	else if (!strcmp(token, "PROGRAM"))
		words_programs(match, c);
	else if (!strcmp(token, "SYMBOL"))
		words_symbols(match, c);
	else if (!strcmp(token, "COMMAND"))
		words_commands(match, c);
	else if (!strcmp(token, "-SIGNAL"))
		words_signals(match, c);
	else if (!strcmp(token, "VALUE")) {
		for (uint32_t i = 0; tunable && tunable->choices && tunable->choices[i]; i++)
			match(c, tunable->choices[i]);
	} else if (*token >= 'a' && *token <= 'z') {
		match(c, token);
	}
}

/* The words between `|` of the argument numbered `index`. */
static void match_argument(struct completion *c, const char *args, uint32_t index,
			   const struct tunable *tunable)
{
	char token[24];
	uint32_t n = 0, at = 0;

	for (;; args++) {
		if (*args == '[' || *args == ']')
			continue;
		if (*args && *args != ' ' && *args != '|') {
			if (n < sizeof(token) - 1)
				token[n++] = *args;
			continue;
		}
		token[n] = 0;
		n = 0;
		/* Options may be left out and are not counted: "[-SIGNAL] PID". */
		if ((token[0] == '-' || token[0] == '/') && c->word[0] != token[0])
			continue;
		if (at == index)
			match_token(c, token, tunable);
		at += *args == ' ';
		if (!*args || at > index)
			return;
	}
}

/* Find what the word at the cursor could be. */
static void collect(struct completion *c, const char *line)
{
	const struct command *command = NULL;
	const struct tunable *tunable = NULL;
	uint32_t words = 0;
	char word[32];

	while (line < c->word) {
		uint32_t n = 0;

		while (line < c->word && strchr(" ;|", *line)) {
			if (*line == ';') { /* a new command begins */
				words = 0;
				command = NULL;
			}
			line++;
		}
		if (line == c->word)
			break;
		while (line + n < c->word && !strchr(" ;|", line[n]))
			n++;
		str_copy(word, line, MIN(n + 1, sizeof(word)));
		if (!words && strchr(word, '/')) /* x/8 */
			*strchr(word, '/') = 0;
		line += n;
		if (words && (word[0] == '-' || word[0] == '/'))
			continue;
		tunable = tunable_find(word);
		if (words++ && !(command && (command->flags & CMD_REST)))
			continue;
		command = NULL;
		for (uint32_t i = 0; i < command_count && !command; i++)
			if (is_prefix(word, commands[i].name))
				command = &commands[i];
		/* `watch 1 CMD`: the number is no command, what follows is. */
		if (command)
			words = 1;
	}
	if (!command)
		words_commands(match, c);
	else
		match_argument(c, command->args, words - 1, tunable);
}

void complete(struct editor *e)
{
	struct completion c = { 0 };
	uint32_t start = e->at;
	char tail = e->text[e->at];

	while (start && !strchr(" ;|", e->text[start - 1]))
		start--;
	e->text[e->at] = 0;
	c.word = e->text + start;
	c.length = e->at - start;
	collect(&c, e->text);
	if (c.matches > 1 && strlen(c.common) == c.length) {
		out_begin(NULL, false);
		out("\n");
		c.listing = true;
		collect(&c, e->text);
		out("\n");
		out_end();
		e->text[e->at] = tail;
		editor_redraw(e);
		return;
	}
	e->text[e->at] = tail;
	if (c.matches && strlen(c.common) >= c.length)
		editor_insert(e, c.common + c.length, strlen(c.common) - c.length);
	if (c.matches == 1)
		editor_insert(e, " ", 1);
	editor_refresh(e);
}
