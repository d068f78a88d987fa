/*
 * attributes.c - rights, owners and times, and which of a file's times what changes.
 */

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <utime.h>

#include "guest.h"

#define LONG_AGO 1000
#define NOW_NS	 0x3fffffff
#define OMIT_NS	 0x3ffffffe

static time_t start;

static struct stat about(const char *name)
{
	struct stat st;

	memset(&st, 0, sizeof(st));
	if (lstat(name, &st) < 0)
		answer(name, -1);
	return st;
}

static void mode(const char *what, const char *name)
{
	printf("%s: %o\n", what, (unsigned)about(name).st_mode);
}

static void test_rights(void)
{
	int fd;

	umask(027);
	close(open("file", O_WRONLY | O_CREAT, 0666));
	mode("made with a mask", "file");
	mkdir("dir", 0777);
	mode("a directory", "dir");
	mknod("node", S_IFIFO | 0666, 0);
	mode("a pipe", "node");
	answer("old mask", umask(0));
	close(open("open", O_WRONLY | O_CREAT, 07777));
	mode("without mask, with all", "open");
	fd = open("only-read", O_RDWR | O_CREAT, 0400);
	answer("may write to it all the same", write(fd, "x", 1));
	close(fd);
	answer("chmod", chmod("file", 0751));
	mode("file", "file");
	answer("with more bits than there are", chmod("file", 0127644));
	mode("file", "file");
	fd = open("file", O_RDONLY);
	answer("fchmod", fchmod(fd, 04755));
	mode("file", "file");
	answer("fchmod nothing", fchmod(77, 0));
	answer("chmod nothing", chmod("nosuch", 0));
	answer("chmod by a link", (symlink("file", "link"), chmod("link", 0600)));
	mode("file", "file");
	mode("link", "link");
	answer("fchmodat", syscall(SYS_fchmodat, AT_FDCWD, "dir", 01700));
	mode("dir", "dir");
	close(fd);
	umask(022);
	answer("access, write", access("file", W_OK));
	answer("access, execute", access("file", X_OK));
}

static void test_owners(void)
{
	struct stat st = about("file");
	int fd = open("file", O_RDONLY);

	answer("chown to the same", chown("file", st.st_uid, st.st_gid));
	answer("to nothing else", chown("file", -1, -1));
	answer("lchown", lchown("link", -1, st.st_gid));
	answer("fchown", fchown(fd, st.st_uid, -1));
	answer("fchown nothing", fchown(77, 0, 0));
	answer("chown nothing", chown("nosuch", 0, 0));
	answer("fchownat",
	       syscall(SYS_fchownat, AT_FDCWD, "link", st.st_uid, -1, AT_SYMLINK_NOFOLLOW));
	answer("fchownat, strange flags", syscall(SYS_fchownat, AT_FDCWD, "link", -1, -1, 1));
	chmod("file", 06755);
	chown("file", st.st_uid, -1);
	mode("special rights after a chown", "file");
	yes("still the same owner",
	    about("file").st_uid == st.st_uid && about("file").st_gid == st.st_gid);
	close(fd);
}

static void show_times(const char *what, const char *name)
{
	struct stat st = about(name);
	time_t times[] = { st.st_atime, st.st_mtime };

	printf("%s:", what);
	for (int i = 0; i < 2; i++) {
		if (times[i] >= start)
			printf(" now");
		else
			printf(" %ld", (long)times[i]);
	}
	printf("\n");
}

static void test_set_times(void)
{
	struct utimbuf t = { LONG_AGO, 2 * LONG_AGO };
	struct timespec ts[2] = { { 3000, 0 }, { 4000, 0 } };
	long tv[4] = { 5000, 0, 6000, 0 };
	int fd = open("file", O_RDONLY);

	answer("utime", utime("file", &t));
	show_times("file", "file");
	answer("utime to now", utime("file", NULL));
	show_times("file", "file");
	answer("utimensat", utimensat(AT_FDCWD, "file", ts, 0));
	show_times("file", "file");
	ts[0].tv_nsec = OMIT_NS;
	ts[1].tv_sec = 4001;
	answer("all but one", utimensat(AT_FDCWD, "file", ts, 0));
	show_times("file", "file");
	ts[0].tv_nsec = NOW_NS;
	ts[1].tv_nsec = OMIT_NS;
	answer("now and not", futimens(fd, ts));
	show_times("file", "file");
	ts[0].tv_nsec = OMIT_NS;
	answer("neither", utimensat(AT_FDCWD, "file", ts, 0));
	ts[0].tv_nsec = 1000000000;
	answer("a second too much", utimensat(AT_FDCWD, "file", ts, 0));
	answer("utimes", syscall(SYS_utimes, "file", tv));
	show_times("file", "file");
	answer("futimesat", syscall(SYS_futimesat, AT_FDCWD, "dir", tv));
	show_times("dir", "dir");
	tv[1] = 1000000;
	answer("a microsecond too much", syscall(SYS_utimes, "file", tv));
	utime("link", &t);
	show_times("by the link", "file");
	ts[0].tv_sec = ts[1].tv_sec = 7000;
	ts[0].tv_nsec = ts[1].tv_nsec = 0;
	answer("the link itself", utimensat(AT_FDCWD, "link", ts, AT_SYMLINK_NOFOLLOW));
	show_times("the file", "file");
	show_times("the link", "link");
	answer("utime nothing", utime("nosuch", &t));
	answer("strange flags", utimensat(AT_FDCWD, "file", ts, 1));
	close(fd);
}

/*
 * What changes which time.  Each gets a file of its own, last read in the future (so that the host,
 * which notes a read only after a write, has none to note) and written long ago; a second later it
 * is done, and looked at.
 */

static int fds[20];

static void do_read(int i)
{
	char c;

	read(fds[i], &c, 1);
}

static void do_write(int i)
{
	write(fds[i], "y", 1);
}

static void do_nothing_written(int i)
{
	write(fds[i], "", 0);
}

static void do_cut(int i)
{
	ftruncate(fds[i], 0);
}

static void do_extend(int i)
{
	ftruncate(fds[i], 5000);
}

static void do_chmod(int i)
{
	fchmod(fds[i], 0600);
}

static void do_open_cut(int i)
{
	char name[8];

	snprintf(name, sizeof(name), "t%d", i);
	close(open(name, O_WRONLY | O_TRUNC));
}

static void do_link(int i)
{
	char name[8];

	snprintf(name, sizeof(name), "t%d", i);
	link(name, "linked");
}

static void do_rename(int i)
{
	char name[8];

	snprintf(name, sizeof(name), "t%d", i);
	rename(name, "renamed");
}

static void do_unlink_one(int i)
{
	char name[8];

	snprintf(name, sizeof(name), "u%d", i);
	unlink(name);
}

static void do_seek(int i)
{
	lseek(fds[i], 100, SEEK_SET);
}

static void do_open(int i)
{
	char name[8];

	snprintf(name, sizeof(name), "t%d", i);
	close(open(name, O_RDWR | O_CREAT, 0600));
}

static const struct {
	const char *name;
	void (*act)(int i);
} acts[] = {
	{ "read", do_read },
	{ "write", do_write },
	{ "write nothing", do_nothing_written },
	{ "cut", do_cut },
	{ "extend", do_extend },
	{ "chmod", do_chmod },
	{ "open to cut", do_open_cut },
	{ "link", do_link },
	{ "rename", do_rename },
	{ "unlink", do_unlink_one },
	{ "seek", do_seek },
	{ "open", do_open },
};

#define ACTS ((int)(sizeof(acts) / sizeof(acts[0])))

static const char *const dir_acts[] = { "make", "mkdir", "link", "unlink", "rename in", "write" };

#define DIR_ACTS ((int)(sizeof(dir_acts) / sizeof(dir_acts[0])))

static void in_directory(int i)
{
	char name[20], other[20];

	snprintf(name, sizeof(name), "d%d/new", i);
	snprintf(other, sizeof(other), "d%d/file", i);
	if (i == 0)
		close(open(name, O_WRONLY | O_CREAT, 0600));
	else if (i == 1)
		mkdir(name, 0700);
	else if (i == 2)
		link("file", name);
	else if (i == 3)
		unlink(other);
	else if (i == 4)
		rename(other, name);
	else
		close(open(other, O_WRONLY | O_TRUNC));
}

static void say(const char *what, const struct stat *before, const struct stat *after)
{
	printf("%s:%s%s%s\n", what, before->st_atime != after->st_atime ? " atime" : "",
	       before->st_mtime != after->st_mtime ? " mtime" : "",
	       before->st_ctime != after->st_ctime ? " ctime" : "");
}

static void test_changes(void)
{
	struct timespec second = { 1, 200000000 };
	struct stat before[ACTS], dirs[DIR_ACTS], after;
	struct utimbuf t = { start + 100000, LONG_AGO };
	char name[20];

	for (int i = 0; i < ACTS; i++) {
		char other[8];

		snprintf(name, sizeof(name), "t%d", i);
		snprintf(other, sizeof(other), "u%d", i);
		fds[i] = open(name, O_RDWR | O_CREAT, 0644);
		write(fds[i], "some text", 9);
		lseek(fds[i], 0, SEEK_SET);
		link(name, other);
		utime(name, &t);
		fstat(fds[i], &before[i]);
	}
	for (int i = 0; i < DIR_ACTS; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		mkdir(name, 0755);
		strcat(name, "/file");
		close(open(name, O_WRONLY | O_CREAT, 0644));
		snprintf(name, sizeof(name), "d%d", i);
		utime(name, &t);
		dirs[i] = about(name);
	}
	nanosleep(&second, NULL);
	for (int i = 0; i < ACTS; i++) {
		acts[i].act(i);
		fstat(fds[i], &after);
		say(acts[i].name, &before[i], &after);
		close(fds[i]);
	}
	for (int i = 0; i < DIR_ACTS; i++) {
		snprintf(name, sizeof(name), "d%d", i);
		in_directory(i);
		after = about(name);
		printf("directory, ");
		say(dir_acts[i], &dirs[i], &after);
	}
}

static void test_room(void)
{
	int fd = open("room", O_RDWR | O_CREAT, 0644);
	struct statvfs before, after;
	char block[4096];
	struct stat st;

	memset(block, 'x', sizeof(block));
	answer("statvfs", statvfs(".", &before));
	answer("of nothing", statvfs("nosuch", &after));
	answer("of a closed file", fstatvfs(77, &after));
	answer("wrong size", syscall(SYS_statfs64, ".", 80, block));
	for (int i = 0; i < 16; i++)
		write(fd, block, sizeof(block));
	fsync(fd);
	answer("fstatvfs", fstatvfs(fd, &after));
	yes("less is free or nobody knows", after.f_bfree <= before.f_bfree);
	yes("not read-only", !(after.f_flag & ST_RDONLY));
	yes("names of 255", after.f_namemax == 255);
	fstat(fd, &st);
	yes("it takes room", st.st_blocks >= 128);
	ftruncate(fd, 0);
	fstat(fd, &st);
	answer("and gives it back", st.st_blocks);
	ftruncate(fd, 1 << 20);
	fstat(fd, &st);
	answer("a hole takes none", st.st_blocks);
	close(fd);
}

int main(void)
{
	go_to_scratch("attributes");
	start = time(NULL) - 1; /* the kernel's idea of now may be a tick behind */
	test_rights();
	test_owners();
	test_set_times();
	test_changes();
	test_room();
	leave_scratch();
	return 0;
}
