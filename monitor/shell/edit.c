/*
 * edit.c - the line editor.
 *
 * A line lives in one array, keys change it, and after each key the line is drawn again
 * behind its prompt: simple to get right, and a serial line is fast enough.  Only a character put
 * at the end, the common case, is sent alone.  A line wider than the screen is shown through a
 * window that follows the cursor.
 */
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/edit.h"

#define CTRL(c) ((c)&0x1f)
#define ESC	0x1b
#define DEL	0x7f

/* Keys beyond ASCII, made of escape sequences (ECMA-48 and what xterm and VT220 send). */
enum { KEY_UP = 256, KEY_DOWN, KEY_LEFT, KEY_RIGHT, KEY_HOME, KEY_END, KEY_DELETE, KEY_NONE };

static void put(struct editor *e, const char *s)
{
	e->put(s, strlen(s));
}

void editor_start(struct editor *e, const char *prompt, uint32_t columns)
{
	e->prompt = prompt;
	e->columns = MAX(columns, strlen(prompt) + 8);
	e->length = e->at = e->scroll = 0;
	e->escape = 0;
	e->recall = 0;
	e->text[0] = 0;
	editor_redraw(e);
}

/* Columns for text.  The last one stays empty: a terminal may wrap when it is written to. */
static uint32_t room(const struct editor *e)
{
	return e->columns - strlen(e->prompt) - 1;
}

static void move_to_column(struct editor *e, uint32_t column)
{
	char move[16];

	snprintf(move, sizeof(move), "\r\033[%uC", column); /* cursor right */
	put(e, move);
}

/* Draw the text again, behind the prompt that stands there. */
void editor_refresh(struct editor *e)
{
	uint32_t prompt = strlen(e->prompt), shown;

	/* By half a window, so that the next keys need no scrolling. */
	if (e->at < e->scroll || e->at > e->scroll + room(e))
		e->scroll = e->at - MIN(e->at, room(e) / 2);
	if (e->length <= room(e))
		e->scroll = 0;
	shown = MIN(room(e), e->length - e->scroll);
	move_to_column(e, prompt);
	e->put(e->text + e->scroll, shown);
	put(e, "\033[K"); /* erase to the end of the line */
	if (e->at - e->scroll != shown)
		move_to_column(e, prompt + e->at - e->scroll);
}

void editor_redraw(struct editor *e)
{
	put(e, "\r");
	put(e, e->prompt);
	if (e->length)
		editor_refresh(e);
}

void editor_insert(struct editor *e, const char *s, uint32_t n)
{
	n = MIN(n, EDIT_MAX - e->length);
	memmove(e->text + e->at + n, e->text + e->at, e->length - e->at + 1);
	memcpy(e->text + e->at, s, n);
	e->length += n;
	e->at += n;
}

/* Remove [from, to); the cursor goes to `from`. */
static void cut(struct editor *e, uint32_t from, uint32_t to)
{
	memmove(e->text + from, e->text + to, e->length - to + 1);
	e->length -= to - from;
	e->at = from;
}

static uint32_t word_start(const struct editor *e)
{
	uint32_t i = e->at;

	while (i && e->text[i - 1] == ' ')
		i--;
	while (i && e->text[i - 1] != ' ')
		i--;
	return i;
}

const char *editor_history(const struct editor *e, uint32_t back)
{
	uint32_t end = e->history_used;

	while (back-- && end) {
		end--; /* the NUL */
		while (end && e->history[end - 1])
			end--;
		if (!back)
			return e->history + end;
	}
	return NULL;
}

/* Empty lines and repetitions are not worth remembering; the oldest make room. */
void editor_remember(struct editor *e)
{
	const char *last = editor_history(e, 1);
	uint32_t need = e->length + 1;

	if (!e->length || (last && !strcmp(last, e->text)))
		return;
	while (e->history_used + need > HISTORY_BYTES) {
		uint32_t oldest = strlen(e->history) + 1;

		memmove(e->history, e->history + oldest, e->history_used - oldest);
		e->history_used -= oldest;
	}
	memcpy(e->history + e->history_used, e->text, need);
	e->history_used += need;
}

static void recall(struct editor *e, int32_t back)
{
	const char *line = back ? editor_history(e, back) : e->kept;

	if (back < 0 || !line)
		return;
	if (!e->recall)
		memcpy(e->kept, e->text, e->length + 1);
	e->recall = back;
	e->length = e->at = str_copy(e->text, line, sizeof(e->text));
}

/* Feed a character of an escape sequence: the key it completes, or KEY_NONE. */
static int escape_key(struct editor *e, int c)
{
	static const char letters[] = "ABDCHF";
	const char *letter;

	if (e->escape == ESC) {
		e->escape = (c == '[' || c == 'O') ? c : 0;
		e->parameter = 0;
		return KEY_NONE;
	}
	if ((c >= '0' && c <= '9') || c == ';') {
		e->parameter = c == ';' ? 0 : e->parameter * 10 + (c - '0');
		return KEY_NONE;
	}
	e->escape = 0;
	letter = c ? strchr(letters, c) : NULL;
	if (letter)
		return KEY_UP + (letter - letters);
	if (c != '~')
		return KEY_NONE;
	switch (e->parameter) {
	case 1:
	case 7:
		return KEY_HOME;
	case 3:
		return KEY_DELETE;
	case 4:
	case 8:
		return KEY_END;
	}
	return KEY_NONE;
}

static void move_or_change(struct editor *e, int key)
{
	char c = key;

	switch (key) {
	case CTRL('a'):
	case KEY_HOME:
		e->at = 0;
		break;
	case CTRL('e'):
	case KEY_END:
		e->at = e->length;
		break;
	case CTRL('b'):
	case KEY_LEFT:
		e->at -= e->at > 0;
		break;
	case CTRL('f'):
	case KEY_RIGHT:
		e->at += e->at < e->length;
		break;
	case CTRL('p'):
	case KEY_UP:
		recall(e, e->recall + 1);
		break;
	case CTRL('n'):
	case KEY_DOWN:
		recall(e, e->recall - 1);
		break;
	case CTRL('h'):
	case DEL:
		if (e->at)
			cut(e, e->at - 1, e->at);
		break;
	case CTRL('d'):
	case KEY_DELETE:
		if (e->at < e->length)
			cut(e, e->at, e->at + 1);
		break;
	case CTRL('k'):
		cut(e, e->at, e->length);
		break;
	case CTRL('u'):
		cut(e, 0, e->at);
		break;
	case CTRL('w'):
		cut(e, word_start(e), e->at);
		break;
	default:
		if (key >= ' ' && key < DEL)
			editor_insert(e, &c, 1);
	}
}

enum edit_result editor_key(struct editor *e, int key)
{
	uint32_t length = e->length, at = e->at;
	int32_t recalled = e->recall;

	if (e->escape) {
		key = escape_key(e, key);
		if (key == KEY_NONE)
			return EDIT_MORE;
	}
	switch (key) {
	case ESC:
		e->escape = ESC;
		return EDIT_MORE;
	case '\r':
	case '\n':
		if (e->at != e->length) {
			e->at = e->length;
			editor_refresh(e);
		}
		put(e, "\n");
		return EDIT_LINE;
	case '\t':
		return EDIT_COMPLETE;
	case CTRL('c'):
		put(e, "^C\n");
		return EDIT_CANCEL;
	case CTRL('l'):
		put(e, "\033[H\033[J"); /* clear the screen */
		editor_redraw(e);
		return EDIT_MORE;
	case CTRL('d'):
		if (!e->length)
			return EDIT_END;
		/* fall through */
	default:
		move_or_change(e, key);
	}
	if (key >= ' ' && key < DEL && at == length && e->length == length + 1 &&
	    e->length - e->scroll <= room(e))
		e->put(e->text + length, 1);
	else if (e->length != length || e->at != at || e->recall != recalled)
		editor_refresh(e);
	return EDIT_MORE;
}
