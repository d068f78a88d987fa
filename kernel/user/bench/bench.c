/*
 * bench.c - what system calls and faults cost, in ticks of the processor's time-stamp counter.
 *
 * Without a libc, so that nothing but the kernel is measured, and of Linux's calls only, so that
 * the same file runs on Klaava and on Linux i386.  Under MACHINE=count a tick is an instruction.
 *
 * Each operation is a loop that does it n times.  Before each round it runs a few times unmeasured,
 * to warm what can be warmed; the best of some rounds counts, which leaves out timer interrupts;
 * the ticks of an empty loop are subtracted, and what is left is divided by n.
 */

#include "calls.h"

#define ROUNDS	     5
#define WARM	     3
#define FILE_SIZE    65536
#define FAULTS	     64
#define PAGE	     4096
#define FILE_NAME    "/64k"
#define PATH_MAX     256
#define ENDS_AT_ONCE "-x" /* our argument that says so */

static const char usage[] = "usage: bench [-k] [-d DIRECTORY] [OPERATION]...\n    "
			    "(DIRECTORY/64k is read: /bench unless given)\n";

static char file_path[PATH_MAX], *own_path = "/bin/bench";
static char byte;

static unsigned length(const char *s)
{
	unsigned n = 0;

	while (s[n])
		n++;
	return n;
}

static void print(const char *s)
{
	call(CALL_WRITE, 1, (unsigned)s, length(s));
}

static void __attribute__((noreturn)) end(int status)
{
	for (;;)
		call(CALL_EXIT, status, 0, 0);
}

/* A call that must succeed for the numbers to mean anything. */
static unsigned must(int result, const char *what)
{
	if (result >= 0)
		return result;
	print("bench: ");
	print(what);
	print(" failed\n");
	end(1);
}

/* Operations.  Where one needs something made first, `begin` makes it and `finish` removes it. */

static int fd, there[2], back[2];
static unsigned heap;

static void empty(unsigned n)
{
	while (n--)
		__asm__ volatile("");
}

static void null_int80(unsigned n)
{
	while (n--)
		call0(CALL_GETPID);
}

static void null_sysenter(unsigned n)
{
	while (n--)
		call0_sysenter(CALL_GETPID);
}

static void getppid(unsigned n)
{
	while (n--)
		call0(CALL_GETPPID);
}

static void open_file(void)
{
	fd = must(call(CALL_OPEN, (unsigned)file_path, 0, 0), file_path);
}

static void close_file(void)
{
	call(CALL_CLOSE, fd, 0, 0);
}

static void read1(unsigned n)
{
	while (n--) {
		call(CALL_LSEEK, fd, 0, 0);
		call(CALL_READ, fd, (unsigned)&byte, 1);
	}
}

/* `size` bytes of fresh memory at the end of the heap. */
static void grow(unsigned size)
{
	heap = (call(CALL_BRK, 0, 0, 0) + PAGE - 1) & -PAGE;
	if ((unsigned)call(CALL_BRK, heap + size, 0, 0) != heap + size)
		must(-1, "brk");
}

static void shrink(void)
{
	call(CALL_BRK, heap, 0, 0);
}

static void open_file_and_buffer(void)
{
	open_file();
	grow(FILE_SIZE);
}

static void close_file_and_buffer(void)
{
	close_file();
	shrink();
}

/* The whole file in one call. */
static void reread64k(unsigned n)
{
	while (n--) {
		call(CALL_LSEEK, fd, 0, 0);
		if (call(CALL_READ, fd, heap, FILE_SIZE) != FILE_SIZE)
			must(-1, "reading 64 KB");
	}
}

static void stat(unsigned n)
{
	static char buf[96]; /* struct stat64 */

	while (n--)
		must(call(CALL_STAT64, (unsigned)file_path, (unsigned)buf, 0), file_path);
}

static void open_close(unsigned n)
{
	while (n--)
		call(CALL_CLOSE, call(CALL_OPEN, (unsigned)file_path, 0, 0), 0, 0);
}

static void pipe_open(void)
{
	must(call(CALL_PIPE, (unsigned)there, 0, 0), "pipe");
}

static void pipe_close(void)
{
	call(CALL_CLOSE, there[0], 0, 0);
	call(CALL_CLOSE, there[1], 0, 0);
}

static void pipe_self(unsigned n)
{
	while (n--) {
		call(CALL_WRITE, there[1], (unsigned)&byte, 1);
		call(CALL_READ, there[0], (unsigned)&byte, 1);
	}
}

/* A child that sends back each byte it gets. */
static void echo_begin(void)
{
	pipe_open();
	must(call(CALL_PIPE, (unsigned)back, 0, 0), "pipe");
	if (must(call0(CALL_FORK), "fork"))
		return;
	call(CALL_CLOSE, there[1], 0, 0);
	while (call(CALL_READ, there[0], (unsigned)&byte, 1) == 1)
		call(CALL_WRITE, back[1], (unsigned)&byte, 1);
	end(0);
}

static void pipe_rtt(unsigned n)
{
	while (n--) {
		call(CALL_WRITE, there[1], (unsigned)&byte, 1);
		call(CALL_READ, back[0], (unsigned)&byte, 1);
	}
}

static void echo_finish(void)
{
	pipe_close();
	call(CALL_CLOSE, back[0], 0, 0);
	call(CALL_CLOSE, back[1], 0, 0);
	call(CALL_WAITPID, -1, 0, 0);
}

static void fork_exit(unsigned n)
{
	while (n--) {
		unsigned pid = must(call0(CALL_FORK), "fork");

		if (!pid)
			end(0);
		call(CALL_WAITPID, pid, 0, 0);
	}
}

/* The small program is this one, told to end at once. */
static void fork_exec(unsigned n)
{
	static char *argv[] = { 0, ENDS_AT_ONCE, 0 }, *envp[] = { 0 };
	int status;

	argv[0] = own_path;
	while (n--) {
		unsigned pid = must(call0(CALL_FORK), "fork");

		if (!pid) {
			call(CALL_EXECVE, (unsigned)own_path, (unsigned)argv, (unsigned)envp);
			end(1);
		}
		call(CALL_WAITPID, pid, (unsigned)&status, 0);
		if (status)
			must(-1, own_path);
	}
}

static void fresh_pages(void)
{
	grow((FAULTS + WARM) * PAGE);
}

static void anon_fault(unsigned n)
{
	static volatile char *next;

	if (n == WARM)
		next = (char *)heap;
	while (n--) {
		*next = 1;
		next += PAGE;
	}
}

static const struct operation {
	const char *name;
	unsigned n;
	void (*run)(unsigned n);
	void (*begin)(void), (*finish)(void);
} operations[] = {
	{ "null_int80", 1000, null_int80, 0, 0 },
	{ "null_sysenter", 1000, null_sysenter, 0, 0 },
	{ "getppid", 1000, getppid, 0, 0 },
	{ "read1", 500, read1, open_file, close_file },
	{ "reread64k", 10, reread64k, open_file_and_buffer, close_file_and_buffer },
	{ "stat", 200, stat, 0, 0 },
	{ "open_close", 200, open_close, 0, 0 },
	{ "pipe_self", 500, pipe_self, pipe_open, pipe_close },
	{ "pipe_rtt", 200, pipe_rtt, echo_begin, echo_finish },
	{ "fork_exit", 20, fork_exit, 0, 0 },
	{ "fork_exec", 20, fork_exec, 0, 0 },
	{ "anon_fault", FAULTS, anon_fault, fresh_pages, shrink },
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* Measuring */

static unsigned timed(void (*run)(unsigned n), unsigned n)
{
	unsigned start = rdtsc();

	run(n);
	return rdtsc() - start;
}

static unsigned measure(const struct operation *o)
{
	unsigned best = -1u, loop = -1u;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned ticks;

		if (o->begin)
			o->begin();
		o->run(WARM);
		ticks = timed(o->run, o->n);
		if (o->finish)
			o->finish();
		if (ticks < best)
			best = ticks;
		ticks = timed(empty, o->n);
		if (ticks < loop)
			loop = ticks;
	}
	return best > loop ? (best - loop + o->n / 2) / o->n : 0;
}

/* A record, or a line of the table: the name, and the ticks at the right of what is left. */
static void report(const char *name, unsigned ticks, int keys)
{
	static const char blanks[] = "                      ";
	char digits[11], *p = digits + sizeof(digits) - 1;

	*p = 0;
	do
		*--p = '0' + ticks % 10;
	while (ticks /= 10);
	print(keys ? "name=" : "");
	print(name);
	print(keys ? " ticks=" : blanks + length(name) + length(p));
	print(p);
	print("\n");
}

/* The command line */

static int same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static const struct operation *find(const char *name)
{
	for (unsigned i = 0; i < OPERATIONS; i++)
		if (same(operations[i].name, name))
			return &operations[i];
	print("bench: ");
	print(name);
	print(": no such operation; there are");
	for (unsigned i = 0; i < OPERATIONS; i++) {
		print(i % 6 ? " " : "\n  ");
		print(operations[i].name);
	}
	print("\n");
	end(2);
}

static void set_file_path(const char *directory)
{
	unsigned n = length(directory);

	if (n + sizeof(FILE_NAME) > PATH_MAX)
		must(-1, directory);
	for (unsigned i = 0; i < n; i++)
		file_path[i] = directory[i];
	for (unsigned i = 0; i < sizeof(FILE_NAME); i++)
		file_path[n + i] = FILE_NAME[i];
}

#define AT_HWCAP  16
#define HWCAP_SEP (1u << 11)

/* Is there SYSENTER, by the auxiliary vector behind the environment?  Only with Klaava beneath:
 * what the registers hold is its convention, not Linux's. */
static int has_sysenter(char **environment)
{
	static char names[6][65];
	const unsigned *aux;

	if (call(CALL_UNAME, (unsigned)names, 0, 0) || !same(names[0], "Klaava"))
		return 0;
	while (*environment)
		environment++;
	for (aux = (const unsigned *)(environment + 1); *aux; aux += 2)
		if (*aux == AT_HWCAP)
			return (aux[1] & HWCAP_SEP) != 0;
	return 0;
}

/* Called by _start with what the kernel left on the stack: argc, then argv. */
void __attribute__((noreturn)) begin(char **stack)
{
	char **argv = stack + 1;
	char **environment = argv + (unsigned)*stack + 1;
	int keys = 0, sysenter;

	for (const char *p = *argv; p && *p; p++)
		if (*p == '/')
			own_path = *argv;
	set_file_path("/bench");
	for (argv += *argv != 0; *argv && **argv == '-'; argv++) {
		if (same(*argv, ENDS_AT_ONCE))
			end(0);
		if (same(*argv, "-k")) {
			keys = 1;
		} else if (same(*argv, "-d") && argv[1]) {
			set_file_path(*++argv);
		} else {
			print(usage);
			end(2);
		}
	}
	sysenter = has_sysenter(environment); /* not before: who ends at once is measured */
	for (unsigned i = 0; !*argv && i < OPERATIONS; i++)
		if (sysenter || operations[i].run != null_sysenter)
			report(operations[i].name, measure(&operations[i]), keys);
	for (; *argv; argv++) {
		const struct operation *o = find(*argv);

		if (!sysenter && o->run == null_sysenter) {
			print("bench: null_sysenter needs Klaava, and a processor that has it\n");
			end(1);
		}
		report(o->name, measure(o), keys);
	}
	end(0);
}

__asm__(".globl _start\n"
	"_start:	xor %ebp, %ebp\n"
	"	push %esp\n"
	"	call begin\n");
