/*
 * fork_cow.c - after fork() neither process sees what the other writes.
 */

#include <sys/mman.h>

#include "guest.h"

#define PAGES 64

static int data = 1, bss;
static char *heap, *mapped;
static int *stack;

static void write_all(int value)
{
	data = bss = *stack = value;
	memset(heap, value, PAGES * PAGE);
	for (int i = 0; i < PAGES; i++)
		mapped[i * PAGE + i] = value;
}

/* Is everything `value`? */
static int all_are(int value)
{
	if (data != value || bss != value || *stack != value)
		return 0;
	for (int i = 0; i < PAGES * PAGE; i++)
		if (heap[i] != value)
			return 0;
	for (int i = 0; i < PAGES; i++)
		if (mapped[i * PAGE + i] != value)
			return 0;
	return 1;
}

static int go[2], done[2];

static void pass(int fds[2])
{
	write(fds[1], "x", 1);
}

static void await(int fds[2])
{
	char c;

	read(fds[0], &c, 1);
}

static int writing_child(void)
{
	yes("child starts with the parent's memory", all_are(1));
	write_all(2);
	yes("child sees its own writes", all_are(2));
	return 0;
}

static int waiting_child(void)
{
	pass(done);
	await(go); /* the parent has written by now */
	yes("child does not see the parent's writes", all_are(1));
	return 0;
}

static int grandchild(void)
{
	yes("grandchild starts with the child's memory", all_are(3));
	write_all(4);
	return 0;
}

static int child_with_child(void)
{
	write_all(3);
	in_child(grandchild);
	yes("child does not see the grandchild's writes", all_are(3));
	return 0;
}

/* The same pages shared by many at once, each writing its own pattern. */
static int one_of_many(int which)
{
	for (int round = 0; round < 4; round++) {
		write_all(10 + which);
		if (!all_are(10 + which))
			return 1;
	}
	return 0;
}

int main(void)
{
	int here, status, good = 0;
	pid_t pid;

	stack = &here;
	heap = malloc(PAGES * PAGE);
	mapped = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	pipe(go);
	pipe(done);
	write_all(1);

	in_child(writing_child);
	yes("parent does not see the child's writes", all_are(1));

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		status = waiting_child();
		fflush(stdout);
		_exit(status);
	}
	await(done);
	write_all(5);
	pass(go);
	waitpid(pid, &status, 0);
	yes("parent sees its own writes", all_are(5));

	in_child(child_with_child);
	yes("parent still has its own", all_are(5));

	for (int i = 0; i < 6; i++)
		if (fork() == 0)
			_exit(one_of_many(i));
	for (int i = 0; i < 6; i++)
		if (wait(&status) > 0 && status == 0)
			good++;
	printf("%d of 6 children kept their own memory\n", good);
	yes("parent still has its own", all_are(5));
	return 0;
}
