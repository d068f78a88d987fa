/*
 * expand.c - from raw words to what the programs get: quotes, $ names, file names.
 *
 * A word first becomes a pattern, in which \ stands before each character that was quoted
 * and would mean something.  A pattern with a * ? or [ left in it is compared with the names
 * in its directories, one part of the path at a time; what fits comes sorted, and where
 * nothing fits the word stays as it was written.
 */

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sh.h"

/* Quotes and names */

static char *put(char *to, char c, int quoted)
{
	if (c == '\\' || (quoted && strchr("*?[]!-", c)))
		*to++ = '\\';
	*to++ = c;
	return to;
}

/* Appends what $... at *p stands for, and moves *p to its last character. */
static char *put_name(char *to, const char **p, int quoted)
{
	const char *start = *p + 1, *end = start, *value = NULL;
	char number[16];

	if (*start == '?' || *start == '$' || *start == '!') {
		snprintf(number, sizeof(number), "%d",
			 *start == '?'	 ? last_status
			 : *start == '$' ? (int)sh_pid
					 : (int)last_job);
		value = number;
		end++;
	} else if (isdigit((unsigned char)*start)) {
		value = *start - '0' < sh_arg_count ? sh_args[*start - '0'] : "";
		end++;
	} else {
		while (isalnum((unsigned char)*end) || *end == '_')
			end++;
		if (end == start) { /* a $ by itself */
			*to++ = '$';
			return to;
		}
		value = getenv(pool_copy(start, end - start));
	}
	*p = end - 1;
	while (value && *value)
		to = put(to, *value++, quoted);
	return to;
}

/* No more room than this is needed for `raw`, whatever its names stand for. */
static size_t pattern_room(const char *raw)
{
	size_t room = strlen(raw) + 1, longest = 16;

	for (char **e = environ; *e; e++)
		if (strlen(*e) > longest)
			longest = strlen(*e);
	for (int i = 0; i < sh_arg_count; i++)
		if (strlen(sh_args[i]) > longest)
			longest = strlen(sh_args[i]);
	for (; *raw; raw++)
		if (*raw == '$')
			room += longest;
	return 2 * room;
}

static char *make_pattern(const char *raw)
{
	char *pattern = pool_alloc(pattern_room(raw)), *to = pattern;
	char quote = 0;

	for (const char *p = raw; *p; p++) {
		if (quote != '"' && *p == '\'') {
			quote = quote ? 0 : '\'';
		} else if (quote == '\'') {
			to = put(to, *p, 1);
		} else if (*p == '"') {
			quote = quote ? 0 : '"';
		} else if (*p == '\\' && (!quote || strchr("\\\"$\n", p[1]))) {
			p++;
			if (*p != '\n')
				to = put(to, *p, 1);
		} else if (*p == '$') {
			to = put_name(to, &p, quote);
		} else {
			to = put(to, *p, quote);
		}
	}
	*to = 0;
	return pattern;
}

/* The first n characters of a pattern as the word they spell. */
static char *literal(const char *pattern, size_t n)
{
	char *word = pool_alloc(n + 1), *to = word;

	for (const char *end = pattern + n; pattern < end; pattern++) {
		if (*pattern == '\\')
			pattern++;
		*to++ = *pattern;
	}
	return word;
}

char *expand(const char *raw)
{
	const char *pattern = make_pattern(raw);

	return literal(pattern, strlen(pattern));
}

/* Patterns */

static int is_pattern(const char *p, size_t n)
{
	for (const char *end = p + n; p < end; p++) {
		if (*p == '\\')
			p++;
		else if (strchr("*?[", *p))
			return 1;
	}
	return 0;
}

/* One end of a range at *p, which moves behind it. */
static unsigned char set_member(const char **p)
{
	if (**p == '\\')
		(*p)++;
	return *(*p)++;
}

/*
 * Is c in the set whose inside starts at p?  Returns what follows the set's ], or NULL when
 * it has none before `end`: then its [ is an ordinary character.
 */
static const char *match_set(const char *p, const char *end, unsigned char c, int *is_in)
{
	int negated = *p == '!', found = 0;
	const char *first = p += negated;

	while (p < end && (*p != ']' || p == first)) {
		unsigned char from = set_member(&p), to = from;

		if (p + 1 < end && p[0] == '-' && p[1] != ']') {
			p++;
			to = set_member(&p);
		}
		found |= from <= c && c <= to;
	}
	*is_in = found != negated;
	return p < end ? p + 1 : NULL;
}

/* Does what p starts with, other than *, fit c?  Returns what follows it, or NULL. */
static const char *match_one(const char *p, const char *end, char c)
{
	const char *after;
	int is_in;

	if (p == end)
		return NULL;
	if (*p == '?')
		return p + 1;
	after = *p == '[' ? match_set(p + 1, end, c, &is_in) : NULL;
	if (after)
		return is_in ? after : NULL;
	p += *p == '\\';
	return *p == c ? p + 1 : NULL;
}

/*
 * Does the name fit the pattern p, which ends before `end`?  Where it stops fitting, the
 * last * takes one character more; those before it never need to.
 */
static int matches(const char *p, const char *end, const char *name)
{
	const char *star = NULL, *star_name = NULL;

	for (;;) {
		const char *next;

		if (p < end && *p == '*') {
			star = ++p;
			star_name = name;
			continue;
		}
		if (!*name && p == end)
			return 1;
		next = *name ? match_one(p, end, *name) : NULL;
		if (next) {
			p = next;
			name++;
		} else if (star && *star_name) {
			p = star;
			name = ++star_name;
		} else {
			return 0;
		}
	}
}

/* File names */

struct vector {
	char **items;
	int count, room;
};

static void append(struct vector *v, char *item)
{
	if (v->count == v->room) {
		char **more = pool_alloc((v->room = 2 * v->room + 8) * sizeof(*more));

		if (v->count)
			memcpy(more, v->items, v->count * sizeof(*more));
		v->items = more;
	}
	v->items[v->count++] = item;
}

static char *join(const char *a, const char *b)
{
	char *both = pool_alloc(strlen(a) + strlen(b) + 1);

	return strcat(strcpy(both, a), b);
}

/* Appends every path that begins with `path` and goes on as the pattern says. */
static void find(struct vector *found, char *path, const char *pattern)
{
	const char *slash;
	struct dirent *entry;
	struct stat st;
	size_t part;
	DIR *dir;

	for (; *pattern == '/'; pattern++)
		path = join(path, "/");
	slash = strchr(pattern, '/');
	part = slash ? (size_t)(slash - pattern) : strlen(pattern);
	if (!is_pattern(pattern, part)) {
		path = join(path, literal(pattern, part));
		if (pattern[part])
			find(found, path, pattern + part);
		else if (lstat(path, &st) == 0)
			append(found, path);
		return;
	}
	dir = opendir(*path ? path : ".");
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		/* Hidden names are found by those who ask for them. */
		if (entry->d_name[0] == '.' && *pattern != '.')
			continue;
		if (matches(pattern, pattern + part, entry->d_name))
			find(found, join(path, entry->d_name), pattern + part);
	}
	closedir(dir);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **expand_words(const struct word *w, int *count)
{
	struct vector argv = { 0 };

	for (; w; w = w->next) {
		const char *pattern = make_pattern(w->raw);
		int before = argv.count;

		if (is_pattern(pattern, strlen(pattern)))
			find(&argv, "", pattern);
		if (argv.count == before)
			append(&argv, literal(pattern, strlen(pattern)));
		else
			qsort(argv.items + before, argv.count - before, sizeof(*argv.items),
			      compare);
	}
	*count = argv.count;
	append(&argv, NULL);
	return argv.items;
}
