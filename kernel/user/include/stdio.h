/*
 * stdio.h - formatted, buffered streams over file descriptors.
 *
 * Standard output is flushed at a newline when it is a terminal, when its
 * buffer is full otherwise, and at exit().  fork() copies what waits in a
 * buffer: fflush() first, as everywhere.
 */

#ifndef _STDIO_H
#define _STDIO_H

#include <stdarg.h>
#include <stddef.h>
#include <sys/types.h>

#define EOF    (-1)
#define BUFSIZ 1024

#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

typedef struct stdio_stream FILE;

extern FILE *const stdin, *const stdout, *const stderr;

/* Modes r, w, a: read; write anew; append.  + reads and writes; e: closed at exec. */
FILE *fopen(const char *path, const char *mode);
FILE *fdopen(int fd, const char *mode);
int fclose(FILE *f);
int fflush(FILE *f);
int fileno(FILE *f);
int feof(FILE *f);
int ferror(FILE *f);

int fseek(FILE *f, long offset, int whence);
long ftell(FILE *f);
void rewind(FILE *f);

int remove(const char *path);
int rename(const char *from, const char *to);
int renameat(int from_dir, const char *from, int to_dir, const char *to);

int fgetc(FILE *f);
int getchar(void);
char *fgets(char *line, int size, FILE *f);
ssize_t getline(char **line, size_t *size, FILE *f);
size_t fread(void *to, size_t size, size_t count, FILE *f);

int fputc(int c, FILE *f);
int putchar(int c);
int fputs(const char *s, FILE *f);
int puts(const char *s);
size_t fwrite(const void *from, size_t size, size_t count, FILE *f);

int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list ap);
int vfprintf(FILE *f, const char *format, va_list ap);
int vsnprintf(char *to, size_t size, const char *format, va_list ap);
void perror(const char *what);

#endif
