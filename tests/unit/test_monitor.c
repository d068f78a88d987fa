/*
 * test_monitor.c - the parts of the monitor that know no kernel.
 *
 * The editor is tested through what a person would see: a terminal of one line interprets its
 * output.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "monitor/shell/edit.h"
#include "monitor/shell/runs.h"
#include "monitor/shell/words.h"

/* lib/string.c is not for hosts. */
size_t str_copy(char *dst, const char *src, size_t size)
{
	return snprintf(dst, size, "%s", src);
}

/* --- the nearest word --------------------------------------------------------- */

/* By definition, without a table. */
static uint32_t slow_distance(const char *a, const char *b)
{
	uint32_t best, other;

	if (!*a || !*b)
		return strlen(a) + strlen(b);
	best = slow_distance(a + 1, b + 1) + (*a != *b);
	other = slow_distance(a + 1, b) + 1;
	best = other < best ? other : best;
	other = slow_distance(a, b + 1) + 1;
	best = other < best ? other : best;
	if (a[1] && b[1] && a[0] == b[1] && a[1] == b[0]) {
		other = slow_distance(a + 2, b + 2) + 1;
		best = other < best ? other : best;
	}
	return best;
}

static void random_word(char *word, uint32_t max)
{
	uint32_t n = rand() % (max + 1);

	for (uint32_t i = 0; i < n; i++)
		word[i] = 'a' + rand() % 3;
	word[n] = 0;
}

static void test_distance_is_the_fewest_edits(void **state)
{
	(void)state;
	for (int i = 0; i < 3000; i++) {
		char a[8], b[8];
		uint32_t slow;

		random_word(a, 6);
		random_word(b, 6);
		slow = slow_distance(a, b);
		assert_int_equal(edit_distance(a, b, 20), slow);
		assert_int_equal(edit_distance(a, b, 1), slow < 2 ? slow : 2);
	}
}

static void test_nearest_word_is_one_slip_away(void **state)
{
	static const char words[] = "space show set swap";

	(void)state;
	assert_string_equal(nearest_of("shwo", words), ", did you mean show?");
	assert_string_equal(nearest_of("spcae", words), ", did you mean space?");
	assert_string_equal(nearest_of("what", words), "");
	assert_string_equal(nearest_of("elephant", words), "");
	assert_string_equal(nearest_of("", words), "");
	assert_string_equal(nearest_of("a-word-much-longer-than-any-command", words), "");
}

/* --- runs of page-table entries --------------------------------------------------- */

static void test_runs_say_neither_more_nor_less_than_the_entries(void **state)
{
	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint32_t entry[40], vpn[40], n = 0, page = rand() % 1000;
		struct pt_run run = { 0 };

		while (n < 40) {
			page += rand() % 8 ? 1 : 2;
			vpn[n] = page;
			entry[n] = (100 + (rand() % 3 ? n : rand() % 40u)) << 12 |
				   (rand() % 9 ? 5 : 7);
			n++;
		}
		for (uint32_t i = 0, first = 0; i <= n; i++) {
			if (i < n && run_add(&run, vpn[i], entry[i]))
				continue;
			/* The run is complete: it must expand to just what was put in. */
			assert_int_equal(run.pages, i - first);
			for (uint32_t k = 0; k < run.pages; k++) {
				assert_int_equal(run.vpn + k, vpn[first + k]);
				assert_int_equal((run.frame + k * run.step) << 12 | run.flags,
						 entry[first + k]);
			}
			run.pages = 0;
			first = i;
			if (i < n)
				assert_true(run_add(&run, vpn[i], entry[i]));
		}
	}
}

/* --- the editor ------------------------------------------------------------------ */

#define COLUMNS 30
#define PROMPT	"klaava> "

/* A terminal, as far as the editor uses one. */
static char row[COLUMNS + 1];
static uint32_t column;

static void terminal(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\r') {
			column = 0;
		} else if (s[i] == '\n') {
			memset(row, ' ', COLUMNS);
		} else if (s[i] == '\033') {
			uint32_t number = 0;

			assert_int_equal(s[++i], '[');
			while (s[++i] >= '0' && s[i] <= '9')
				number = number * 10 + s[i] - '0';
			if (s[i] == 'K')
				memset(row + column, ' ', COLUMNS - column);
			else if (s[i] == 'C')
				column += number;
			else
				fail_msg("the terminal does not know ESC [ %c", s[i]);
		} else {
			row[column++] = s[i];
		}
		assert_true(column < COLUMNS); /* the last column would wrap */
	}
}

static struct editor editor;

static void start(void)
{
	memset(row, ' ', COLUMNS);
	column = 0;
	editor.put = terminal;
	editor_start(&editor, PROMPT, COLUMNS);
}

static enum edit_result type(const char *keys)
{
	enum edit_result r = EDIT_MORE;

	while (*keys)
		r = editor_key(&editor, (unsigned char)*keys++);
	return r;
}

/* What stands on the terminal is the editor's window of the line, and the cursor is in its place.
 */
static void check_screen(void)
{
	char want[COLUMNS + 1];
	uint32_t room = COLUMNS - strlen(PROMPT) - 1;

	snprintf(want, sizeof(want), "%s%-*.*s", PROMPT, (int)(COLUMNS - strlen(PROMPT)), (int)room,
		 editor.text + editor.scroll);
	assert_memory_equal(row, want, COLUMNS);
	assert_int_equal(column, strlen(PROMPT) + editor.at - editor.scroll);
	assert_int_equal(strlen(editor.text), editor.length);
}

static void test_keys_edit_the_line(void **state)
{
	(void)state;
	start();
	type("run spin\001\033[C\033[CX\005 9"); /* home, right twice, X, end */
	assert_string_equal(editor.text, "ruXn spin 9");
	type("\027\027new"); /* two words back */
	assert_string_equal(editor.text, "ruXn new");
	type("\002\002\013"); /* left twice, kill to the end */
	assert_string_equal(editor.text, "ruXn n");
	type("\033[1~\033[3~\033[4~\177"); /* home, delete, end, erase */
	assert_string_equal(editor.text, "uXn ");
	check_screen();
	assert_int_equal(type("\r"), EDIT_LINE);
}

static void test_history_recalls_lines_and_keeps_the_new_one(void **state)
{
	static const char *const lines[] = { "one", "two", "two", "", "three" };

	(void)state;
	editor.history_used = 0;
	for (uint32_t i = 0; i < 5; i++) {
		start();
		type(lines[i]);
		assert_int_equal(type("\r"), EDIT_LINE);
		editor_remember(&editor);
	}
	start();
	type("new\033[A\033[A");
	assert_string_equal(editor.text, "two"); /* said twice, kept once */
	type("\033[A\033[A\033[A");
	assert_string_equal(editor.text, "one");
	type("\033[B\033[B\033[B\033[B");
	assert_string_equal(editor.text, "new");
	check_screen();
}

static void test_old_lines_make_room_for_new_ones(void **state)
{
	(void)state;
	editor.history_used = 0;
	for (int i = 0; i < 500; i++) {
		start();
		editor.length =
			snprintf(editor.text, sizeof(editor.text), "%0*d", 1 + i % EDIT_MAX, i);
		editor_remember(&editor);
		assert_true(editor.history_used <= HISTORY_BYTES);
		assert_string_equal(editor_history(&editor, 1), editor.text);
	}
}

static void test_the_screen_shows_the_line_whatever_is_typed(void **state)
{
	static const char *const keys[] = { "\001",    "\005",	 "\002",   "\006",   "\013",
					    "\025",    "\027",	 "\177",   "\033[A", "\033[B",
					    "\033[3~", "\033[H", "\033OF", "word",   " " };

	(void)state;
	for (int round = 0; round < 200; round++) {
		start();
		for (int i = 0; i < 200; i++) {
			char one[2] = { 'a' + rand() % 26, 0 };

			type(rand() % 3 ? one : keys[rand() % (sizeof(keys) / sizeof(keys[0]))]);
			check_screen();
		}
		editor_remember(&editor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distance_is_the_fewest_edits),
		cmocka_unit_test(test_nearest_word_is_one_slip_away),
		cmocka_unit_test(test_runs_say_neither_more_nor_less_than_the_entries),
		cmocka_unit_test(test_keys_edit_the_line),
		cmocka_unit_test(test_history_recalls_lines_and_keeps_the_new_one),
		cmocka_unit_test(test_old_lines_make_room_for_new_ones),
		cmocka_unit_test(test_the_screen_shows_the_line_whatever_is_typed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
