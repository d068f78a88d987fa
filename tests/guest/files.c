/*
 * files.c - opening, reading, seeking, asking about files; directories; links.
 *
 * The files are those mkdata.sh makes.
 */

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "guest.h"

static unsigned checksum(int fd, int piece, long long *total)
{
	static unsigned char buf[5000];
	unsigned s = 0;
	int n;

	*total = 0;
	while ((n = read(fd, buf, piece)) > 0) {
		for (int i = 0; i < n; i++)
			s = (s << 1 | s >> 31) + buf[i];
		*total += n;
	}
	return s;
}

static void test_reading(void)
{
	static const int sizes[] = { 1, 7, 512, 1000, 1024, 4096, 5000 };
	int fd = open("text", O_RDONLY);
	long long total;
	char buf[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		unsigned s;

		lseek(fd, 0, SEEK_SET);
		s = checksum(fd, sizes[i], &total);
		printf("read %d at a time: %lld bytes, checksum %08x\n", sizes[i], total, s);
	}
	answer("read at the end", read(fd, buf, 10));
	answer("seek to 100", lseek(fd, 100, SEEK_SET));
	answer("20 on", lseek(fd, 20, SEEK_CUR));
	answer("read there", read(fd, buf, 12));
	printf("[%.12s]\n", buf);
	answer("where now", lseek(fd, 0, SEEK_CUR));
	answer("10 before the end", lseek(fd, -10, SEEK_END));
	answer("read there", read(fd, buf, sizeof(buf)));
	answer("far beyond the end", lseek(fd, 100000, SEEK_END));
	answer("read there", read(fd, buf, 1));
	answer("before the beginning", lseek(fd, -1, SEEK_SET));
	answer("seek in an unknown way", lseek(fd, 0, 9));
	answer("the old lseek", syscall(SYS_lseek, fd, 50, SEEK_SET));
	answer("write", write(fd, "x", 1));
	answer("close", close(fd));
	answer("close again", close(fd));
	answer("read when closed", read(fd, buf, 1));
}

static void test_holes(void)
{
	static const long long places[] = { 0, 19990, 999995, 69999990, 500000, 70000000 };
	int fd = open("sparse", O_RDONLY);
	long long total;
	char buf[16];

	answer("size of sparse", lseek(fd, 0, SEEK_END));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int n;

		lseek(fd, places[i], SEEK_SET);
		n = read(fd, buf, sizeof(buf));
		for (int j = 0; j < n; j++)
			buf[j] = buf[j] ? buf[j] : '.';
		printf("at %lld: %d bytes [%.*s]\n", places[i], n, n, buf);
	}
	lseek(fd, 69000000, SEEK_SET);
	printf("the last megabyte: checksum %08x", checksum(fd, 4096, &total));
	printf(" of %lld bytes\n", total);
	close(fd);
}

static void about(const char *name)
{
	struct stat st, lst, fst;
	int fd = open(name, O_RDONLY), s = stat(name, &st), l = lstat(name, &lst);

	printf("%s:", name);
	if (s == 0)
		printf(" stat %o %lld links %u", st.st_mode & S_IFMT,
		       S_ISDIR(st.st_mode) ? 0LL : (long long)st.st_size,
		       S_ISDIR(st.st_mode) ? 0 : (unsigned)st.st_nlink);
	else
		printf(" stat %s", strerror(errno));
	if (l == 0)
		printf(", lstat %o %lld", lst.st_mode & S_IFMT,
		       S_ISDIR(lst.st_mode) ? 0LL : (long long)lst.st_size);
	if (fd >= 0 && s == 0)
		printf(", fstat the same: %s",
		       fstat(fd, &fst) == 0 && fst.st_ino == st.st_ino && fst.st_size == st.st_size
			       ? "yes"
			       : "NO");
	printf("\n");
	close(fd);
}

static void test_links(void)
{
	char buf[128];
	ssize_t n;

	n = readlink("link", buf, sizeof(buf));
	printf("link -> %.*s\n", (int)n, buf);
	n = readlink("longlink", buf, sizeof(buf));
	printf("longlink -> %.*s\n", (int)n, buf);
	answer("readlink into 5 bytes", readlink("longlink", buf, 5));
	answer("readlink of a file", readlink("text", buf, sizeof(buf)));
	answer("open a loop", open("loop", O_RDONLY));
	answer("open a link that must not be followed", open("link", O_RDONLY | O_NOFOLLOW));
}

static void test_names(void)
{
	static char endless[5000];
	int fd;

	answer("no such file", open("nosuch", O_RDONLY));
	answer("no such directory", open("nosuch/text", O_RDONLY));
	answer("a file as a directory", open("text/x", O_RDONLY));
	answer("a file with a slash behind", open("text/", O_RDONLY));
	answer("a file as O_DIRECTORY", open("text", O_RDONLY | O_DIRECTORY));
	answer("no name", open("", O_RDONLY));
	answer("a directory for writing", open("sub", O_WRONLY));
	yes("dots and slashes", (fd = open(".//sub/.././sub//deep", O_RDONLY)) >= 0);
	close(fd);
	memset(endless, 'x', sizeof(endless) - 1);
	answer("a path too long", open(endless, O_RDONLY));
	endless[300] = 0;
	answer("a name too long", open(endless, O_RDONLY));
	answer("access", access("text", R_OK));
	answer("access nosuch", access("nosuch", F_OK));
	fd = open("sub", O_RDONLY | O_DIRECTORY);
	yes("openat", (fd = openat(fd, "deep", O_RDONLY)) >= 0);
	answer("openat from a file", openat(fd, "deep", O_RDONLY));
	answer("openat from nowhere", openat(99, "deep", O_RDONLY));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void test_directory(void)
{
	static char names[400][32];
	int count = 0, kinds = 1, fd;
	struct dirent *d;
	DIR *dir = opendir("dir");
	char buf[4096];

	while (count < 400 && (d = readdir(dir))) {
		snprintf(names[count++], sizeof(names[0]), "%.31s", d->d_name);
		kinds &= d->d_type == (d->d_name[0] == '.' ? DT_DIR : DT_REG);
	}
	closedir(dir);
	qsort(names, count, sizeof(names[0]), by_name);
	printf("dir has %d entries, %s %s %s to %s\n", count, names[0], names[1], names[2],
	       names[count - 1]);
	yes("their kinds are right", kinds);
	for (int i = 3; i < count; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			printf("%s is there twice\n", names[i]);

	fd = open("dir", O_RDONLY);
	answer("read a directory", read(fd, buf, sizeof(buf)));
	answer("no room for one entry", syscall(SYS_getdents64, fd, buf, 10));
	yes("first entries", syscall(SYS_getdents64, fd, buf, sizeof(buf)) > 0);
	lseek(fd, 0, SEEK_SET);
	count = 0;
	for (long n; (n = syscall(SYS_getdents64, fd, buf, 100)) > 0;)
		for (char *p = buf; p < buf + n; p += ((struct dirent *)p)->d_reclen)
			count++;
	printf("in small pieces: %d\n", count);
	close(fd);
	fd = open("text", O_RDONLY);
	answer("entries of a file", syscall(SYS_getdents64, fd, buf, sizeof(buf)));
	close(fd);
}

int main(int argc, char **argv)
{
	go_to_data(argc, argv);
	test_reading();
	test_holes();
	about("text");
	about("empty");
	about("link");
	about("longlink");
	about("loop");
	about("sub");
	about("sub/deep");
	about("nosuch");
	about("/dev/null");
	test_links();
	test_names();
	test_directory();
	return 0;
}
