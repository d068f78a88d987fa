/*
 * efault.c - every system call that takes a pointer, given ones it must not follow.
 *
 * Null, almost null, memory that was unmapped, past 64 MB (the end of a window in the
 * shared model: must not reach the neighbour's), kernel memory, the last page, and
 * areas that begin well and end badly.  Each must be refused, none may harm.
 */

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "guest.h"

#define KERNEL	  0xc0100000UL
#define LAST_PAGE 0xfffff000UL
#define WINDOW	  0x04000000UL

static struct {
	const char *name;
	unsigned long address;
} bad[] = {
	{ "null", 0 },
	{ "almost null", 16 },
	{ "unmapped", 0 },	 /* filled in */
	{ "read-only text", 0 }, /* for calls that write; filled in */
	{ "half mapped", 0 },	 /* its last 2 bytes are mapped; filled in */
	{ "past the window", WINDOW + 0x1000 },
	{ "kernel", KERNEL },
	{ "last page", LAST_PAGE },
	{ "last bytes", 0xfffffffeUL },
};

#define BAD	  (sizeof(bad) / sizeof(bad[0]))
#define READ_ONLY 3

#define HALF_MAPPED 4

static int text_fd, dir_fd, file_fd, fds[2];

/* One call with a pointer the kernel would read (0) or write (1) through. */
struct call {
	const char *name;
	int writes;
	long number;
	long args[5]; /* HERE stands for the bad pointer */
};

#define HERE (-777777)

static int fails_with_efault(const struct call *c, unsigned long address)
{
	long args[5];

	/* Earlier calls may have written there; a path must go on into what is unmapped. */
	memset((char *)bad[HALF_MAPPED].address, 'x', 2);
	for (int i = 0; i < 5; i++)
		args[i] = c->args[i] == HERE ? (long)address : c->args[i];
	errno = 0;
	return syscall(c->number, args[0], args[1], args[2], args[3], args[4]) == -1 &&
	       errno == EFAULT;
}

static void try(const struct call *c)
{
	printf("%s:", c->name);
	for (size_t i = 0; i < BAD; i++) {
		if (i == READ_ONLY && !c->writes)
			continue;
		if (!fails_with_efault(c, bad[i].address))
			printf(" %s is NOT refused (%s);", bad[i].name, strerror(errno));
	}
	printf(" done\n");
}

static void try_all(void)
{
	const struct call calls[] = {
		{ "open", 0, SYS_open, { HERE, O_RDONLY } },
		{ "openat", 0, SYS_openat, { AT_FDCWD, HERE, O_RDONLY } },
		{ "chdir", 0, SYS_chdir, { HERE } },
		{ "access", 0, SYS_access, { HERE, F_OK } },
		{ "readlink path", 0, SYS_readlink, { HERE, (long)bad, 10 } },
		{ "readlink buffer", 1, SYS_readlink, { (long)"longlink", HERE, 60 } },
		{ "stat64 path", 0, SYS_stat64, { HERE, (long)bad } },
		{ "stat64", 1, SYS_stat64, { (long)"text", HERE } },
		{ "lstat64", 1, SYS_lstat64, { (long)"text", HERE } },
		{ "fstat64", 1, SYS_fstat64, { text_fd, HERE } },
		{ "getdents64", 1, SYS_getdents64, { dir_fd, HERE, 1000 } },
		{ "getcwd", 1, SYS_getcwd, { HERE, 4096 } },
		{ "_llseek", 1, SYS__llseek, { text_fd, 0, 0, HERE, SEEK_CUR } },
		{ "pipe", 1, SYS_pipe, { HERE } },
		{ "pipe2", 1, SYS_pipe2, { HERE, 0 } },
		{ "readv pieces", 0, SYS_readv, { text_fd, HERE, 2 } },
		{ "writev pieces", 0, SYS_writev, { fds[1], HERE, 2 } },
		{ "execve path", 0, SYS_execve, { HERE, 0, 0 } },
		{ "uname", 1, SYS_uname, { HERE } },
		{ "creat", 0, SYS_creat, { HERE, 0644 } },
		{ "open to make", 0, SYS_open, { HERE, O_WRONLY | O_CREAT, 0644 } },
		{ "truncate", 0, SYS_truncate, { HERE, 0 } },
		{ "truncate64", 0, SYS_truncate64, { HERE, 0, 0 } },
		{ "link from", 0, SYS_link, { HERE, (long)"new" } },
		{ "link to", 0, SYS_link, { (long)"text", HERE } },
		{ "linkat from", 0, SYS_linkat, { AT_FDCWD, HERE, AT_FDCWD, (long)"new", 0 } },
		{ "linkat to", 0, SYS_linkat, { AT_FDCWD, (long)"text", AT_FDCWD, HERE, 0 } },
		{ "symlink text", 0, SYS_symlink, { HERE, (long)"new" } },
		{ "symlink name", 0, SYS_symlink, { (long)"text", HERE } },
		{ "symlinkat text", 0, SYS_symlinkat, { HERE, AT_FDCWD, (long)"new" } },
		{ "symlinkat name", 0, SYS_symlinkat, { (long)"text", AT_FDCWD, HERE } },
		{ "unlink", 0, SYS_unlink, { HERE } },
		{ "unlinkat", 0, SYS_unlinkat, { AT_FDCWD, HERE, 0 } },
		{ "rename from", 0, SYS_rename, { HERE, (long)"new" } },
		{ "rename to", 0, SYS_rename, { (long)"text", HERE } },
		{ "renameat from", 0, SYS_renameat, { AT_FDCWD, HERE, AT_FDCWD, (long)"new" } },
		{ "renameat to", 0, SYS_renameat, { AT_FDCWD, (long)"text", AT_FDCWD, HERE } },
		{ "renameat2 to", 0, SYS_renameat2, { AT_FDCWD, (long)"text", AT_FDCWD, HERE, 1 } },
		{ "mkdir", 0, SYS_mkdir, { HERE, 0755 } },
		{ "mkdirat", 0, SYS_mkdirat, { AT_FDCWD, HERE, 0755 } },
		{ "rmdir", 0, SYS_rmdir, { HERE } },
		{ "mknod", 0, SYS_mknod, { HERE, 0644, 0 } },
		{ "mknodat", 0, SYS_mknodat, { AT_FDCWD, HERE, 0644, 0 } },
		{ "chmod", 0, SYS_chmod, { HERE, 0644 } },
		{ "fchmodat", 0, SYS_fchmodat, { AT_FDCWD, HERE, 0644 } },
		{ "chown", 0, SYS_chown32, { HERE, 0, 0 } },
		{ "lchown", 0, SYS_lchown32, { HERE, 0, 0 } },
		{ "fchownat", 0, SYS_fchownat, { AT_FDCWD, HERE, 0, 0, 0 } },
		{ "utime path", 0, SYS_utime, { HERE, 0 } },
		{ "utimes path", 0, SYS_utimes, { HERE, 0 } },
		{ "statfs path", 0, SYS_statfs64, { HERE, 84, (long)bad } },
		{ "statfs", 1, SYS_statfs64, { (long)"text", 84, HERE } },
		{ "fstatfs", 1, SYS_fstatfs64, { text_fd, 84, HERE } },
		{ "clock_gettime", 1, SYS_clock_gettime, { 0, HERE } },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		try(&calls[i]);
}

/*
 * Calls that take NULL for "nothing wanted", or that may move some bytes before they
 * meet the bad page: only pointers bad from the first byte, null left out.
 */
static void try_some(void)
{
	const struct call calls[] = {
		{ "read", 1, SYS_read, { text_fd, HERE, 100 } },
		{ "read from a pipe", 1, SYS_read, { fds[0], HERE, 4 } },
		{ "write to a pipe", 0, SYS_write, { fds[1], HERE, 100 } },
		{ "execve arguments", 0, SYS_execve, { (long)"/bin/true", HERE, 0 } },
		{ "execve environment", 0, SYS_execve, { (long)"/bin/true", 0, HERE } },
		{ "nanosleep", 0, SYS_nanosleep, { HERE, 0 } },
		{ "rt_sigaction old", 1, SYS_rt_sigaction, { SIGUSR1, 0, HERE, 8 } },
		{ "rt_sigprocmask old", 1, SYS_rt_sigprocmask, { SIG_BLOCK, 0, HERE, 8 } },
		{ "rt_sigaction new", 0, SYS_rt_sigaction, { SIGUSR1, HERE, 0, 8 } },
		{ "rt_sigprocmask new", 0, SYS_rt_sigprocmask, { SIG_BLOCK, HERE, 0, 8 } },
		{ "rt_sigsuspend", 0, SYS_rt_sigsuspend, { HERE, 8 } },
		{ "gettimeofday", 1, SYS_gettimeofday, { HERE, 0 } },
		{ "time", 1, SYS_time, { HERE } },
		{ "write", 0, SYS_write, { file_fd, HERE, 100 } },
		{ "pread64", 1, SYS_pread64, { text_fd, HERE, 100, 0, 0 } },
		{ "pwrite64", 0, SYS_pwrite64, { file_fd, HERE, 100, 5000, 0 } },
		{ "utime", 0, SYS_utime, { (long)"text", HERE } },
		{ "utimes", 0, SYS_utimes, { (long)"text", HERE } },
		{ "futimesat", 0, SYS_futimesat, { AT_FDCWD, (long)"text", HERE } },
		{ "futimesat path", 0, SYS_futimesat, { AT_FDCWD, HERE, 0 } },
		{ "utimensat", 0, SYS_utimensat, { AT_FDCWD, (long)"text", HERE, 0 } },
		{ "utimensat path", 0, SYS_utimensat, { AT_FDCWD, HERE, 0, 0 } },
		{ "times", 1, SYS_times, { HERE } },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		printf("%s:", calls[i].name);
		for (size_t j = 1; j < BAD; j++) {
			if (j == HALF_MAPPED || (j == READ_ONLY && !calls[i].writes))
				continue;
			if (!fails_with_efault(&calls[i], bad[j].address))
				printf(" %s is NOT refused (%s);", bad[j].name, strerror(errno));
		}
		printf(" done\n");
	}
}

/* A child's end, reported through bad pointers: the child is gone all the same. */
static void try_wait(void)
{
	for (size_t i = 1; i < BAD; i++) {
		fflush(stdout);
		if (fork() == 0)
			_exit(0);
		if (syscall(SYS_wait4, -1, bad[i].address, 0, 0) != -1 || errno != EFAULT)
			printf("wait4 %s is NOT refused\n", bad[i].name);
	}
	answer("children left", wait(NULL));
}

/* Good pieces before a bad one: what was moved counts, or nothing was. */
static void try_partial(char *edge)
{
	struct iovec pieces[2] = { { edge - 10, 10 }, { (void *)KERNEL, 10 } };
	char buf[200];
	ssize_t n;

	lseek(text_fd, 0, SEEK_SET);
	n = readv(text_fd, pieces, 2);
	yes("readv with a bad second piece", n == 10 || (n == -1 && errno == EFAULT));
	n = read(text_fd, edge - 10, 100);
	yes("read over the edge", n == 10 || (n == -1 && errno == EFAULT));
	n = write(fds[1], edge - 10, 100);
	yes("write over the edge", n == 10 || (n == -1 && errno == EFAULT));
	while (fcntl(fds[0], F_SETFL, O_NONBLOCK) == 0 && read(fds[0], buf, sizeof(buf)) > 0)
		;
	memset(edge - 10, 'x', 10);
	answer("a path that ends in nothing", open(edge - 10, O_RDONLY));
	strcpy(edge - 5, "text");
	yes("a path that just fits", close(open(edge - 5, O_RDONLY)) == 0);
	yes("a stat that just fits", syscall(SYS_stat64, "text", edge - 96) == 0);
	answer("a stat that does not", syscall(SYS_stat64, "text", edge - 95));
	yes("a read that just fits", read(text_fd, edge - 10, 10) == 10);
}

/* A huge length must not wrap around into good memory. */
static void try_lengths(void)
{
	ssize_t n = write(fds[1], (void *)0xfffff800UL, 0x1000);

	yes("an area that wraps around", n == -1 && errno == EFAULT);
	n = read(text_fd, (void *)(WINDOW - 100), 0x7fffffff);
	yes("most of memory", n == -1 && errno == EFAULT);
}

/* The handler's frame cannot be written: the process dies, the kernel does not. */
static void handler(int sig)
{
	(void)sig;
}

static int bad_stack(void)
{
	signal(SIGUSR1, handler);
	__asm__ volatile("movl %%esp, %%esi\n\t"
			 "movl %0, %%esp\n\t"
			 "int $0x80\n\t"
			 "movl %%esi, %%esp"
			 :
			 : "i"(KERNEL), "a"(SYS_kill), "b"(getpid()), "c"(SIGUSR1)
			 : "esi", "memory");
	return 0;
}

/* sigreturn() from a stack that holds nonsense. */
static int nonsense_return(void)
{
	__asm__ volatile("movl %0, %%esp\n\tint $0x80" : : "i"(KERNEL), "a"(SYS_sigreturn));
	return 0;
}

int main(int argc, char **argv)
{
	char *pages;

	go_to_scratch("efault");
	file_fd = open("written", O_RDWR | O_CREAT, 0644);
	go_to_data(argc, argv);
	text_fd = open("text", O_RDONLY);
	dir_fd = open("dir", O_RDONLY);
	pipe(fds);
	write(fds[1], "some bytes to be read", 21);
	pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(pages + PAGE, PAGE);
	munmap(pages + 3 * PAGE, PAGE);
	bad[2].address = (unsigned long)pages + PAGE;
	bad[READ_ONLY].address = (unsigned long)main & ~3UL;
	bad[HALF_MAPPED].address = (unsigned long)pages + PAGE - 2;

	try_all();
	try_some();
	try_wait();
	try_partial(pages + PAGE);
	try_lengths();
	answer("written", lseek(file_fd, 0, SEEK_END));
	answer("made", access("new", F_OK));
	answer("over the edge into a file", write(file_fd, pages + PAGE - 10, 100) <= 10);
	report_child("a signal with a bad stack", bad_stack);
	report_child("a return from nonsense", nonsense_return);
	leave_scratch();
	return 0;
}
