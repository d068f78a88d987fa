/*
 * help.c - help and explain.
 */
#include "lib/string.h"
#include "monitor/shell/explain.h"
#include "monitor/shell/shell.h"

int cmd_help(int argc, char **argv)
{
	if (argc == 2) {
		const struct command *c = find_command(argv[1]);

		if (!c)
			return 1;
		out("%s%s%s\n  %s%s\n", c->name, *c->args ? " " : "", c->args, c->help,
		    c->flags & CMD_VIEW ? "; -k prints records" : "");
		return 0;
	}
	for (uint32_t i = 0; i < command_count; i++) {
		const struct command *c = &commands[i];
		int used = strlen(c->name) + 1 + strlen(c->args);

		out("%s %s", c->name, c->args);
		if (used > 29) { /* the help goes on a line of its own */
			out("\n");
			used = 0;
		}
		out("%*s%s\n", 30 - used, "", c->help);
	}
	out("\n");
	out_wrapped(
		"Names may be shortened. CMD | WORD shows lines with WORD; CMD; CMD runs both; -k "
		"prints "
		"key=value records; Tab completes; Ctrl-] comes back here from a program, twice "
		"stops the world. explain CMD says what a command shows.",
		0);
	return 0;
}

/* "name ARGUMENTS: what it is for", on two lines when long. */
static void out_head(const struct command *c)
{
	uint32_t length = strlen(c->name) + strlen(c->args) + strlen(c->help) + 3;

	out("%s%s%s:%s%s\n", c->name, *c->args ? " " : "", c->args,
	    length > screen_columns ? "\n  " : " ", c->help);
}

int cmd_explain(int argc, char **argv)
{
	const struct command *c;

	if (argc != 2)
		return usage("explain");
	if (strchr(argv[1], '.')) /* no command has one in its name, and every tunable */
		return cmd_show(argc, argv);
	c = find_command(argv[1]);
	if (!c)
		return 1;
	for (const struct explanation *e = explanations; e->name; e++) {
		if (strcmp(e->name, c->name))
			continue;
		out_head(c);
		out_wrapped(e->text, 0);
		if (e->keys) {
			out("-k: ");
			out_wrapped(e->keys, 4);
		}
		if (e->lesson)
			out("Lesson %s.\n", e->lesson);
		return 0;
	}
	out_head(c);
	return 0;
}
