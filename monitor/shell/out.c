/*
 * out.c - everything the monitor prints passes here.
 *
 * Output is put together line by line, so that `cmd | WORD` can drop lines and the pager can count
 * them.  A command must not sleep in the middle of a list that may change, so in the
 * live monitor its lines are held back until it is through, and paged then; when the world is
 * stopped nothing changes and --more-- asks at once.
 */
#include <stdarg.h>

#include "cpu/uart.h"
#include "fs/console.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"

uint32_t screen_rows = 24, screen_columns = 80;

/* Held lines, a frame each.  The first frame is kept: `mem` must not see it come and go. */
struct held {
	struct held *next;
	uint32_t used;
	char text[PAGE_SIZE - 8];
};

#define HELD_MAX 32 /* frames: 128 KB of output, then it is cut */

static struct held *held_first, *held_last;
static uint32_t held_count;
static bool held_cut;

int mon_getkey(void)
{
	int key;

	if (mon->stopped)
		return console_getkey_polled();
	key = console_getkey();
	tlb_woke();
	return key;
}

/* --more--: space a page, Enter a line, q enough. */
static void more(void)
{
	static const char prompt[] = "--more--", wipe[] = "\r        \r";
	int key;

	console_write(prompt, sizeof(prompt) - 1);
	key = mon_getkey();
	console_write(wipe, sizeof(wipe) - 1);
	if (key == 'q' || key == 'Q' || key == 3)
		mon->quit = true;
	mon->rows = key == '\r' || key == '\n' ? screen_rows - 2 : 0;
}

static bool pager_on(void)
{
	return !batch && !mon->script && !mon->watching && !mon->direct;
}

/* A whole line, or the unfinished end of the output, to the terminal. */
static void print(const char *s, uint32_t n)
{
	bool whole = n && s[n - 1] == '\n';
	uint32_t rows = whole ? 1 + (n > 1 ? (n - 2) / screen_columns : 0) : 0;

	if (mon->quit)
		return;
	if (pager_on() && mon->rows + rows > screen_rows - 1) {
		more();
		if (mon->quit)
			return;
	}
	mon->rows += rows;
	if (!mon->watching || !whole) {
		console_write(s, n);
		return;
	}
	console_write(s, n - 1);
	console_write("\033[K\n", 4); /* what the last drawing left behind */
}

static void hold(const char *s, uint32_t n)
{
	if (held_cut)
		return;
	if (held_last->used + n > sizeof(held_last->text)) {
		struct held *h = held_count < HELD_MAX ? frame_alloc(FRAME_KERNEL) : NULL;

		if (!h) {
			held_cut = true;
			return;
		}
		h->next = NULL;
		h->used = 0;
		held_last = held_last->next = h;
		held_count++;
	}
	memcpy(held_last->text + held_last->used, s, n);
	held_last->used += n;
}

static void line_done(void)
{
	uint32_t n = mon->line_length;

	mon->line_length = 0;
	mon->line[n] = 0;
	if (mon->filter && !strstr(mon->line, mon->filter))
		return;
	if (mon->holding)
		hold(mon->line, n);
	else
		print(mon->line, n);
}

static void put_char(void *arg, char c)
{
	(void)arg;
	mon->line[mon->line_length++] = c;
	if (c == '\n' || mon->line_length == sizeof(mon->line) - 1)
		line_done();
}

void out(const char *fmt, ...)
{
	va_list ap;

	if (mon->quit)
		return;
	va_start(ap, fmt);
	format(put_char, NULL, fmt, ap);
	va_end(ap);
}

void out_wrapped(const char *text, uint32_t indent)
{
	uint32_t column = indent;

	while (*text) {
		const char *blank = strchr(text, ' ');
		uint32_t n = blank ? (uint32_t)(blank - text) : strlen(text);

		if (column > indent && column + 1 + n >= screen_columns) {
			out("\n%*s", (int)indent, "");
			column = indent;
		}
		out("%s%.*s", column > indent ? " " : "", (int)n, text);
		column += n + (column > indent);
		text += n + (text[n] == ' ');
	}
	out("\n");
}

void out_heading(const char *text)
{
	const char *filter = mon->filter;

	mon->filter = NULL;
	out("%s\n", text);
	mon->filter = filter;
}

uint32_t tenths(uint32_t part, uint32_t whole)
{
	return whole ? (part * 1000 + whole / 2) / whole : 0;
}

void out_bar(uint32_t part, uint32_t whole, uint32_t width)
{
	uint32_t full = whole ? (part * width + whole / 2) / whole : 0;

	if (part && !full)
		full = 1;
	for (uint32_t i = 0; i < width; i++)
		out("%c", i < full ? '#' : '.');
}

int fail(const char *fmt, ...)
{
	const char *filter = mon->filter;
	va_list ap;

	mon->filter = NULL; /* a filter hides results, never errors */
	va_start(ap, fmt);
	format(put_char, NULL, fmt, ap);
	va_end(ap);
	put_char(NULL, '\n');
	mon->filter = filter;
	return 1;
}

void out_begin(const char *filter, bool direct)
{
	mon->filter = filter;
	mon->direct = direct;
	mon->quit = false;
	mon->rows = 0;
	mon->line_length = 0;
	mon->holding = false;
	if (!pager_on() || mon->stopped)
		return;
	if (!held_first) {
		held_first = frame_alloc(FRAME_KERNEL);
		if (!held_first)
			return; /* no memory: no pager */
		held_first->next = NULL;
		held_first->used = 0;
	}
	held_last = held_first;
	held_count = 1;
	held_cut = false;
	mon->holding = true;
}

/* Print the lines of one held frame. */
static void page(const struct held *h)
{
	const char *s = h->text, *end = s + h->used, *stop;

	for (; s < end && !mon->quit; s = stop) {
		stop = s;
		while (stop < end && *stop++ != '\n')
			;
		print(s, stop - s);
	}
}

void out_flush(void)
{
	if (mon->line_length)
		line_done();
}

void out_end(void)
{
	struct held *h, *next;

	out_flush();
	mon->filter = NULL;
	if (!mon->holding)
		return;
	mon->holding = false;
	for (h = held_first; h; h = next) {
		page(h);
		next = h->next;
		h->next = NULL;
		h->used = 0;
		if (h != held_first)
			frame_put(h);
	}
	if (held_cut)
		out("(cut: too long to hold; filter it or ask for a range)\n");
	out_flush();
}
