/*
 * orphans.c - a process whose parent ends gets another one, and is waited for.
 */

#include <time.h>

#include "guest.h"

static int report[2];

static void moment(void)
{
	struct timespec t = { 0, 20000000 };

	nanosleep(&t, NULL);
}

/* Ends before its own child, which then tells whose child it is. */
static int parent_that_ends(void)
{
	pid_t me = getpid();

	if (fork() == 0) {
		while (getppid() == me)
			moment();
		write(report[1], getppid() != me && getppid() > 0 ? "y" : "n", 1);
		_exit(0);
	}
	return 0;
}

/* Leaves behind children that ended, which nobody waited for. */
static int parent_of_zombies(void)
{
	for (int i = 0; i < 20; i++)
		if (fork() == 0)
			_exit(i);
	moment();
	return 0;
}

int main(void)
{
	char c = 'n';
	int good = 0;

	pipe(report);
	for (int i = 0; i < 10; i++) {
		in_child(parent_that_ends);
		if (read(report[0], &c, 1) == 1 && c == 'y')
			good++;
	}
	printf("%d of 10 orphans have another parent\n", good);
	answer("they are not ours", wait(NULL));

	good = 0;
	for (int i = 0; i < 10; i++)
		good += in_child(parent_of_zombies) == 0;
	printf("%d of 10 left zombies behind\n", good);
	answer("they are not ours", wait(NULL));
	return 0;
}
