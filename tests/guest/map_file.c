/*
 * map_file.c - files and holes in memory: mmap in both forms, munmap of a middle, mprotect.
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "guest.h"

#define NR_OLD_MMAP 90
#define NR_MPROTECT 125
#ifndef MAP_SHARED
#define MAP_SHARED 1
#endif

static char *text, *other;

static int writes_text(void)
{
	text[0] = 'x';
	return 0;
}

static int reads_hole(void)
{
	return text[PAGE];
}

static int reads_none(void)
{
	return other[0];
}

static void test_file(int fd)
{
	long old[6] = { 0, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0, PAGE };
	char again[20] = "";
	long end = lseek(fd, 0, SEEK_END), zeros = 0;

	text = mmap(NULL, end, PROT_READ, MAP_PRIVATE, fd, 0);
	printf("file: %.20s...\n", text);
	for (char *p = text + end; (unsigned long)p % PAGE; p++)
		zeros += *p == 0;
	yes("zeros behind its end", zeros == PAGE - end % PAGE);
	report_child("write to it", writes_text);

	old[4] = fd;
	other = (char *)syscall(NR_OLD_MMAP, old);
	printf("from page 1: %.20s...\n", other);
	yes("the same bytes", !memcmp(other, text + PAGE, end - PAGE));
	memcpy(other, "changed", 7);
	printf("written: %.20s...\n", other);
	lseek(fd, PAGE, SEEK_SET);
	read(fd, again, 19);
	printf("the file is as it was: %s\n", again);
	yes("so is the other map", !memcmp(text + PAGE, again, 19));
	close(fd);
	printf("after close: %.20s...\n", text);
}

static void test_holes(void)
{
	answer("munmap a middle", munmap(text + PAGE, PAGE));
	report_child("read the hole", reads_hole);
	printf("before it: %.8s, behind it: %d\n", text, text[2 * PAGE] != 0);
	answer("again", munmap(text + PAGE, PAGE));
	answer("not aligned", munmap(text + 1, PAGE));
	answer("no length", munmap(text, 0));
	answer("mprotect over the hole", syscall(NR_MPROTECT, text, 3 * PAGE, PROT_READ));
	answer("mprotect", syscall(NR_MPROTECT, other, PAGE, 0));
	report_child("read what may not be", reads_none);
	answer("and back", syscall(NR_MPROTECT, other, PAGE, PROT_READ | PROT_WRITE));
	printf("still there: %.7s\n", other);
}

static char *place;

/* As a child: the file changes, and the same place is mapped to it anew. */
static int maps_again(void)
{
	int fd = open("changing", O_RDWR);
	char *again;

	munmap(place, PAGE);
	pwrite(fd, "after", 5, 0);
	again = mmap(place, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
	printf("mapped behind the change: %.9s\n", again);
	return 0;
}

static void test_change(const char *data)
{
	int fd;

	go_to_scratch("map");
	fd = open("changing", O_RDWR | O_CREAT, 0644);
	write(fd, "before it", 9);
	place = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	printf("mapped: %.9s\n", place);
	report_child("a child", maps_again);
	leave_scratch();
	chdir(data);
}

static void test_errors(void)
{
	int fd = open("text", O_RDONLY), fds[2];
	char *fixed = other;

	pipe(fds);
	answer("a pipe", (long)mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fds[0], 0));
	answer("no file", (long)mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, 55, 0));
	answer("no length", (long)mmap(NULL, 0, PROT_READ, MAP_PRIVATE, fd, 0));
	answer("neither private nor shared", (long)mmap(NULL, PAGE, PROT_READ, 0, fd, 0));
	answer("to share and write",
	       (long)mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	yes("fixed, over another",
	    mmap(fixed, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == fixed);
	printf("now: %.8s\n", fixed);
	answer("fixed, not aligned",
	       (long)mmap(fixed + 5, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0));
}

int main(int argc, char **argv)
{
	go_to_data(argc, argv);
	test_file(open("text", O_RDONLY));
	test_holes();
	test_change(argc > 1 ? argv[1] : "/tests/data");
	test_errors();
	return 0;
}
