/*
 * args.c - what the words after a command mean.
 *
 * Each function prints one line when a word cannot mean what was asked for, so that
 * commands only have to return 1.
 */
#include "lib/string.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

int usage(const char *command)
{
	for (uint32_t i = 0; i < command_count; i++)
		if (!strcmp(command, commands[i].name))
			return fail("usage: %s%s%s", command, *commands[i].args ? " " : "",
				    commands[i].args);
	return 1;
}

bool arg_number(const char *s, uint32_t *number)
{
	if (parse_u32(s, number))
		return true;
	fail("%s: not a number from 0 to 4294967295", s);
	return false;
}

/* Hexadecimal digits up to `end`, with or without 0x. */
static bool hex_until(const char *s, const char *end, uint32_t *number)
{
	uint32_t v = 0;

	if (s + 2 < end && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	if (s == end || end - s > 8)
		return false;
	for (; s < end; s++) {
		uint32_t digit = *s >= '0' && *s <= '9' ? *s - '0' + 0u : (*s | 0x20) - 'a' + 10u;

		if (digit > 15)
			return false;
		v = v << 4 | digit;
	}
	*number = v;
	return true;
}

bool arg_hex(const char *s, uint32_t *number)
{
	if (hex_until(s, s + strlen(s), number))
		return true;
	fail("%s: not an address (hexadecimal)", s);
	return false;
}

/* FIRST-LAST, hexadecimal; one address alone is the page it is in. */
bool arg_range(const char *s, uint32_t *first, uint32_t *last)
{
	const char *dash = strchr(s, '-');

	if (!dash) {
		if (!arg_hex(s, first))
			return false;
		*last = *first | (PAGE_SIZE - 1);
		return true;
	}
	if (!hex_until(s, dash, first) || !hex_until(dash + 1, s + strlen(s), last) ||
	    *last < *first) {
		fail("%s: not a range; FIRST-LAST in hexadecimal, as 400000-4fffff", s);
		return false;
	}
	return true;
}

/* The oldest process with this name (the list ascends), a dead one only if none lives; NULL: there
 * is none. */
static struct task *task_named(const char *name)
{
	struct task *t, *dead = NULL;

	list_for_each_entry (t, &task_list, all) {
		if (strcmp(t->name, name))
			continue;
		if (t->state != TASK_ZOMBIE)
			return t;
		if (!dead)
			dead = t;
	}
	return dead;
}

struct task *arg_task(const char *s)
{
	struct task *t;
	uint32_t pid;

	if (!parse_u32(s, &pid)) {
		t = task_named(s);
		if (!t)
			fail("%s: neither a pid nor the name of a process (see ps)", s);
		return t;
	}
	t = task_find(pid);
	if (!t)
		fail("%u: no such process (see ps)", pid);
	return t;
}

struct task *arg_user_task(const char *s)
{
	struct task *t = arg_task(s);

	if (t && !t->space) {
		fail("%u: %s has no address space of its own", t->pid,
		     t->state == TASK_ZOMBIE ? "it is dead and" : "a kernel task");
		return NULL;
	}
	return t;
}

/* Its symbols are read from the disk, and meanwhile the process may end: it is looked up again. */
struct task *arg_user_address(const char *pid, const char *s, uint32_t *address)
{
	struct task *t = arg_user_task(pid);
	char program[sizeof(t->name)];

	if (!t)
		return NULL;
	str_copy(program, t->name, sizeof(program));
	if (!mon->stopped && (*s < '0' || *s > '9') && !program_load(program) &&
	    program_symbol(s, address))
		return arg_user_task(pid);
	return arg_hex(s, address) ? arg_user_task(pid) : NULL;
}

/* An address in hexadecimal or a kernel symbol, either with +OFFSET (hexadecimal). */
bool arg_address(const char *s, uint32_t *address)
{
	const char *plus = strchr(s, '+');
	const char *end = plus ? plus : s + strlen(s);
	uint32_t offset = 0;
	char name[SYM_TEXT];

	if (plus && !hex_until(plus + 1, s + strlen(s), &offset)) {
		fail("%s: not an offset (hexadecimal)", plus);
		return false;
	}
	str_copy(name, s, MIN((uint32_t)(end - s) + 1, sizeof(name)));
	/* Names first: a symbol may look like a number ("add"), an address can be given 0x. */
	if (!symbol_find(name, address) && !hex_until(s, end, address)) {
		fail("%s: no such symbol, nor an address%s", name, nearest(name, words_symbols));
		return false;
	}
	*address += offset;
	return true;
}

/* `words` are blank-separated; `word` may abbreviate one of them. */
int choose(const char *what, const char *word, const char *words)
{
	int index = 0, found = -1, matches = 0;

	for (const char *w = words; *w; index++) {
		const char *end = strchr(w, ' ');
		uint32_t n = end ? (uint32_t)(end - w) : strlen(w);

		if (strlen(word) <= n && *word && !strncmp(word, w, strlen(word))) {
			found = index;
			matches++;
			if (strlen(word) == n)
				return index;
		}
		w += n + (w[n] == ' ');
	}
	if (matches == 1)
		return found;
	fail("%s %s: %s%s (%s)", what, word, matches ? "ambiguous" : "unknown",
	     matches ? "" : nearest_of(word, words), words);
	return -1;
}
