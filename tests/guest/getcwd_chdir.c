/*
 * getcwd_chdir.c - where a process stands; its children start there and go their own way.
 */

#include <fcntl.h>
#include <sys/syscall.h>

#include "guest.h"

static char base[1024], here[1024];

/* Prints the current directory, relative to where the test began. */
static void show(const char *what)
{
	size_t n = strlen(base);

	if (!getcwd(here, sizeof(here)))
		printf("%s: %s\n", what, strerror(errno));
	else if (strncmp(here, base, n) == 0)
		printf("%s: BASE%s\n", what, here + n);
	else
		printf("%s: %s\n", what, here);
}

static int goes_away(void)
{
	chdir("dir");
	show("in the child");
	return 0;
}

int main(int argc, char **argv)
{
	go_to_data(argc, argv);
	yes("getcwd", getcwd(base, sizeof(base)) == base);
	yes("it begins with a slash", base[0] == '/');
	answer("chdir sub", chdir("sub"));
	show("now");
	answer("open deep", open("deep", O_RDONLY) >= 0);
	answer("chdir ..", chdir(".."));
	show("now");
	answer("chdir through dots", chdir("./sub/.././sub/"));
	show("now");
	answer("chdir ../dir", chdir("../dir"));
	show("now");
	answer("chdir by its whole name", chdir(base));
	show("now");
	answer("chdir to a file", chdir("text"));
	answer("chdir to nothing", chdir("nosuch"));
	answer("chdir to no name", chdir(""));
	show("still");
	in_child(goes_away);
	show("in the parent");
	answer("no room", syscall(SYS_getcwd, here, 2));
	answer("room to the byte",
	       syscall(SYS_getcwd, here, strlen(base) + 1) == (long)strlen(base) + 1);
	answer("a byte less", syscall(SYS_getcwd, here, strlen(base)));
	answer("chdir /", chdir("/"));
	yes("at the root", getcwd(here, sizeof(here)) && strcmp(here, "/") == 0);
	answer("above the root", chdir("../../.."));
	yes("there is nothing above it", getcwd(here, sizeof(here)) && strcmp(here, "/") == 0);
	return 0;
}
