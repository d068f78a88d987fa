/*
 * writers.c - several processes write the same files and files of their own, and look whether what
 * was written is there.
 *
 * Each has a file that nobody else touches, which grows, is cut, is read back and now and then
 * renamed.  All have a file of records, where each writes and reads those that are its own; a log
 * to which all append; and a few names that all make, move and remove as they like.  At the end
 * the log must have every line of everybody, whole and in his order.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "writers PROCESSES SECONDS [FOLDER]     (1 to 20, 1 to 1000)";

#define OWN_MAX 60000
#define RECORD	100 /* bytes; they lie across all borders of blocks */
#define RECORDS 1000
#define LINE	40
#define LOG_MAX 3000 /* lines of each */
#define SHOWN	3    /* mistakes that a process tells about */

/* What a process tells its parent at the end. */
struct result {
	unsigned long long checked;
	unsigned wrong, lines;
};

static unsigned char bytes[OWN_MAX], back[OWN_MAX];
static unsigned short rounds[RECORDS]; /* which round wrote the record last; 0: none */
static unsigned me, processes, seed, wrong, lines, own_size, own_seed;
static unsigned long long checked; /* bytes */

static unsigned any(unsigned below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void mistake(const char *what, long where)
{
	if (wrong++ < SHOWN)
		printf("writers: process %u: %s %ld: %s\n", me, what, where,
		       errno ? strerror(errno) : "wrong");
}

static void fill(unsigned char *to, unsigned n, unsigned from, unsigned of)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = of * 37 + (from + i) * 11 + ((from + i) >> 8);
}

/* Are bytes `at` and so on of the file what they should be? */
static void check(int fd, unsigned at, unsigned n, unsigned of, const char *what)
{
	errno = 0;
	if (pread(fd, back, n, at) != (int)n) {
		mistake(what, at);
		return;
	}
	errno = 0;
	fill(bytes, n, at, of);
	for (unsigned i = 0; i < n; i++) {
		if (bytes[i] != back[i]) {
			mistake(what, at + i);
			break;
		}
	}
	checked += n;
}

/* --- what a process does ------------------------------------------------------ */

static void write_own(int fd)
{
	unsigned at = any(own_size + 1), n = any(OWN_MAX - at);

	if (any(8) == 0) { /* all of it anew */
		own_size = at = 0;
		own_seed++;
		if (ftruncate(fd, 0) < 0)
			mistake("cut own file at", 0);
	}
	fill(bytes, n, at, own_seed);
	if (pwrite(fd, bytes, n, at) != (int)n)
		mistake("write own file at", at);
	if (at + n > own_size)
		own_size = at + n;
	if (any(6) == 0) {
		own_size = any(own_size + 1);
		if (ftruncate(fd, own_size) < 0)
			mistake("cut own file at", own_size);
	}
	if (lseek(fd, 0, SEEK_END) != (off_t)own_size)
		mistake("size of own file", own_size);
	check(fd, 0, own_size, own_seed, "own file at");
}

static void rename_own(void)
{
	char from[16], to[16];
	static int turn;

	snprintf(from, sizeof(from), "own%u%c", me, 'a' + turn);
	turn = !turn;
	snprintf(to, sizeof(to), "own%u%c", me, 'a' + turn);
	if (rename(from, to) < 0)
		mistake("rename own file", turn);
}

static void write_record(int fd)
{
	unsigned n = any(RECORDS / processes) * processes + me;

	if (rounds[n])
		check(fd, n * RECORD, RECORD, n * 7 + rounds[n], "record at");
	rounds[n]++;
	fill(bytes, RECORD, n * RECORD, n * 7 + rounds[n]);
	if (pwrite(fd, bytes, RECORD, n * RECORD) != RECORD)
		mistake("write record", n);
}

static void append(int fd)
{
	char line[LINE + 1];

	if (lines == LOG_MAX)
		return;
	snprintf(line, sizeof(line), "%-10u%-*u\n", me, LINE - 11, lines++);
	if (write(fd, line, LINE) != LINE)
		mistake("append line", lines);
}

/* Any of these may fail, as somebody else was there before. */
static void mix(void)
{
	char a[] = "mix-a", b[] = "mix-a/x";
	int fd;

	a[4] += any(3);
	b[4] += any(3);
	if (any(2))
		b[5] = '\0';
	switch (any(6)) {
	case 0:
		fd = open(b, O_WRONLY | O_CREAT, 0644);
		if (fd >= 0) {
			pwrite(fd, a, sizeof(a), any(20000));
			close(fd);
		}
		break;
	case 1:
		mkdir(a, 0755);
		break;
	case 2:
		rmdir(a);
		break;
	case 3:
		unlink(b);
		break;
	case 4:
		rename(a, b);
		break;
	default:
		link(b, a);
	}
}

static void live(struct timespec until, int report)
{
	struct result result = { 0 };
	int own, records = open("records", O_RDWR), log = open("log", O_WRONLY | O_APPEND);
	char name[16];

	seed = me + 1;
	snprintf(name, sizeof(name), "own%ua", me);
	own = open(name, O_RDWR | O_CREAT, 0644);
	if (own < 0 || records < 0 || log < 0)
		mistake("open", own);
	while (earlier(from_now((struct timespec){ 0 }), until) && wrong < 100) {
		switch (any(20)) {
		case 0:
		case 1:
			write_own(own);
			break;
		case 2:
			rename_own();
			break;
		case 3:
			if (any(10) == 0 && fsync(any(2) ? own : records) < 0)
				mistake("fsync", 0);
			break;
		case 4:
			append(log);
			break;
		case 5:
		case 6:
		case 7:
			mix();
			break;
		default:
			write_record(records);
		}
	}
	check(own, 0, own_size, own_seed, "own file at the end at");
	for (unsigned n = me; n < RECORDS; n += processes)
		if (n < RECORDS / processes * processes && rounds[n])
			check(records, n * RECORD, RECORD, n * 7 + rounds[n],
			      "record at the end at");
	result = (struct result){ checked, wrong, lines };
	if (write(report, &result, sizeof(result)) != sizeof(result))
		exit(1);
	exit(wrong != 0);
}

/* --- the end ------------------------------------------------------------------ */

/* Has the log every line, of each process in its order?  How many lines there are. */
static unsigned check_log(void)
{
	unsigned next[20] = { 0 }, total = 0;
	int fd = open("log", O_RDONLY);
	char line[LINE + 1] = "", should[LINE + 1];
	unsigned who;

	while (read(fd, line, LINE) == LINE) {
		who = atoi(line);
		if (who >= processes) {
			mistake("line", total);
			break;
		}
		snprintf(should, sizeof(should), "%-10u%-*u\n", who, LINE - 11, next[who]++);
		errno = 0;
		if (strcmp(line, should))
			mistake("line", total);
		total++;
	}
	close(fd);
	return total;
}

int main(int argc, char **argv)
{
	struct result result = { 0 };
	struct timespec until = { 0 };
	unsigned reports = 0, told = 0;
	int fd[2];

	if (argc < 3 || argc > 4)
		usage(text);
	processes = number_arg(argv[1], 1, 20, text);
	until.tv_sec = number_arg(argv[2], 1, 1000, text);
	if (argc > 3 && (mkdir(argv[3], 0755) < 0 || chdir(argv[3]) < 0)) {
		complain("writers", argv[3]);
		return 1;
	}
	close(open("records", O_WRONLY | O_CREAT, 0644));
	close(open("log", O_WRONLY | O_CREAT, 0644));
	until = from_now(until);
	if (pipe(fd) < 0) {
		complain("writers", "pipe");
		return 1;
	}
	for (; me < processes; me++)
		if (fork() == 0)
			live(until, fd[1]);
	close(fd[1]);
	while (read(fd[0], &result, sizeof(result)) == sizeof(result)) {
		reports++;
		checked += result.checked;
		wrong += result.wrong;
		told += result.lines;
	}
	while (wait(NULL) > 0)
		;
	errno = 0;
	if (check_log() != told)
		mistake("lines, not", told);
	printf("writers: %u reports, %llu bytes checked, %u lines, %u wrong\n", reports, checked,
	       told, wrong);
	return reports < processes || wrong;
}
