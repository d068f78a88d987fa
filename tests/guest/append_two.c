/*
 * append_two.c - several append to one file at once: every record is whole, none is lost.
 *
 * And several write to files of their own, each at its own pace, in one directory.
 */

#include <fcntl.h>
#include <sys/stat.h>

#include "guest.h"

#define WRITERS 4
#define RECORDS 60
#define SIZE	37 /* no divisor of a block */

static int number;

static int appends(void)
{
	int fd = open("log", O_WRONLY | O_APPEND);
	char record[SIZE + 1];

	for (int i = 0; i < RECORDS; i++) {
		snprintf(record, sizeof(record), "writer %d record %03d of some length..\n", number,
			 i);
		if (write(fd, record, SIZE) != SIZE)
			return 1;
	}
	return 0;
}

static int writes_own(void)
{
	char name[20], block[1000];
	int fd;

	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "own-%d-%d", number, i);
		fd = open(name, O_RDWR | O_CREAT, 0644);
		memset(block, 'a' + number, sizeof(block));
		for (int j = 0; j < 8; j++)
			if (write(fd, block, sizeof(block)) != sizeof(block))
				return 1;
		for (int j = 0; j < 8; j++) {
			memset(block, 0, sizeof(block));
			if (pread(fd, block, sizeof(block), j * 1000) != sizeof(block))
				return 2;
			for (size_t k = 0; k < sizeof(block); k++)
				if (block[k] != 'a' + number)
					return 3;
		}
		close(fd);
		if (unlink(name) < 0)
			return 4;
	}
	return 0;
}

static void all_at_once(const char *what, int (*act)(void))
{
	int status, bad = 0;

	fflush(stdout);
	for (number = 0; number < WRITERS; number++)
		if (fork() == 0)
			_exit(act());
	while (wait(&status) > 0)
		bad += status != 0;
	printf("%s: %d failed\n", what, bad);
}

int main(void)
{
	int next[WRITERS] = { 0 }, whole = 0, fd;
	char record[SIZE + 1] = "", expected[SIZE + 2];

	go_to_scratch("append");
	close(open("log", O_WRONLY | O_CREAT, 0644));
	all_at_once("appending", appends);
	fd = open("log", O_RDONLY);
	while (read(fd, record, SIZE) == SIZE) {
		int n = record[7] - '0';

		if (n < 0 || n >= WRITERS)
			break;
		snprintf(expected, sizeof(expected), "writer %d record %03d of some length..\n", n,
			 next[n]++);
		whole += !memcmp(expected, record, SIZE);
	}
	answer("whole records, in order", whole);
	answer("length", lseek(fd, 0, SEEK_END));
	close(fd);
	all_at_once("files of their own", writes_own);
	leave_scratch();
	return 0;
}
