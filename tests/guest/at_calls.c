/*
 * at_calls.c - names below an open directory, and directories read in both forms.
 */

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "guest.h"

#define NR_FCHDIR     133
#define NR_GETDENTS   141
#define NR_FSTATAT64  300
#define NR_READLINKAT 305
#define NR_FACCESSAT  307
#define NO_FOLLOW     0x100
#define EMPTY_PATH    0x1000
#define HERE	      (-100)

static char buf[5000];

static void stat_at(const char *what, int fd, const char *path, int flags)
{
	struct stat st;
	long err = syscall(NR_FSTATAT64, fd, path, &st, flags);

	if (err)
		answer(what, err);
	else
		printf("%s: mode %o\n", what, (unsigned)st.st_mode & 0170000);
}

static void test_names(int dir, int file)
{
	char target[100];
	long n;

	answer("openat", openat(dir, "deep", O_RDONLY) > 0);
	answer("openat of a file", openat(file, "deep", O_RDONLY));
	answer("openat of nothing", openat(77, "deep", O_RDONLY));
	answer("openat, absolute", openat(77, "/", O_RDONLY) > 0);
	stat_at("fstatat", dir, "deep", 0);
	stat_at("fstatat ..", dir, "..", 0);
	stat_at("fstatat of a link", HERE, "link", 0);
	stat_at("fstatat of the link itself", HERE, "link", NO_FOLLOW);
	stat_at("fstatat of a descriptor", file, "", EMPTY_PATH);
	stat_at("fstatat of here", HERE, "", EMPTY_PATH);
	stat_at("fstatat of no path", HERE, "", 0);
	stat_at("fstatat, strange flags", HERE, "text", 0x40000000);
	answer("faccessat", syscall(NR_FACCESSAT, dir, "deep", 4));
	answer("faccessat, strange mode", syscall(NR_FACCESSAT, dir, "deep", 8));
	answer("faccessat, execute", syscall(NR_FACCESSAT, dir, "deep", 1));
	memset(target, '.', sizeof(target));
	n = syscall(NR_READLINKAT, HERE, "link", target, 3);
	printf("readlinkat, cut: %ld %.4s\n", n, target);
	answer("readlinkat, no room", syscall(NR_READLINKAT, HERE, "link", target, 0));
	answer("readlinkat of a file", syscall(NR_READLINKAT, HERE, "text", target, 9));
}

static void test_fchdir(int dir, int file)
{
	answer("fchdir of a file", syscall(NR_FCHDIR, file));
	answer("fchdir of nothing", syscall(NR_FCHDIR, 77));
	answer("fchdir", syscall(NR_FCHDIR, dir));
	answer("deep is here", access("deep", 4));
	answer("and back", chdir(".."));
}

/* A checksum of names and types that does not depend on their order. */
static void count_old(int fd)
{
	unsigned names = 0, sum = 0, types = 0;
	long n;

	while ((n = syscall(NR_GETDENTS, fd, buf, sizeof(buf))) > 0) {
		for (char *p = buf; p < buf + n; p += *(unsigned short *)(p + 8)) {
			names++;
			types += p[*(unsigned short *)(p + 8) - 1];
			for (char *c = p + 10; *c; c++)
				sum += *c;
		}
	}
	printf("getdents: %u names, sum %u, types %u, end %ld\n", names, sum, types, n);
}

static void count_new(int fd)
{
	unsigned names = 0, sum = 0, types = 0;
	long n;

	while ((n = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0) {
		for (char *p = buf; p < buf + n; p += *(unsigned short *)(p + 16)) {
			names++;
			types += p[18];
			for (char *c = p + 19; *c; c++)
				sum += *c;
		}
	}
	printf("getdents64: %u names, sum %u, types %u, end %ld\n", names, sum, types, n);
}

static void test_directories(int file)
{
	int fd = open("dir", O_RDONLY | O_DIRECTORY);

	count_old(fd);
	answer("at its end", syscall(NR_GETDENTS, fd, buf, sizeof(buf)));
	answer("from the start", lseek(fd, 0, SEEK_SET));
	count_new(fd);
	lseek(fd, 0, SEEK_SET);
	answer("no room for a name", syscall(SYS_getdents64, fd, buf, 20));
	answer("of a file", syscall(SYS_getdents64, file, buf, sizeof(buf)));
	answer("read it", read(fd, buf, 10));
	answer("write to it", open("dir", O_RDWR));
	answer("a file as a directory", open("text", O_DIRECTORY));
	answer("a link, not followed", open("link", O_NOFOLLOW));
}

int main(int argc, char **argv)
{
	int dir, file;

	go_to_data(argc, argv);
	dir = open("sub", O_RDONLY);
	file = open("text", O_RDONLY);
	test_names(dir, file);
	test_fchdir(dir, file);
	test_directories(file);
	return 0;
}
