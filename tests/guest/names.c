/*
 * names.c - making, linking, moving and removing names; files that are open and have none.
 */

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "guest.h"

#define NOREPLACE 1
#define EMPTY_DIR AT_REMOVEDIR

static char long_name[300];

static void make(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		answer(name, -1);
	close(fd);
}

/* What a name leads to. */
static void about(const char *name)
{
	char text[40] = "";
	struct stat st;
	ssize_t n = -1;

	if (lstat(name, &st) < 0) {
		answer(name, -1);
		return;
	}
	if (S_ISLNK(st.st_mode))
		n = readlink(name, text, sizeof(text) - 1);
	else if (S_ISREG(st.st_mode))
		n = read(open(name, O_RDONLY), text, sizeof(text) - 1);
	printf("%s: %o", name, (unsigned)st.st_mode);
	if (n >= 0)
		printf(" [%.*s]", (int)n, text);
	if (!S_ISDIR(st.st_mode))
		printf(" %u", (unsigned)st.st_nlink);
	printf("\n");
}

static int count(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void test_directories(void)
{
	answer("mkdir", mkdir("dir", 0755));
	about("dir");
	answer("again", mkdir("dir", 0755));
	answer("with a slash behind", mkdir("other/", 0700));
	about("other");
	answer("in no directory", mkdir("no/dir", 0755));
	answer("below a file", (make("file", "f"), mkdir("file/dir", 0755)));
	answer("what is a file", mkdir("file", 0755));
	answer(".", mkdir(".", 0755));
	answer("/", mkdir("/", 0755));
	answer("no name", mkdir("", 0755));
	answer("a name too long", mkdir(long_name, 0755));
	answer("it is empty", count("dir"));
	answer("inside", mkdir("dir/in", 0755));
	answer("no more", count("dir"));
	answer("rmdir what is not empty", rmdir("dir"));
	answer("rmdir a file", rmdir("file"));
	answer("rmdir nothing", rmdir("nosuch"));
	answer("rmdir .", rmdir("dir/."));
	answer("rmdir ..", rmdir("dir/in/.."));
	answer("rmdir /", rmdir("/"));
	answer("unlink a directory", unlink("dir"));
	answer("rmdir", rmdir("dir/in"));
	answer("rmdir, slash behind", rmdir("other/"));
	answer("rmdir", rmdir("dir"));
	about("dir");
	unlink("file");
}

static void test_links(void)
{
	char deep[200] = "x";

	make("a", "text");
	answer("link", link("a", "b"));
	about("b");
	answer("again", link("a", "b"));
	answer("of nothing", link("nosuch", "c"));
	answer("into no directory", link("a", "no/c"));
	answer("of a directory", (mkdir("dir", 0755), link("dir", "c")));
	answer("symlink", symlink("a", "s"));
	about("s");
	answer("again", symlink("a", "s"));
	answer("to nowhere", symlink("nowhere at all", "dangling"));
	answer("open it", open("dangling", O_RDONLY));
	answer("without text", symlink("", "t"));
	answer("without name", symlink("a", ""));
	answer("link to the link itself", link("s", "s2"));
	about("s2");
	answer("linkat, followed", linkat(AT_FDCWD, "s", AT_FDCWD, "s3", AT_SYMLINK_FOLLOW));
	about("s3");
	answer("linkat, strange flags", linkat(AT_FDCWD, "s", AT_FDCWD, "s4", 1));
	answer("link with a slash behind", link("a", "s5/"));
	while (strlen(deep) < 180)
		strcat(deep, "/y");
	answer("a long symlink", symlink(deep, "longer"));
	answer("its length", readlink("longer", long_name, 299));
	memset(long_name, 'n', 299);
	yes("make through a dangling link", open("dangling", O_WRONLY | O_CREAT, 0644) >= 0);
	about("nowhere at all");
	answer("but not if new only", open("dangling", O_WRONLY | O_CREAT | O_EXCL, 0644));
	answer("nor not followed", open("s", O_WRONLY | O_CREAT | O_NOFOLLOW, 0644));
	answer("unlink", unlink("a"));
	about("b");
	answer("unlink it again", unlink("a"));
	answer("unlink with a slash behind", unlink("b/"));
	answer("unlink .", unlink("."));
	answer("unlink nothing", unlink(""));
	answer("a name too long", unlink(long_name));
	answer("unlink a link", unlink("s"));
	for (const char **p = (const char *[]){ "b", "s2", "s3", "dangling", "longer",
						"nowhere at all", NULL };
	     *p; p++)
		unlink(*p);
	rmdir("dir");
	answer("left", count("."));
}

static void test_rename(void)
{
	make("a", "a");
	make("b", "b");
	answer("rename", rename("a", "c"));
	about("a");
	about("c");
	answer("over another", rename("c", "b"));
	about("b");
	answer("to itself", rename("b", "b"));
	link("b", "b2");
	answer("to another name of the same", rename("b", "b2"));
	about("b");
	unlink("b2");
	answer("nothing", rename("nosuch", "x"));
	answer("into nowhere", rename("b", "no/x"));
	mkdir("d", 0755);
	mkdir("e", 0755);
	answer("a file over a directory", rename("b", "d"));
	answer("a directory over a file", rename("d", "b"));
	answer("into a directory", rename("b", "d/b"));
	answer("a directory over one that is not empty", rename("e", "d"));
	answer("over an empty one", rename("d", "e"));
	about("d");
	about("e/b");
	answer("into itself", rename("e", "e/x"));
	mkdir("e/f", 0755);
	answer("deeper into itself", rename("e", "e/f/x"));
	answer("to its own parent's name", rename("e/f", "e"));
	answer(".", rename(".", "x"));
	answer("..", rename("e/..", "x"));
	answer("to .", rename("e", "."));
	answer("a file to a name with a slash", rename("e/b", "b/"));
	answer("a directory to one", rename("e/f", "g/"));
	answer("a file with a slash", rename("e/b/", "b"));
	make("b", "new b");
	answer("renameat2, not over",
	       syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "g", NOREPLACE));
	answer("to a new name", syscall(SYS_renameat2, AT_FDCWD, "b", AT_FDCWD, "h", NOREPLACE));
	answer("strange flags", syscall(SYS_renameat2, AT_FDCWD, "h", AT_FDCWD, "i", 0x4000));
	symlink("h", "s");
	answer("a link, not what it leads to", rename("s", "t"));
	about("t");
	about("h");
	answer("a directory elsewhere", rename("e", "g/e"));
	answer("its .. follows", count("g/e/../..") - count("."));
	about("g/e/b");
	answer("a name too long", rename("h", long_name));
}

static void test_at(void)
{
	int dir = open("g", O_RDONLY), file = open("h", O_RDONLY);

	answer("mkdirat", mkdirat(dir, "m", 0755));
	answer("openat", openat(dir, "n", O_WRONLY | O_CREAT, 0644) < 0);
	answer("below a file", openat(file, "n", O_WRONLY | O_CREAT, 0644));
	answer("below nothing", mkdirat(77, "n", 0755));
	answer("linkat", linkat(dir, "n", AT_FDCWD, "linked", 0));
	answer("symlinkat", symlinkat("n", dir, "sym"));
	answer("renameat", renameat(dir, "n", dir, "nn"));
	about("g/nn");
	about("g/sym");
	answer("unlinkat a directory", unlinkat(dir, "m", 0));
	answer("unlinkat a file as one", unlinkat(dir, "nn", EMPTY_DIR));
	answer("strange flags", unlinkat(dir, "nn", 1));
	answer("unlinkat", unlinkat(dir, "nn", 0));
	answer("unlinkat the directory", unlinkat(dir, "m", EMPTY_DIR));
	answer("mknodat", syscall(SYS_mknodat, dir, "fifo", S_IFIFO | 0640, 0));
	about("g/fifo");
	answer("mknod, a file", mknod("g/plain", 0600, 0));
	about("g/plain");
	answer("mknod again", mknod("g/plain", S_IFREG | 0600, 0));
	answer("mknod, a directory", mknod("g/nodir", S_IFDIR | 0700, 0));
	answer("mknod, another type", mknod("g/notype", 0170000, 0));
	close(dir);
	close(file);
}

/* A file without name lives as long as it is open. */
static void test_nameless(void)
{
	int fd = open("gone", O_RDWR | O_CREAT, 0644);
	char buf[100] = "", path[100];
	struct stat st;

	write(fd, "still here", 10);
	answer("unlink what is open", unlink("gone"));
	about("gone");
	fstat(fd, &st);
	answer("its names", st.st_nlink);
	answer("write on", write(fd, ", and more", 10));
	answer("read", pread(fd, buf, 99, 0));
	printf("[%s]\n", buf);
	answer("cut", ftruncate(fd, 5));
	answer("chmod", fchmod(fd, 0600));
	make("gone", "another");
	answer("read", pread(fd, buf, 99, 0));
	close(fd);
	about("gone");
	unlink("gone");

	make("target", "old");
	fd = open("target", O_RDONLY);
	make("source", "new");
	answer("rename over what is open", rename("source", "target"));
	memset(buf, 0, sizeof(buf));
	answer("read the old", read(fd, buf, 99));
	printf("[%s]\n", buf);
	about("target");
	close(fd);
	unlink("target");

	mkdir("here", 0755);
	chdir("here");
	answer("remove where one is", rmdir("../here"));
	answer("make there", open("x", O_WRONLY | O_CREAT, 0644));
	answer("mkdir there", mkdir("x", 0755));
	answer("list it", syscall(SYS_getdents64, open(".", O_RDONLY), buf, sizeof(buf)));
	answer("where is that", getcwd(path, sizeof(path)) ? 0 : -1);
	answer("up", chdir(".."));
	about("here");
}

/* A directory grows, shrinks, and forgets nothing. */
static void test_many(void)
{
	char name[40], other[40];
	int bad = 0;

	mkdir("many", 0755);
	for (int i = 0; i < 150; i++) {
		snprintf(name, sizeof(name), "many/name-%03d-%.*s", i, i % 20,
			 "abcdefghijklmnopqrst");
		bad += mknod(name, 0644, 0) != 0;
	}
	answer("not made", bad);
	answer("there", count("many"));
	for (int i = 0; i < 150; i += 2) {
		snprintf(name, sizeof(name), "many/name-%03d-%.*s", i, i % 20,
			 "abcdefghijklmnopqrst");
		snprintf(other, sizeof(other), "many/%d", i);
		bad += i % 4 ? rename(name, other) : unlink(name);
	}
	answer("not moved", bad);
	answer("there", count("many"));
	answer("not empty", rmdir("many"));
	remove_tree("many");
	about("many");
}

int main(void)
{
	memset(long_name, 'n', 299);
	go_to_scratch("names");
	test_directories();
	test_links();
	test_rename();
	test_at();
	test_nameless();
	test_many();
	leave_scratch();
	return 0;
}
