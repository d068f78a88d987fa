/*
 * mkdir.c - makes directories, with -p those above them too.
 */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"
#include "paths.h"

static const char text[] = "mkdir [-p] DIRECTORY...";

/* Makes `path`; with -p what is there already is well. */
static int make(const char *path, int parents)
{
	if (mkdir(path, 0777) == 0 || (parents && errno == EEXIST && path_is_dir(path)))
		return 0;
	complain("mkdir", path);
	return 1;
}

static int make_all(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int bad;

		*slash = 0;
		bad = make(path, 1);
		*slash = '/';
		if (bad)
			return 1;
	}
	return make(path, 1);
}

int main(int argc, char **argv)
{
	int i = 1, bad = 0, parents = 0;

	if (i < argc && strcmp(argv[i], "-p") == 0) {
		parents = 1;
		i++;
	}
	if (i == argc || argv[i][0] == '-')
		usage(text);
	for (; i < argc; i++)
		bad |= parents && *argv[i] ? make_all(argv[i]) : make(argv[i], 0);
	return bad;
}
