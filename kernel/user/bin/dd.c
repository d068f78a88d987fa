/*
 * dd.c - copies so many blocks from here to there, and says how many.
 *
 * Counts whole blocks + short ones, as every dd: "3+1 records in".
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"

static const char text[] = "dd [if=FILE] [of=FILE] [bs=BYTES] [count=N] [skip=N] [seek=N]\n"
			   "          [conv=notrunc,fsync] [status=none]";

static const char *from = "standard input", *to = "standard output";
static long block = 512, count = LONG_MAX, skip, seek;
static int in = STDIN_FILENO, out = STDOUT_FILENO;
static int keep, sync_after, quiet;
static long whole_in, short_in, whole_out, short_out;
static unsigned long long bytes;

static void summary(void)
{
	if (quiet)
		return;
	fprintf(stderr, "%ld+%ld records in\n%ld+%ld records out\n%llu bytes copied\n", whole_in,
		short_in, whole_out, short_out, bytes);
}

static void fail(const char *what)
{
	complain("dd", what);
	summary();
	exit(1);
}

/* The value of `arg` if it is NAME=VALUE. */
static const char *value_of(const char *arg, const char *name)
{
	size_t n = strlen(name);

	return strncmp(arg, name, n) == 0 && arg[n] == '=' ? arg + n + 1 : NULL;
}

static void conversions(const char *list)
{
	while (*list) {
		const char *comma = strchr(list, ',');
		size_t n = comma ? (size_t)(comma - list) : strlen(list);

		if (n == 7 && strncmp(list, "notrunc", n) == 0)
			keep = 1;
		else if (n == 5 && strncmp(list, "fsync", n) == 0)
			sync_after = 1;
		else
			usage(text);
		list += n + (list[n] == ',');
	}
}

static void argument(const char *arg)
{
	const char *v;

	if ((v = value_of(arg, "if")))
		from = v;
	else if ((v = value_of(arg, "of")))
		to = v;
	else if ((v = value_of(arg, "bs")))
		block = size_arg(v, text);
	else if ((v = value_of(arg, "count")))
		count = size_arg(v, text);
	else if ((v = value_of(arg, "skip")))
		skip = size_arg(v, text);
	else if ((v = value_of(arg, "seek")))
		seek = size_arg(v, text);
	else if ((v = value_of(arg, "conv")))
		conversions(v);
	else if ((v = value_of(arg, "status")) && strcmp(v, "none") == 0)
		quiet = 1;
	else
		usage(text);
}

/* What lies before the first block to copy is not read where it need not be. */
static void skip_input(char *buf)
{
	struct stat st;

	if (!skip)
		return;
	if (fstat(in, &st) == 0 && S_ISREG(st.st_mode)) {
		if (lseek(in, (off_t)skip * block, SEEK_CUR) < 0)
			fail(from);
		return;
	}
	for (long i = 0; i < skip; i++) {
		ssize_t n = read(in, buf, block);

		if (n < 0)
			fail(from);
		if (n == 0)
			return;
	}
}

static void open_files(int named_in, int named_out)
{
	if (named_in && (in = open(from, O_RDONLY)) < 0)
		fail(from);
	if (named_out) {
		/* With a seek what lies before it stays, so the file is cut there. */
		out = open(to, O_WRONLY | O_CREAT | (keep || seek ? 0 : O_TRUNC), 0666);
		if (out < 0 ||
		    (seek && !keep && ftruncate(out, (off_t)seek * block) < 0 && errno != EINVAL))
			fail(to);
	}
	if (seek && lseek(out, (off_t)seek * block, SEEK_CUR) < 0)
		fail(to);
}

static void put(const char *buf, ssize_t n)
{
	for (ssize_t done = 0; done < n;) {
		ssize_t wrote = write(out, buf + done, n - done);

		if (wrote < 0)
			fail(to);
		done += wrote;
		bytes += wrote;
	}
	*(n == block ? &whole_out : &short_out) += 1;
}

int main(int argc, char **argv)
{
	const char *stdin_name = from, *stdout_name = to;
	ssize_t n = 0;
	char *buf;

	for (int i = 1; i < argc; i++)
		argument(argv[i]);
	if (block < 1 || skip > LONG_MAX / block || seek > LONG_MAX / block)
		usage(text);
	buf = malloc(block);
	if (!buf)
		fail("memory");
	open_files(from != stdin_name, to != stdout_name);
	skip_input(buf);
	while (whole_in + short_in < count && (n = read(in, buf, block)) > 0) {
		*(n == block ? &whole_in : &short_in) += 1;
		put(buf, n);
	}
	if (n < 0)
		fail(from);
	if ((sync_after && fsync(out) < 0) || close(out) < 0)
		fail(to);
	summary();
	return 0;
}
