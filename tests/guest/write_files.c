/*
 * write_files.c - making files, writing, appending, holes, cutting and extending them.
 */

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "guest.h"

#define LONG 300000 /* more than the kernel writes in one breath */

static unsigned char big[LONG], again[LONG];

static long size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? -1 : (long)st.st_size;
}

/* What the file holds: its size and a checksum. */
static void show(const char *what, const char *name)
{
	int fd = open(name, O_RDONLY);
	unsigned s = 0;
	long total = 0;
	int n;

	if (fd < 0) {
		answer(what, -1);
		return;
	}
	while ((n = read(fd, again, 5000)) > 0) {
		for (int i = 0; i < n; i++)
			s = (s << 1 | s >> 31) + again[i];
		total += n;
	}
	printf("%s: %ld bytes, fstat %ld, checksum %08x, end %d\n", what, total, size_of(fd), s, n);
	close(fd);
}

/* The same, as text, NUL as a dot. */
static void show_text(const char *what, const char *name)
{
	int fd = open(name, O_RDONLY), n = read(fd, again, 70);

	for (int i = 0; i < n; i++)
		again[i] = again[i] ? again[i] : '.';
	printf("%s: [%.*s]\n", what, n, again);
	close(fd);
}

static void test_making(void)
{
	char buf[8];
	int fd = open("new", O_WRONLY | O_CREAT, 0644);

	yes("made", fd >= 0);
	answer("write", write(fd, "hello", 5));
	answer("read what is open for writing", read(fd, buf, 5));
	answer("where now", lseek(fd, 0, SEEK_CUR));
	answer("end", lseek(fd, 0, SEEK_END));
	answer("write nothing", write(fd, "x", 0));
	close(fd);
	show_text("new", "new");
	answer("make it again, only if new", open("new", O_WRONLY | O_CREAT | O_EXCL, 0644));
	yes("make it again", (fd = open("new", O_RDWR | O_CREAT, 0600)) >= 0);
	answer("its size", size_of(fd));
	answer("write over its middle", pwrite(fd, "EL", 2, 1));
	answer("the offset stays", lseek(fd, 0, SEEK_CUR));
	answer("read", read(fd, buf, sizeof(buf)));
	close(fd);
	show_text("new", "new");
	yes("cut at open", (fd = open("new", O_WRONLY | O_TRUNC)) >= 0);
	answer("its size", size_of(fd));
	close(fd);
	yes("creat", (fd = creat("created", 0644)) >= 0);
	answer("write to it", write(fd, "abc", 3));
	close(fd);
	yes("creat again", (fd = creat("created", 0644)) >= 0);
	close(fd);
	show("created", "created");
}

static void test_errors(void)
{
	int fd = open("new", O_RDONLY), fds[2];

	pipe(fds);
	answer("write what is open for reading", write(fd, "x", 1));
	answer("pwrite it", pwrite(fd, "x", 1, 0));
	answer("cut it", ftruncate(fd, 0));
	answer("make in no directory", open("nowhere/x", O_WRONLY | O_CREAT, 0644));
	answer("make below a file", open("new/x", O_WRONLY | O_CREAT, 0644));
	answer("make with a slash behind", open("made/", O_WRONLY | O_CREAT, 0644));
	answer("make what is a directory", open(".", O_RDONLY | O_CREAT, 0644));
	answer("write a directory", open(".", O_WRONLY));
	answer("cut a directory", open(".", O_RDONLY | O_TRUNC));
	answer("truncate a directory", truncate(".", 0));
	answer("truncate nothing", truncate("nosuch", 0));
	answer("truncate to less than nothing", truncate("new", -1));
	answer("the same, open", ftruncate(fd, -1));
	answer("truncate a pipe", ftruncate(fds[1], 0));
	answer("truncate a device", truncate("/dev/null", 0));
	answer("pwrite to a pipe", pwrite(fds[1], "x", 1, 0));
	answer("pread from a pipe", pread(fds[0], again, 1, 0));
	answer("pread from before the start", pread(fd, again, 1, -1));
	answer("pread beyond the end", pread(fd, again, 1, 1000000));
	answer("pread from far beyond it", pread(fd, again, 1, 1LL << 40));
	answer("pread what is closed", pread(77, again, 1, 0));
	answer("fsync a pipe", fsync(fds[1]));
	answer("fsync nothing", fsync(77));
	answer("fsync", fsync(fd));
	answer("fdatasync", fdatasync(fd));
	answer("fsync a directory", fsync(open(".", O_RDONLY)));
	answer("syncfs", syscall(SYS_syncfs, fd));
	answer("syncfs nothing", syscall(SYS_syncfs, 77));
	sync();
	for (int i = 3; i < 20; i++)
		close(i);
}

static void test_appending(void)
{
	int a = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644),
	    b = open("log", O_RDWR | O_APPEND);
	char buf[8] = "";

	answer("append", write(a, "one ", 4));
	answer("append by another", write(b, "two ", 4));
	answer("and again", write(a, "three", 5));
	answer("its offset", lseek(a, 0, SEEK_CUR));
	answer("the other's", lseek(b, 0, SEEK_CUR));
	answer("go back", lseek(b, 4, SEEK_SET));
	answer("read there", read(b, buf, 3));
	printf("[%s]\n", buf);
	answer("append all the same", write(b, "!", 1));
	answer("flags", fcntl(b, F_GETFL) & (O_APPEND | O_ACCMODE));
	fcntl(b, F_SETFL, 0);
	lseek(b, 0, SEEK_SET);
	answer("no more", write(b, "ONE", 3));
	close(a);
	close(b);
	show_text("log", "log");
}

/* Data on both sides of where indirect blocks begin, for blocks of 1, 2 and 4 KB. */
static void test_sparse(void)
{
	static const long places[] = { 0,	  11 << 10,   12 << 10,	  24 << 10,   48 << 10,
				       268 << 10, 1048 << 10, 4144 << 10, 65804 << 10 };
	int fd = open("sparse", O_RDWR | O_CREAT, 0644);
	char buf[32];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		lseek(fd, places[i] ? places[i] - 3 : 0, SEEK_SET);
		if (write(fd, "border", 6) != 6)
			answer("write at a border", -1);
	}
	answer("size", size_of(fd));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		long n = pread(fd, buf, 20, places[i] ? places[i] - 8 : 0);

		for (int j = 0; j < n; j++)
			buf[j] = buf[j] ? buf[j] : '.';
		printf("at %ld: %ld [%.*s]\n", places[i], n, (int)n, buf);
	}
	answer("cut to 4 MB", ftruncate(fd, 4 << 20));
	answer("cut to 13000", ftruncate(fd, 13000));
	answer("extend to 20000", ftruncate(fd, 20000));
	show("sparse", "sparse");
	answer("cut to 12289", truncate("sparse", 12289));
	answer("extend again", truncate("sparse", 12300));
	pread(fd, buf, 14, 12286);
	for (int j = 0; j < 14; j++)
		buf[j] = buf[j] ? buf[j] : '.';
	printf("what was cut is gone: [%.14s]\n", buf);
	answer("write far behind", pwrite(fd, "x", 1, 13000));
	close(fd);
	show("sparse", "sparse");
	answer("cut to nothing", truncate("sparse", 0));
	show("sparse", "sparse");
}

static void test_long(void)
{
	struct iovec v[3] = { { big, 100 }, { big + 100, 0 }, { big + 100, 2000 } };
	int fd = open("long", O_RDWR | O_CREAT | O_TRUNC, 0644);

	for (int i = 0; i < LONG; i++)
		big[i] = i * 7 + i / 251;
	answer("a long write", write(fd, big, LONG));
	answer("and its like, read", pread(fd, again, LONG, 0));
	yes("the same", !memcmp(big, again, LONG));
	lseek(fd, 5000, SEEK_SET);
	answer("pieces", writev(fd, v, 3));
	answer("where now", lseek(fd, 0, SEEK_CUR));
	memmove(big + 5000, big, 2100);
	answer("read", pread(fd, again, LONG, 0));
	yes("in their place, and the rest as it was", !memcmp(big, again, LONG));
	close(fd);
	/* In pieces that fit no block, and back in others. */
	fd = open("long", O_RDWR | O_TRUNC);
	for (long at = 0, n; at < 50000; at += n)
		n = write(fd, big + at, at % 1023 + 1);
	lseek(fd, 0, SEEK_SET);
	yes("written in odd pieces", read(fd, again, LONG) >= 50000 && !memcmp(big, again, 50000));
	close(fd);
	unlink("long");
}

/* Who forks shares the offset, who opens has one of his own. */
static int shared = -1;

static int writes_three(void)
{
	return write(shared, "own", 3) - 3;
}

static void test_sharing(void)
{
	shared = open("shared", O_WRONLY | O_CREAT, 0644);
	write(shared, "pa", 2);
	report_child("a child writes", writes_three);
	write(shared, "rent", 4);
	close(shared);
	show_text("shared", "shared");
}

static void test_streams(void)
{
	FILE *f = fopen("stream", "w+");
	char line[40] = "";

	fprintf(f, "one %d\ntwo\n", 1);
	answer("tell", ftell(f));
	rewind(f);
	yes("read it back", fgets(line, sizeof(line), f) && !strcmp(line, "one 1\n"));
	answer("tell", ftell(f));
	fseek(f, 0, SEEK_CUR);
	fputs("TWO", f);
	fclose(f);
	show_text("stream", "stream");
	f = fopen("stream", "a");
	fputs("three", f);
	answer("closed", fclose(f));
	f = fopen("stream", "r+");
	fseek(f, -5, SEEK_END);
	fputs("THREE", f);
	fclose(f);
	show_text("stream", "stream");
	yes("r+ makes none", !fopen("nosuch", "r+"));
	f = fopen("stream", "w");
	fclose(f);
	show("w makes it anew", "stream");
	strcpy(line, "tempXXXXXX");
	yes("mkstemp", mkstemp(line) >= 0 && strcmp(line, "tempXXXXXX") && access(line, W_OK) == 0);
	answer("remove", remove(line));
	answer("remove nothing", remove(line));
}

int main(void)
{
	go_to_scratch("write");
	test_making();
	test_errors();
	test_appending();
	test_sparse();
	test_long();
	test_sharing();
	test_streams();
	leave_scratch();
	return 0;
}
