/*
 * thread_area.c - segments of a program's own: %gs as a C library uses it, kept over switches,
 * signals and fork, gone at exec; and calls that ask for what cannot be.
 */

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

#include "guest.h"

#define NR_SET 243
#define NR_GET 244

#define F_32BIT	      0x01u
#define F_CODE	      0x04u
#define F_READ_ONLY   0x08u
#define F_IN_PAGES    0x10u
#define F_NOT_PRESENT 0x20u
#define F_USEABLE     0x40u

struct area {
	int entry;
	unsigned base, limit, flags;
};

static int first; /* number of the first area: it differs between kernels */
static unsigned memory[3][16];

static unsigned read_gs(unsigned offset)
{
	unsigned v;

	asm volatile("movl %%gs:(%1), %0" : "=r"(v) : "r"(offset) : "memory");
	return v;
}

static void write_gs(unsigned offset, unsigned v)
{
	asm volatile("movl %0, %%gs:(%1)" : : "r"(v), "r"(offset) : "memory");
}

static void load_gs(int entry)
{
	asm volatile("movl %0, %%gs" : : "r"((entry << 3) | 3));
}

static unsigned selector(void)
{
	unsigned v;

	asm volatile("movl %%gs, %0" : "=r"(v));
	return v & 0xffff;
}

static int set(int entry, const void *base, unsigned limit, unsigned flags)
{
	struct area a = { entry, (unsigned)base, limit, flags };
	int err = syscall(NR_SET, &a);

	return err < 0 ? err : a.entry;
}

static void show(const char *what, int entry)
{
	struct area a = { entry, 0, 0, 0 };

	if (syscall(NR_GET, &a) < 0)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: base %s, limit %x, flags %x\n", what,
		       a.base == (unsigned)memory[0]   ? "right"
		       : a.base == (unsigned)memory[1] ? "the second"
		       : a.base			       ? "another"
						       : "0",
		       a.limit, a.flags);
}

static void refused(const char *what, int got)
{
	printf("%s: %s\n", what, got < 0 ? strerror(errno) : "taken");
}

static void handler(int sig)
{
	printf("in the handler for %d: %x\n", sig, read_gs(4));
	load_gs(first + 1);
	write_gs(8, 0x99);
}

static void fork_and_switch(void)
{
	pid_t child;
	int status;

	write_gs(0, 1000);
	fflush(stdout);
	child = fork();
	if (!child) {
		for (int i = 0; i < 50; i++) {
			write_gs(0, read_gs(0) + 1);
			syscall(SYS_sched_yield);
		}
		printf("child: %d, same selector: %d\n", read_gs(0),
		       selector() == (unsigned)(first << 3 | 3));
		fflush(stdout);
		set(first, memory[1], 63, F_32BIT);
		load_gs(first);
		write_gs(4, 7);
		_exit(memory[1][1]);
	}
	for (int i = 0; i < 50; i++) {
		write_gs(0, read_gs(0) + 2);
		syscall(SYS_sched_yield);
	}
	waitpid(child, &status, 0);
	printf("child's second: %d\n", WEXITSTATUS(status));
	printf("parent: %d, memory %d\n", read_gs(0), memory[0][0]);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		printf("after exec: selector %x\n", selector());
		show("after exec", atoi(argv[1]));
		return 0;
	}
	first = set(-1, memory[0], sizeof(memory[0]) - 1, F_32BIT | F_USEABLE);
	load_gs(first);
	write_gs(4, 0x1234);
	printf("written through it: %x\n", memory[0][1]);
	show("as it was set", first);
	printf("the next: %d\n", set(-1, memory[1], 0, F_32BIT | F_READ_ONLY | F_IN_PAGES) - first);
	show("the next", first + 1);
	printf("the last: %d\n", set(-1, memory[2], 63, F_32BIT) - first);
	refused("one more", set(-1, memory[2], 63, F_32BIT));
	refused("none at all", set(first + 2, NULL, 0, F_READ_ONLY | F_NOT_PRESENT));
	show("none at all", first + 2);
	printf("and again: %d\n", set(-1, memory[1], 63, F_32BIT) - first);
	refused("code", set(first + 1, memory[1], 63, F_32BIT | F_CODE));
	refused("16 bits", set(first + 1, memory[1], 63, 0));
	refused("the kernel's", set(2, memory[1], 63, F_32BIT));
	refused("a number too high", set(first + 3, memory[1], 63, F_32BIT));
	refused("a bad pointer", syscall(NR_SET, 8));
	refused("ask for none of them", syscall(NR_GET, memory[2]));

	set(first + 1, memory[1], 63, F_32BIT);
	signal(SIGUSR1, handler);
	kill(getpid(), SIGUSR1);
	printf("after the handler: %x, it wrote %x\n", read_gs(4), memory[1][2]);
	fork_and_switch();

	char number[8];
	snprintf(number, sizeof(number), "%d", first);
	char *again[] = { argv[0], number, "again", NULL };
	fflush(stdout);
	execve(argv[0], again, NULL);
	return 1;
}
