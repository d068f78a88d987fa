/*
 * text_own.c - who runs the same program may share its read-only pages, but never notices.
 *
 * One process makes such a page writable, writes, and makes it read-only again: it alone sees what
 * it wrote, not one that runs the program already, nor one that starts it only then.
 */

#include <sys/mman.h>
#include <sys/syscall.h>

#include "guest.h"

#define NR_MPROTECT 125

/* Pages of constants, in the file; the compiler must not know what they hold. */
static const char first[PAGE] __attribute__((aligned(PAGE))) = "as linked";
static const char second[PAGE] __attribute__((aligned(PAGE))) = "as linked";

static const char *volatile page = first, *volatile next = second;

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

static int change(const char *at, const char *to)
{
	if (syscall(NR_MPROTECT, at, PAGE, PROT_READ | PROT_WRITE))
		return 0;
	strcpy((char *)at, to);
	return syscall(NR_MPROTECT, at, PAGE, PROT_READ) == 0;
}

/* A process of its own, that has the program by exec and not by fork. */
static int writer(void)
{
	printf("writer finds: %s, %s\n", page, next);
	yes("writer may change them", change(page, "written") && change(next, "written, too"));
	printf("writer sees: %s, %s\n", page, next);
	fflush(stdout);
	pass(done);
	await(go);
	printf("writer still sees: %s, %s\n", page, next);
	return 0;
}

static int reader(void)
{
	printf("who starts later sees: %s, %s\n", page, next);
	return 0;
}

static pid_t start(char *program, char *role)
{
	char *args[] = { program, role, NULL };
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		/* The new program finds the pipes where the old one had them. */
		dup2(go[0], 10);
		dup2(done[1], 11);
		execv(program, args);
		_exit(99);
	}
	return pid;
}

static int as_parent(char *program)
{
	int status;
	pid_t pid;

	pipe(go);
	pipe(done);
	printf("parent sees: %s\n", page);
	pid = start(program, "writer");
	await(done);
	printf("parent sees: %s, %s\n", page, next);
	waitpid(start(program, "reader"), &status, 0);
	yes("reader ended well", status == 0);
	fflush(stdout);
	pass(go);
	waitpid(pid, &status, 0);
	yes("writer ended well", status == 0);
	printf("parent still sees: %s, %s\n", page, next);
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 2 || strcmp(argv[1], "writer"))
		return argc > 1 && !strcmp(argv[1], "reader") ? reader() : as_parent(argv[0]);
	go[0] = 10;
	done[1] = 11;
	status = writer();
	fflush(stdout);
	return status;
}
