/*
 * edit.h - a line being edited.
 *
 * Knows keys and a terminal of some width, and nothing else of the kernel: the host's
 * unit tests drive it too.
 */
#pragma once

#include "lib/types.h"

#define EDIT_MAX      255
#define HISTORY_BYTES 1024

struct editor {
	char text[EDIT_MAX + 1];
	uint32_t length, at; /* at: the cursor, 0 to length */
	uint32_t scroll;     /* first character shown, when the line is wider than the screen */
	uint32_t columns;    /* of the screen */
	const char *prompt;
	uint32_t escape;    /* inside an escape sequence: its last character, or ESC */
	uint32_t parameter; /* its number */
	/* Lines entered, oldest first, each with its NUL. */
	char history[HISTORY_BYTES];
	uint32_t history_used;
	int32_t recall;		 /* how many lines back we are; 0: the new one */
	char kept[EDIT_MAX + 1]; /* the new line, while an old one is looked at */
	void (*put)(const char *s, size_t n);
};

enum edit_result {
	EDIT_MORE,
	EDIT_LINE,     /* Enter: the line is in text */
	EDIT_CANCEL,   /* Ctrl-C */
	EDIT_COMPLETE, /* Tab */
	EDIT_END,      /* Ctrl-D on an empty line */
};

void editor_start(struct editor *e, const char *prompt, uint32_t columns);
enum edit_result editor_key(struct editor *e, int key);
void editor_refresh(struct editor *e); /* behind the prompt that stands there */
void editor_redraw(struct editor *e);  /* with its prompt, on a new line */
void editor_insert(struct editor *e, const char *s, uint32_t n);
void editor_remember(struct editor *e);

/* The line `back` lines ago (1: the last), or NULL. */
const char *editor_history(const struct editor *e, uint32_t back);
