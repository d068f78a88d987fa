/*
 * linkobj.c - makes one file of many objects, as a linker does last.
 *
 * Reads each object whole, looks whether its bytes are those that were written, and appends them.
 * It is started by `build`; what an object is says build.h.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "args.h"
#include "build.h"

static const char text[] = "linkobj OUTPUT OBJECT...";

static void fail(const char *what)
{
	complain("linkobj", what);
	exit(1);
}

/* Appends the object `path` to `out`, which has `all` so far. */
static void append(int out, struct object *all, const char *path)
{
	struct object o;
	unsigned char *body;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read_all(fd, &o, sizeof(o)) < 0)
		fail(path);
	body = o.magic == OBJECT_MAGIC ? malloc(o.size + 1) : NULL;
	if (body && read_all(fd, body, o.size) < 0)
		fail(path);
	if (!body || add_to_sum(0, body, o.size) != o.sum) {
		fprintf(stderr, "linkobj: %s: not what was written\n", path);
		exit(1);
	}
	close(fd);
	if (write_all(out, body, o.size) < 0)
		fail("output");
	all->read += o.read;
	all->size += o.size;
	all->sum = add_to_sum(all->sum, body, o.size);
	free(body);
}

int main(int argc, char **argv)
{
	struct object all = { .magic = OBJECT_MAGIC };
	int out;

	if (argc < 3)
		usage(text);
	out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (out < 0 || write_all(out, &all, sizeof(all)) < 0)
		fail(argv[1]);
	for (int i = 2; i < argc; i++)
		append(out, &all, argv[i]);
	/* only now is the header known */
	if (lseek(out, 0, SEEK_SET) < 0 || write_all(out, &all, sizeof(all)) < 0 || close(out) < 0)
		fail(argv[1]);
	return 0;
}
