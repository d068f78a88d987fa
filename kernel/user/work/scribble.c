/*
 * scribble.c - writes, renames and removes files without a rest, and says what it may rely on.
 *
 * It is made for having the power cut under it.  Each line says what has happened, or is about to;
 * with what the lines promise one can look at the disk afterwards, and see what was lost:
 *
 *	TIME made NAME SIZE SEED	written, and that is all
 *	TIME fsynced NAME SIZE SEED	written, and fsync() has returned
 *	TIME synced			sync() has returned
 *	TIME changing NAME KEPT		it is about to be written, behind its first KEPT bytes
 *	TIME removing NAME		it is about to be unlinked
 *	TIME renaming OLD NEW		about to be, over NEW if that is there
 *
 * TIME is in milliseconds, SEED says what the bytes are: text_of().  With -w it waits for Enter
 * behind each line, so that whoever reads it can note how far the disk is.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "scribble [-w] SEED OPERATIONS [FOLDER]     (OPERATIONS 1 to 100000)";

#define DIRS  4
#define FILES 40  /* at most at a time */
#define NAMES 100 /* in a directory; they are used again */
#define LARGE 200000

static struct file {
	unsigned dir, number, size, seed; /* size 0: no such file */
} files[FILES];

static unsigned char used[DIRS][NAMES];
static unsigned state, seeds;
static int waits;

static unsigned any(unsigned below)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % below;
}

static void give_up(const char *what)
{
	complain("scribble", what);
	_exit(1);
}

/* Tell, in one line, what has been done, or will be once this has returned. */
static void say(const char *what, const char *name, const char *more)
{
	static char line[300], answer[80];
	struct timespec t;
	int n;

	clock_gettime(CLOCK_MONOTONIC, &t);
	n = snprintf(line, sizeof(line), "scribble: %ld %s%s%s%s%s\n",
		     (long)t.tv_sec * 1000 + t.tv_nsec / 1000000, what, *name ? " " : "", name,
		     *more ? " " : "", more);
	if (write(1, line, n) != n || (waits && read(0, answer, sizeof(answer)) <= 0))
		give_up("console");
}

static const char *name_of(unsigned dir, unsigned number)
{
	static char names[2][64];
	static unsigned turn;
	char *name = names[turn++ % 2];

	/* Names of many lengths, so that entries of a directory are cut and joined. */
	snprintf(name, sizeof(names[0]), "d%u/f%u%.*s", dir, number, (int)(number * 11 % 40),
		 "----------------------------------------");
	return name;
}

static void text_of(unsigned char *to, unsigned n, unsigned seed, unsigned at)
{
	for (unsigned i = 0; i < n; i++, at++)
		to[i] = seed * 131 + (at & 255) * 7 + (at >> 8) * 13;
}

static void put(int fd, unsigned from, unsigned to, unsigned seed)
{
	static unsigned char buf[8192];

	while (from < to) {
		unsigned n = to - from < sizeof(buf) ? to - from : sizeof(buf);

		text_of(buf, n, seed, from);
		if (write(fd, buf, n) != (int)n)
			give_up("write");
		from += n;
	}
}

static unsigned any_size(void)
{
	return 1 + any(any(6) ? 6000 : any(6) ? 60000 : LARGE);
}

/* Make bytes [from, f->size) of its file what they should be, and say so.  True: it was fsynced. */
static int write_file(const struct file *f, const char *name, unsigned from, int must_sync)
{
	int fd = open(name, O_WRONLY | O_CREAT | (from ? O_APPEND : O_TRUNC), 0644);
	char about[32];
	int synced = must_sync || any(3) == 0;

	if (fd < 0)
		give_up(name);
	put(fd, from, f->size, f->seed);
	if (synced && fsync(fd) < 0)
		give_up("fsync");
	close(fd);
	snprintf(about, sizeof(about), "%u %u", f->size, f->seed);
	say(synced ? "fsynced" : "made", name, about);
	return synced;
}

/* A name that no file has now. */
static void pick_name(struct file *f)
{
	int taken;

	do {
		f->dir = any(DIRS);
		f->number = any(NAMES);
		taken = 0;
		for (unsigned i = 0; i < FILES; i++)
			taken |= &files[i] != f && files[i].size && files[i].dir == f->dir &&
				 files[i].number == f->number;
	} while (taken);
}

static void say_changing(const char *name, unsigned kept)
{
	char number[12];

	snprintf(number, sizeof(number), "%u", kept);
	say("changing", name, number);
}

static void make(struct file *f)
{
	pick_name(f);
	if (used[f->dir][f->number]++)
		say_changing(name_of(f->dir, f->number), 0);
	f->size = any_size();
	f->seed = ++seeds;
	write_file(f, name_of(f->dir, f->number), 0, 0);
}

static void append(struct file *f)
{
	const char *name = name_of(f->dir, f->number);
	unsigned before = f->size;

	say_changing(name, f->size);
	f->size += any_size();
	write_file(f, name, before, 0);
}

static void cut(struct file *f)
{
	const char *name = name_of(f->dir, f->number);

	f->size = 1 + any(f->size);
	say_changing(name, f->size);
	if (truncate(name, f->size) < 0)
		give_up(name);
	write_file(f, name, f->size, any(2));
}

static void drop(struct file *f)
{
	const char *name = name_of(f->dir, f->number);

	say("removing", name, "");
	if (unlink(name) < 0)
		give_up(name);
	f->size = 0;
}

static void move(struct file *f)
{
	const char *old = name_of(f->dir, f->number), *name;

	pick_name(f);
	name = name_of(f->dir, f->number);
	used[f->dir][f->number] = 1;
	say("renaming", old, name);
	if (rename(old, name) < 0)
		give_up(old);
}

/* As an editor saves: the new text beside the old, fsync, and the old name for it. */
static void replace(struct file *f)
{
	const char *name = name_of(f->dir, f->number);

	f->size = any_size();
	f->seed = ++seeds;
	say_changing("new", 0);
	write_file(f, "new", 0, 1);
	say("renaming", "new", name);
	if (rename("new", name) < 0)
		give_up(name);
}

static void folder(void)
{
	static int there;

	if ((there ? rmdir("d0/folder") : mkdir("d0/folder", 0755)) < 0)
		give_up("d0/folder");
	there = !there;
}

static void operate(void)
{
	struct file *f = &files[any(FILES)];
	unsigned what = any(100);

	if (what < 3) {
		folder();
	} else if (what < 5) {
		sync();
		say("synced", "", "");
	} else if (!f->size) {
		make(f);
	} else if (what < 30) {
		append(f);
	} else if (what < 40) {
		cut(f);
	} else if (what < 65) {
		drop(f);
	} else if (what < 82) {
		move(f);
	} else {
		replace(f);
	}
}

int main(int argc, char **argv)
{
	long operations;
	char dir[] = "d0";

	if (argc > 1 && !strcmp(argv[1], "-w")) {
		waits = 1;
		argc--;
		argv++;
	}
	if (argc < 3 || argc > 4)
		usage(text);
	state = number_arg(argv[1], 0, 1000000000, text);
	operations = number_arg(argv[2], 1, 100000, text);
	if (argc > 3 && (mkdir(argv[3], 0755) < 0 || chdir(argv[3]) < 0)) {
		complain("scribble", argv[3]);
		return 1;
	}
	for (; dir[1] < '0' + DIRS; dir[1]++)
		if (mkdir(dir, 0755) < 0)
			give_up(dir);
	sync();
	say("synced", "", "");
	while (operations--)
		operate();
	say("end", "", "");
	return 0;
}
