/*
 * paths.c - names, trees and attributes of files: see paths.h.
 *
 * A directory is read to its end before anything is done with what is in it: so no descriptor
 * stays open on the way down a tree, and nothing is removed under a reader's feet.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "paths.h"

static void *checked(void *p)
{
	if (!p) {
		fprintf(stderr, "out of memory\n");
		exit(1);
	}
	return p;
}

char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir), size = n + strlen(name) + 2;
	char *path = checked(malloc(size));

	snprintf(path, size, "%s%s%s", dir, n && dir[n - 1] == '/' ? "" : "/", name);
	return path;
}

/* The last part of `path`, slashes behind it left out: where it begins, and its length. */
static const char *last_part(const char *path, size_t *length)
{
	const char *end = path + strlen(path), *start;

	while (end > path && end[-1] == '/')
		end--;
	for (start = end; start > path && start[-1] != '/';)
		start--;
	*length = end - start;
	return start;
}

int path_is_dots(const char *path)
{
	size_t n;
	const char *last = last_part(path, &n);

	return n == 0 || (n <= 2 && strncmp(last, "..", n) == 0);
}

int path_is_dir(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *path_into(const char *to, const char *from)
{
	char *name, *path;
	size_t n;

	if (!path_is_dir(to))
		return checked(strdup(to));
	from = last_part(from, &n);
	name = checked(malloc(n + 1));
	memcpy(name, from, n);
	name[n] = 0;
	path = path_join(to, name);
	free(name);
	return path;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **path_names(const char *path)
{
	size_t count = 0, room = 16;
	DIR *dir = opendir(path);
	struct dirent *d;
	char **names;
	int error;

	if (!dir)
		return NULL;
	names = checked(malloc(room * sizeof(*names)));
	errno = 0;
	while ((d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (count + 1 == room)
			names = checked(realloc(names, (room *= 2) * sizeof(*names)));
		names[count++] = checked(strdup(d->d_name));
	}
	error = errno;
	closedir(dir);
	names[count] = NULL;
	qsort(names, count, sizeof(*names), by_name);
	if (!error)
		return names;
	free_names(names);
	errno = error;
	return NULL;
}

void free_names(char **names)
{
	for (char **n = names; *n; n++)
		free(*n);
	free(names);
}

void complain_pair(const char *program, const char *from, const char *to)
{
	int error = errno;

	fflush(stdout);
	fprintf(stderr, "%s: %s -> %s: %s\n", program, from, to, strerror(error));
}

static char kind(mode_t mode)
{
	if (S_ISDIR(mode))
		return 'd';
	if (S_ISLNK(mode))
		return 'l';
	if (S_ISCHR(mode))
		return 'c';
	if (S_ISBLK(mode))
		return 'b';
	return S_ISFIFO(mode) ? 'p' : '-';
}

void mode_text(mode_t mode, char to[11])
{
	static const struct {
		mode_t bit;
		int place;
		char with_x, without;
	} special[] = {
		{ S_ISUID, 3, 's', 'S' },
		{ S_ISGID, 6, 's', 'S' },
		{ S_ISVTX, 9, 't', 'T' },
	};

	memcpy(to, "-rwxrwxrwx", 11);
	to[0] = kind(mode);
	for (int bit = 0; bit < 9; bit++)
		if (!(mode & 0400 >> bit))
			to[1 + bit] = '-';
	for (int i = 0; i < 3; i++) {
		char *c = to + special[i].place;

		if (mode & special[i].bit)
			*c = *c == 'x' ? special[i].with_x : special[i].without;
	}
}

static int days_of(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365;
}

void date_text(time_t t, char to[DATE_TEXT])
{
	static const unsigned char lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year = 1970, month = 0, seconds = t % 86400;
	long days = t / 86400;

	if (seconds < 0) {
		seconds += 86400;
		days--;
	}
	while (days < 0)
		days += days_of(--year);
	while (days >= days_of(year))
		days -= days_of(year++);
	for (; month < 11; month++) {
		int length = lengths[month] + (month == 1 && days_of(year) == 366);

		if (days < length)
			break;
		days -= length;
	}
	snprintf(to, DATE_TEXT, "%04d-%02d-%02d %02d:%02d:%02d", year % 10000, month + 1,
		 (int)days + 1, seconds / 3600, seconds / 60 % 60, seconds % 60);
}
