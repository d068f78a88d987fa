/*
 * tunable.h - every design choice, by name.
 *
 * A tunable is one row of the table in tunable.c.  `set NAME VALUE` at the monitor, or
 * NAME=VALUE on the kernel command line.
 */
#pragma once

#include "lib/types.h"

struct tunable {
	const char *name;
	int *value;
	const char *const *choices; /* NULL-terminated, or NULL */
	int min, max; /* a number; with choices as well, those are special values: -1, -2, ... */
	bool boot_only;
	const char *help; /* one line: both sides */
	const char *lesson;
	void (*changed)(void); /* or NULL */
};

extern const struct tunable tunables[];
extern const uint32_t tunable_count;

const struct tunable *tunable_find(const char *name);

/* What `text` means to it, in *value.  False: nothing. */
bool tunable_parse(const struct tunable *t, const char *text, int *value);

/* 0; -ENOENT: no such tunable; -EINVAL: no such value; -EBUSY: only at boot. */
int tunable_set(const char *name, const char *value, bool booting);

/* The value as text: a choice's name or a number, into buf. */
const char *tunable_text(const struct tunable *t, char *buf, size_t size);

/* What is allowed, as "private | shared" or "1 to 100". */
const char *tunable_allowed(const struct tunable *t, char *buf, size_t size);
