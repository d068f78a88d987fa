/*
 * build.h - what `build` and the two programs it starts agree on.
 *
 * The parameters are here and nowhere else.  They were chosen so that a run takes a minute or two
 * of a 386 at 40 MHz, before any table was made with them, and are not to be moved so that one
 * looks better.
 *
 * An object is a header and a body.  Its sum is taken before the body goes to the disk, and
 * compared by who reads it: a byte that was lost on the way shows.
 */

#ifndef BUILD_H
#define BUILD_H

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

enum {
	SYMBOLS = 8192, /* of 16 bytes: 128 KB; a power of 2 */
	NODES = 24576,	/* of 16 bytes: 384 KB, and so 512 KB of memory in all that is written to */
	STEPS_PER_BYTE = 8,  /* of computation, for each byte that was read */
	OBJECT_PERCENT = 60, /* of the size of the source, its headers not counted */
	WRITE_SIZE = 4096,   /* bytes for one write() */
};

#define OBJECT_MAGIC 0x6a624f4b

struct object {
	unsigned magic;
	unsigned read; /* bytes of sources and headers that went into it */
	unsigned size; /* of the body */
	unsigned sum;  /* of the body */
};

/* The sum of `size` bytes more, `sum` so far; 0 to begin with. */
static inline unsigned add_to_sum(unsigned sum, const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sum = (sum << 1 | sum >> 31) + bytes[i];
	return sum;
}

/* Returns 0, or -1 with errno. */
static inline int write_all(int fd, const void *from, size_t size)
{
	for (size_t done = 0; done < size;) {
		size_t piece = size - done < WRITE_SIZE ? size - done : WRITE_SIZE;
		ssize_t n = write(fd, (const char *)from + done, piece);

		if (n <= 0)
			return -1;
		done += n;
	}
	return 0;
}

/* Returns 0, or -1 with errno: EIO when the file ends too early. */
static inline int read_all(int fd, void *to, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(fd, (char *)to + done, size - done);

		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return -1;
		done += n;
	}
	return 0;
}

#endif
