/*
 * pwd.c - prints the current directory.
 */

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "args.h"

static char path[PATH_MAX];

int main(void)
{
	if (!getcwd(path, sizeof(path))) {
		complain("pwd", "current directory");
		return 1;
	}
	puts(path);
	return 0;
}
