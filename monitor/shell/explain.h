/*
 * explain.h - what the columns mean.
 */
#pragma once

struct explanation {
	const char *name;
	const char *text;   /* is broken into lines where it is shown */
	const char *keys;   /* of -k */
	const char *lesson; /* "1", "2 and 4", or NULL */
};

/* Ends with a NULL name. */
extern const struct explanation explanations[];
