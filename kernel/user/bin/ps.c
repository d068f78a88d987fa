/*
 * ps.c - lists processes.
 *
 * Klaava has no /proc: its kernel writes the list into /dev/tasks, one line a task.
 * On a Linux host, where our programs run too, it is gathered from /proc.
 */

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "ps";

static int from_tasks(int fd)
{
	static char buf[1024];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, n, stdout);
	if (n < 0)
		complain("ps", "/dev/tasks");
	return n < 0;
}

static const char *state_name(char letter)
{
	return letter == 'R' ? "runnable" : letter == 'Z' ? "zombie" : "sleeping";
}

/*
 * Prints process `pid` in the form of /dev/tasks.  /proc/PID/stat reads "pid (name)
 * state ppid ...", user and system ticks being its fields 14 and 15; the name may hold
 * blanks and parentheses itself, so the last ')' ends it.
 */
static void from_stat(const char *pid)
{
	char path[64], stat[512], *name, *end, *field;
	unsigned long ticks = 0;
	int fd, ppid;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return; /* gone since the directory was read */
	n = read(fd, stat, sizeof(stat) - 1);
	close(fd);
	if (n <= 0)
		return;
	stat[n] = 0;
	name = strchr(stat, '(');
	end = strrchr(stat, ')');
	if (!name || !end || strlen(end) < 4)
		return;
	*end = 0;
	ppid = atoi(end + 4);
	field = end + 2;
	for (int i = 3; i < 14 && field; i++)
		field = strchr(field + 1, ' ');
	if (field)
		ticks = strtoul(field, &field, 10) + strtoul(field, NULL, 10);
	printf("%5s %5d %-9s %-7s %7lu %s\n", pid, ppid, state_name(end[2]), "host", ticks,
	       name + 1);
}

int main(int argc, char **argv)
{
	struct dirent *d;
	DIR *proc;
	int fd;

	(void)argv;
	if (argc != 1)
		usage(text);
	fd = open("/dev/tasks", O_RDONLY);
	if (fd >= 0)
		return from_tasks(fd);
	proc = opendir("/proc");
	if (!proc) {
		complain("ps", "/dev/tasks");
		return 1;
	}
	printf("  PID  PPID STATE     MODEL     TICKS NAME\n");
	while ((d = readdir(proc)))
		if (isdigit((unsigned char)d->d_name[0]))
			from_stat(d->d_name);
	closedir(proc);
	return 0;
}
