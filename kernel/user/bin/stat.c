/*
 * stat.c - all that is known of a file: what its inode holds.
 */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "args.h"
#include "paths.h"

static const char text[] = "stat [-L] FILE...     (-L: of what a link leads to)";

static const char *kind(mode_t mode)
{
	if (S_ISREG(mode))
		return "file";
	if (S_ISDIR(mode))
		return "directory";
	if (S_ISLNK(mode))
		return "symbolic link";
	if (S_ISCHR(mode))
		return "character device";
	if (S_ISBLK(mode))
		return "block device";
	return S_ISFIFO(mode) ? "pipe" : "socket";
}

static void show_time(const char *what, time_t t)
{
	char date[DATE_TEXT];

	date_text(t, date);
	printf("  %s %s\n", what, date);
}

static void show(const char *path, const struct stat *st)
{
	char rights[11];

	mode_text(st->st_mode, rights);
	printf("%s: %s", path, kind(st->st_mode));
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
		printf(" %u,%u", (unsigned)major(st->st_rdev), (unsigned)minor(st->st_rdev));
	printf("\n  inode %llu, %lu link%s, mode %04o %s, owner %u:%u\n",
	       (unsigned long long)st->st_ino, (unsigned long)st->st_nlink,
	       st->st_nlink == 1 ? "" : "s", (unsigned)st->st_mode & 07777, rights,
	       (unsigned)st->st_uid, (unsigned)st->st_gid);
	printf("  %lld byte%s in %llu KB of disk, blocks of %lu\n", (long long)st->st_size,
	       st->st_size == 1 ? "" : "s", ((unsigned long long)st->st_blocks + 1) / 2,
	       (unsigned long)st->st_blksize);
	show_time("read   ", st->st_atime);
	show_time("written", st->st_mtime);
	show_time("changed", st->st_ctime);
}

int main(int argc, char **argv)
{
	int i = 1, bad = 0, follow = 0;

	if (i < argc && strcmp(argv[i], "-L") == 0) {
		follow = 1;
		i++;
	}
	if (i == argc || argv[i][0] == '-')
		usage(text);
	for (; i < argc; i++) {
		struct stat st;

		if ((follow ? stat : lstat)(argv[i], &st) < 0) {
			complain("stat", argv[i]);
			bad = 1;
			continue;
		}
		show(argv[i], &st);
	}
	return bad;
}
