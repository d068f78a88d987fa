/*
 * df.c - how much room a file system has, in KB and in files.
 */

#include <stdio.h>
#include <sys/statvfs.h>

#include "args.h"

static const char text[] = "df [FILE]...     (the file system that FILE is on; / unless given)";

static unsigned long kb(const struct statvfs *s, unsigned long long blocks)
{
	return blocks * s->f_frsize / 1024;
}

static int show(const char *path)
{
	unsigned long used, usable;
	struct statvfs s;

	if (statvfs(path, &s) < 0) {
		complain("df", path);
		return 1;
	}
	used = kb(&s, s.f_blocks - s.f_bfree);
	usable = used + kb(&s, s.f_bavail);
	printf("%9lu %9lu %9lu %4lu%% %8lu %8lu  %s\n", kb(&s, s.f_blocks), used,
	       kb(&s, s.f_bavail), usable ? (unsigned long)(100ULL * used / usable) : 0,
	       (unsigned long)s.f_files, (unsigned long)s.f_ffree, path);
	return 0;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc > 1 && argv[1][0] == '-')
		usage(text);
	printf("%9s %9s %9s %5s %8s %8s  %s\n", "KB", "used", "free", "full", "files", "unused",
	       "of");
	if (argc == 1)
		return show("/");
	for (int i = 1; i < argc; i++)
		bad |= show(argv[i]);
	return bad;
}
