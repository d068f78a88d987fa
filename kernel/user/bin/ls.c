/*
 * ls.c - lists directories, sorted by name, one entry a line.
 *
 * With -l: rights, links, owner, group, bytes, when last written (universal time), name.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "args.h"
#include "paths.h"

static const char text[] = "ls [-1adil] [FILE]...";

static int show_hidden, show_long, show_inodes, no_contents;

/* Prints one entry: `path` says where it is, `name` how to call it. */
static int show(const char *path, const char *name)
{
	char mode[11], size[32], date[DATE_TEXT], target[256];
	struct stat st;
	ssize_t n;

	if (!show_long && !show_inodes) {
		puts(name);
		return 0;
	}
	if (lstat(path, &st) < 0) {
		complain("ls", path);
		return 1;
	}
	if (show_inodes)
		printf("%7llu ", (unsigned long long)st.st_ino);
	if (!show_long) {
		puts(name);
		return 0;
	}
	mode_text(st.st_mode, mode);
	date_text(st.st_mtime, date);
	if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
		snprintf(size, sizeof(size), "%u,%u", major(st.st_rdev), minor(st.st_rdev));
	else
		snprintf(size, sizeof(size), "%lld", (long long)st.st_size);
	printf("%s %3lu %4u %4u %10s %.16s %s", mode, (unsigned long)st.st_nlink, st.st_uid,
	       st.st_gid, size, date, name);
	if (S_ISLNK(st.st_mode)) {
		n = readlink(path, target, sizeof(target) - 1);
		printf(" -> %.*s", n < 0 ? 1 : (int)n, n < 0 ? "?" : target);
	}
	putchar('\n');
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list(const char *path)
{
	DIR *dir = opendir(path);
	char **names = NULL;
	size_t count = 0, room = 0;
	struct dirent *d;
	int bad = 0;

	if (!dir)
		goto failed;
	errno = 0;
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.' && !show_hidden)
			continue;
		if (count == room) {
			char **more =
				realloc(names, (room = room ? 2 * room : 32) * sizeof(*names));

			if (!more)
				goto failed;
			names = more;
		}
		names[count] = strdup(d->d_name);
		if (!names[count])
			goto failed;
		count++;
	}
	if (errno)
		goto failed;
	closedir(dir);
	qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(path) + strlen(names[i]) + 2;
		char *full = malloc(size);

		if (!full)
			goto failed;
		snprintf(full, size, "%s/%s", path, names[i]);
		bad |= show(full, names[i]);
		free(full);
		free(names[i]);
	}
	free(names);
	return bad;
failed:
	complain("ls", path);
	return 1;
}

int main(int argc, char **argv)
{
	int i, bad = 0, many;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		for (const char *p = argv[i] + 1; *p; p++) {
			if (*p == 'a')
				show_hidden = 1;
			else if (*p == 'd')
				no_contents = 1;
			else if (*p == 'i')
				show_inodes = 1;
			else if (*p == 'l')
				show_long = 1;
			else if (*p != '1')
				usage(text);
		}
	}
	if (i == argc)
		return no_contents ? show(".", ".") : list(".");
	many = argc - i > 1;
	for (int first = i; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) < 0 && lstat(argv[i], &st) < 0) {
			complain("ls", argv[i]);
			bad = 1;
		} else if (!S_ISDIR(st.st_mode) || no_contents) {
			bad |= show(argv[i], argv[i]);
		} else {
			if (many)
				printf("%s%s:\n", i > first ? "\n" : "", argv[i]);
			bad |= list(argv[i]);
		}
	}
	return bad;
}
