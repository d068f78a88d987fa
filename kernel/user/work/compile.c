/*
 * compile.c - does to memory, processor and disk what a compiler does, and compiles nothing.
 *
 * Reads a source and the headers it includes, each once and whole, as preprocessors did; cuts them
 * into tokens, and makes a node for each, linked to its symbol and to the node that used that
 * symbol before; walks over the nodes, a fixed number of steps for each byte read; writes an object
 * of a size that the source's decides.  So its memory is used as a compiler's is: a tree from end
 * to end, again and again, and names all over a table.  What it writes depends on each byte read,
 * and on nothing else.
 *
 * It is started by `build`; its parameters are in build.h.
 */

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "build.h"

static const char text[] = "compile SOURCE OBJECT [DIR]...     (DIR: where headers are)";

enum {
	HEADERS = 256, /* that a source may have */
	PATH = 256,
};

struct symbol {
	unsigned hash; /* 0: free.  Who has the same is the same */
	unsigned uses;
	unsigned value;
	unsigned last; /* the node that used it last */
};

struct node {
	unsigned symbol;
	unsigned line;
	unsigned previous; /* node of this symbol */
	unsigned value;
};

static struct symbol *symbols;
static struct node *nodes;
static unsigned node_count; /* ever made; beyond NODES the oldest are used again */

static char *headers[HEADERS]; /* that were read */
static int header_count;
static char **dirs; /* where they are looked for */

static unsigned bytes_read, sum_read;

static void fail(const char *what)
{
	complain("compile", what);
	exit(1);
}

/* --- reading ------------------------------------------------------------------------------- */

static unsigned find_symbol(unsigned hash)
{
	unsigned i = hash % SYMBOLS;

	for (unsigned looked = 0; symbols[i].hash != hash; looked++) {
		if (symbols[i].hash == 0) {
			symbols[i].hash = hash;
			break;
		}
		if (looked == SYMBOLS) {
			fprintf(stderr, "compile: more than %d symbols\n", SYMBOLS);
			exit(1);
		}
		i = (i + 1) % SYMBOLS;
	}
	return i;
}

/* The token from `from` to `to`, not included. */
static void add_node(const char *from, const char *to, unsigned line)
{
	unsigned at = node_count++ % NODES, hash = 5381;
	struct symbol *s;

	for (const char *p = from; p < to; p++)
		hash = hash * 33 + (unsigned char)*p;
	nodes[at].symbol = find_symbol(hash ? hash : 1);
	s = &symbols[nodes[at].symbol];
	nodes[at].line = line;
	nodes[at].previous = s->last;
	nodes[at].value = hash + s->uses++;
	s->last = at;
}

static int is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Where the comment, the text in quotes, the word or the single sign at `p` ends. */
static const char *end_of(const char *p, const char *end)
{
	const char *from = p++;

	if (is_word(*from)) {
		while (p < end && is_word(*p))
			p++;
	} else if (*from == '/' && p < end && *p == '*') {
		for (p += 2; p < end && !(p[-1] == '*' && p[0] == '/'); p++)
			;
		p += p < end;
	} else if (*from == '"' || *from == '\'') {
		for (; p < end && *p != *from; p++)
			p += *p == '\\' && p + 1 < end;
		p += p < end;
	}
	return p;
}

static void read_file(const char *path);

/* Reads the header unless it was read before.  Returns 0: there is no such file. */
static int read_header(const char *dir, size_t dir_size, const char *name, size_t size)
{
	char path[PATH];

	if (dir_size + size + 2 > PATH)
		return 0;
	memcpy(path, dir, dir_size);
	path[dir_size] = '/';
	memcpy(path + dir_size + 1, name, size);
	path[dir_size + 1 + size] = '\0';
	if (access(path, R_OK) < 0)
		return 0;
	for (int i = 0; i < header_count; i++)
		if (strcmp(headers[i], path) == 0)
			return 1;
	if (header_count == HEADERS) {
		fprintf(stderr, "compile: more than %d headers\n", HEADERS);
		exit(1);
	}
	headers[header_count] = malloc(dir_size + size + 2);
	if (!headers[header_count])
		fail("memory");
	strcpy(headers[header_count++], path);
	read_file(path);
	return 1;
}

/*
 * `p` is behind a # that begins a line in the file `path`: if an include "NAME" stands there, reads
 * NAME, from beside that file or else from one of dirs.  (Those in < > are a compiler's own: there
 * is none.)
 */
static void include(const char *p, const char *end, const char *path, unsigned line)
{
	static const char word[] = "include \"";
	const char *slash = strrchr(path, '/'), *close;

	if ((size_t)(end - p) < sizeof(word) || memcmp(p, word, sizeof(word) - 1) != 0)
		return;
	p += sizeof(word) - 1;
	for (close = p; close < end && *close != '"'; close++)
		;
	if (slash && read_header(path, slash - path, p, close - p))
		return;
	for (char **dir = dirs; *dir; dir++)
		if (read_header(*dir, strlen(*dir), p, close - p))
			return;
	fprintf(stderr, "compile: %s:%u: no header %.*s\n", path, line, (int)(close - p), p);
	exit(1);
}

static void make_nodes(const char *p, const char *end, const char *path)
{
	unsigned line = 1;
	int begins = 1; /* a line */

	while (p < end) {
		const char *next = end_of(p, end);

		if (*p == '#' && begins)
			include(next, end, path, line);
		if (!isspace((unsigned char)*p) && !(next - p >= 4 && p[0] == '/' && p[1] == '*'))
			add_node(p, next, line);
		begins = *p == '\n';
		for (; p < next; p++)
			line += *p == '\n';
	}
}

static void read_file(const char *path)
{
	struct stat about;
	char *bytes;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &about) < 0)
		fail(path);
	bytes = malloc(about.st_size + 1);
	if (!bytes)
		fail("memory");
	if (read_all(fd, bytes, about.st_size) < 0)
		fail(path);
	close(fd);
	bytes_read += about.st_size;
	sum_read = add_to_sum(sum_read, (unsigned char *)bytes, about.st_size);
	make_nodes(bytes, bytes + about.st_size, path);
	free(bytes);
}

/* --- computing and writing ------------------------------------------------------------------- */

static void compute(void)
{
	unsigned have = node_count < NODES ? node_count : NODES, at = 0, x = sum_read;

	if (!have)
		return;
	for (unsigned steps = bytes_read * STEPS_PER_BYTE; steps; steps--) {
		struct node *n = &nodes[at];
		struct symbol *s = &symbols[n->symbol];

		x = (x << 5 | x >> 27) + s->value;
		x ^= nodes[n->previous].value + n->line;
		s->value += x;
		n->value += x;
		at = at + 1 < have ? at + 1 : 0;
	}
}

/* An object of `size` bytes, header included, made of the nodes' values. */
static void write_object(const char *path, size_t size)
{
	unsigned char *bytes = malloc(sizeof(struct object) + size);
	struct object *o = (struct object *)bytes;
	unsigned char *body = (unsigned char *)(o + 1);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (!bytes)
		fail("memory");
	if (fd < 0)
		fail(path);
	for (size_t i = 0; i < size; i++)
		body[i] = nodes[i / 4 % NODES].value >> i % 4 * 8;
	o->magic = OBJECT_MAGIC;
	o->read = bytes_read;
	o->size = size;
	o->sum = add_to_sum(0, body, size);
	if (write_all(fd, bytes, sizeof(*o) + size) < 0 || close(fd) < 0)
		fail(path);
}

int main(int argc, char **argv)
{
	size_t memory = SYMBOLS * sizeof(struct symbol) + NODES * sizeof(struct node);
	struct stat source;

	if (argc < 3)
		usage(text);
	dirs = argv + 3;
	symbols = malloc(memory);
	if (!symbols)
		fail("memory");
	memset(symbols, 0, memory);
	nodes = (struct node *)(symbols + SYMBOLS);
	read_file(argv[1]);
	compute();
	if (stat(argv[1], &source) < 0)
		fail(argv[1]);
	write_object(argv[2], (unsigned long)source.st_size * OBJECT_PERCENT / 100);
	return 0;
}
