/*
 * stdio.c - buffered streams.
 *
 * At any time a stream reads or writes.  Reading: buf[next..end) is what read()
 * brought and nobody took yet.  Writing: end is 0, and buf[0..next) waits for write().
 * When it is written is the stream's mode: at once (standard error), at each newline (a
 * terminal), when the buffer is full (all else).  A stream decides between the last two
 * at its first character.  One open for both turns round by giving back what it read
 * ahead, or writing what waits.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

enum mode { MODE_UNDECIDED, MODE_FULL, MODE_LINE, MODE_CALL };

struct stdio_stream {
	int fd;
	enum mode mode;
	int eof, error;
	size_t next, end;
	char *buf;
	FILE *another; /* in the list of those fopen() made */
};

static char in_buf[BUFSIZ], out_buf[BUFSIZ], err_buf[128];
static FILE in = { .fd = STDIN_FILENO, .buf = in_buf };
static FILE out = { .fd = STDOUT_FILENO, .buf = out_buf };
static FILE err = { .fd = STDERR_FILENO, .buf = err_buf, .mode = MODE_CALL };
static FILE *opened;

FILE *const stdin = &in, *const stdout = &out, *const stderr = &err;

static size_t room(const FILE *f)
{
	return f == &err ? sizeof(err_buf) : BUFSIZ;
}

/* Opening and closing */

FILE *fdopen(int fd, const char *mode)
{
	FILE *f = calloc(1, sizeof(*f) + BUFSIZ);

	(void)mode;
	if (!f)
		return NULL;
	f->fd = fd;
	f->buf = (char *)(f + 1);
	f->another = opened;
	opened = f;
	return f;
}

static int open_flags(const char *mode)
{
	int flags = *mode == 'r' ? 0 : *mode == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;

	flags |= strchr(mode, '+') ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
	return flags | (strchr(mode, 'e') ? O_CLOEXEC : 0);
}

FILE *fopen(const char *path, const char *mode)
{
	int fd = open(path, open_flags(mode), 0666);
	FILE *f;

	if (fd < 0)
		return NULL;
	f = fdopen(fd, mode);
	if (!f)
		close(fd);
	return f;
}

int fclose(FILE *f)
{
	int bad = fflush(f);

	if (close(f->fd) < 0)
		bad = EOF;
	for (FILE **at = &opened; *at; at = &(*at)->another) {
		if (*at == f) {
			*at = f->another;
			free(f);
			break;
		}
	}
	return bad;
}

int fileno(FILE *f)
{
	return f->fd;
}

int feof(FILE *f)
{
	return f->eof;
}

int ferror(FILE *f)
{
	return f->error;
}

/* Reading */

static int flush_one(FILE *f);

int fgetc(FILE *f)
{
	if (f->next >= f->end) {
		ssize_t n;

		flush_one(f);
		n = read(f->fd, f->buf, room(f));
		f->next = f->end = 0;
		if (n <= 0) {
			f->eof |= n == 0;
			f->error |= n < 0;
			return EOF;
		}
		f->end = n;
	}
	return (unsigned char)f->buf[f->next++];
}

int getchar(void)
{
	return fgetc(stdin);
}

char *fgets(char *line, int size, FILE *f)
{
	int n = 0, c = 0;

	while (n < size - 1 && c != '\n' && (c = fgetc(f)) != EOF)
		line[n++] = c;
	if (n == 0)
		return NULL;
	line[n] = 0;
	return line;
}

/* Reads a line of any length, its newline included, into *line, which grows as needed. */
ssize_t getline(char **line, size_t *size, FILE *f)
{
	ssize_t n = 0;
	int c = 0;

	if (!*line)
		*size = 0;
	while (c != '\n' && (c = fgetc(f)) != EOF) {
		if ((size_t)n + 2 > *size) {
			size_t bigger = *size ? *size * 2 : 128;
			char *p = realloc(*line, bigger);

			if (!p)
				return -1;
			*line = p;
			*size = bigger;
		}
		(*line)[n++] = c;
	}
	if (n == 0)
		return -1;
	(*line)[n] = 0;
	return n;
}

size_t fread(void *to, size_t size, size_t count, FILE *f)
{
	size_t n = 0, all = size * count;
	int c;

	while (n < all && (c = fgetc(f)) != EOF)
		((char *)to)[n++] = c;
	return size ? n / size : 0;
}

/* Writing */

static int flush_one(FILE *f)
{
	size_t done = 0;

	if (f->end) /* it reads: nothing of ours to write */
		return 0;
	while (done < f->next) {
		ssize_t n = write(f->fd, f->buf + done, f->next - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			f->error = 1;
			break;
		}
		done += n;
	}
	f->next = 0;
	return f->error ? EOF : 0;
}

static void flush_all(void)
{
	flush_one(stdout);
	for (FILE *f = opened; f; f = f->another)
		flush_one(f);
}

/* What a program has printed and nobody got makes its success a failure.  Every program has this,
 * so it is small. */
static int leave(void)
{
	static const char why[] = "write error: not all of the output could be written\n";

	flush_all();
	if (!stdout->error)
		return 0;
	write(STDERR_FILENO, why, sizeof(why) - 1);
	return 1;
}

/* NULL: all that were written to. */
int fflush(FILE *f)
{
	if (f)
		return flush_one(f);
	flush_all();
	return 0;
}

/* Stop reading: where the program thinks it is, is where the file is. */
static void give_back(FILE *f)
{
	int before = errno;

	if (f->next < f->end)
		lseek(f->fd, (off_t)f->next - (off_t)f->end, SEEK_CUR);
	errno = before;
	f->next = f->end = 0;
}

static void put(void *to, const char *piece, size_t n)
{
	FILE *f = to;

	if (f->mode == MODE_UNDECIDED) {
		int before = errno;

		f->mode = isatty(f->fd) ? MODE_LINE : MODE_FULL;
		errno = before;
		__leave_streams = leave;
	}
	if (f->end)
		give_back(f);
	for (size_t i = 0; i < n; i++) {
		f->buf[f->next++] = piece[i];
		if (f->next == room(f) || (f->mode == MODE_LINE && piece[i] == '\n'))
			flush_one(f);
	}
}

/* Ends a call that wrote: a stream that does not buffer gives it all away now. */
static int written(FILE *f, int answer)
{
	if (f->mode == MODE_CALL)
		flush_one(f);
	return f->error ? EOF : answer;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *f)
{
	put(f, from, size * count);
	return written(f, 0) == EOF ? 0 : count;
}

int fputc(int c, FILE *f)
{
	char byte = c;

	put(f, &byte, 1);
	return written(f, (unsigned char)c);
}

int putchar(int c)
{
	return fputc(c, stdout);
}

int fputs(const char *s, FILE *f)
{
	put(f, s, strlen(s));
	return written(f, 0);
}

int puts(const char *s)
{
	put(stdout, s, strlen(s));
	return fputc('\n', stdout) == EOF ? EOF : 0;
}

int vfprintf(FILE *f, const char *format, va_list ap)
{
	return written(f, __format(put, f, format, ap));
}

int fprintf(FILE *f, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vfprintf(f, format, ap);
	va_end(ap);
	return n;
}

int vprintf(const char *format, va_list ap)
{
	return vfprintf(stdout, format, ap);
}

int printf(const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vfprintf(stdout, format, ap);
	va_end(ap);
	return n;
}

/* Places */

int fseek(FILE *f, long offset, int whence)
{
	if (f->end)
		give_back(f);
	else if (flush_one(f) == EOF)
		return -1;
	if (lseek(f->fd, offset, whence) < 0)
		return -1;
	f->eof = 0;
	return 0;
}

long ftell(FILE *f)
{
	off_t at;

	if (!f->end && flush_one(f) == EOF) /* one that appends does not know where before */
		return -1;
	at = lseek(f->fd, 0, SEEK_CUR);
	return at < 0 ? -1 : (long)(at - (off_t)(f->end - f->next));
}

void rewind(FILE *f)
{
	fseek(f, 0, SEEK_SET);
	f->error = 0;
}

void perror(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
}
