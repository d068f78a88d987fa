/*
 * save.c - saves files again and again, as people and compilers do.
 *
 * Each time every file is written anew, from its beginning, and between two of them a little time
 * passes.  What reaches the disk of all that, when, and in how many pieces is up to the buffer
 * cache: cache.write, cache.flush, cache.order, disk.elevator.  With `sync` each file is on the
 * disk before the next one is begun.  At the end the files are removed, unless `keep` is said.
 * Lesson 9.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "save [FILES [TIMES [KB [MS]]]] [sync] [keep]";

#define FOLDER "/tmp"

static char buf[1024];

static const char *name_of(long file)
{
	static char name[32];

	snprintf(name, sizeof(name), FOLDER "/saved-%ld", file);
	return name;
}

static int save(long file, long kb, int synced)
{
	int fd = open(name_of(file), O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return -1;
	for (long i = 0; i < kb; i++)
		if (write(fd, buf, sizeof(buf)) != sizeof(buf))
			return -1;
	if (synced && fsync(fd))
		return -1;
	return close(fd);
}

int main(int argc, char **argv)
{
	long number[4] = { 8, 4, 8, 50 }; /* files, times, KB, ms between two */
	int synced = 0, kept = 0, given = 0;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "sync"))
			synced = 1;
		else if (!strcmp(argv[i], "keep"))
			kept = 1;
		else if (given < 4)
			number[given++] = number_arg(argv[i], 0, 100000, text);
		else
			usage(text);
	}
	memset(buf, 's', sizeof(buf));
	for (long t = 0; t < number[1]; t++) {
		for (long file = 0; file < number[0]; file++) {
			struct timespec pause = { .tv_sec = number[3] / 1000,
						  .tv_nsec = number[3] % 1000 * 1000000 };

			if (save(file, number[2], synced)) {
				complain("save", name_of(file));
				return 1;
			}
			nanosleep(&pause, NULL);
		}
	}
	for (long file = 0; file < number[0] && !kept; file++)
		unlink(name_of(file));
	printf("save: %ld files, %ld times, %ld KB each\n", number[0], number[1], number[2]);
	return 0;
}
