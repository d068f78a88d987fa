/*
 * stack.c - the first stack of a program.
 *
 * The one idea: it is written frame by frame through the kernel's own mapping, before the new space
 *is anybody's: so it may still fail, and the old program goes on.
 *
 * What main() will find, from high to low addresses (System V ABI i386, figure 3-31):
 *
 *	top	strings: arguments, environment
 *		16 bytes for AT_RANDOM
 *		auxiliary vector
 *		environment pointers, NULL
 *		argument pointers, NULL
 *	esp ->	argument count			16-byte aligned
 */

#include "cpu/timer.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "lib/random.h"
#include "lib/string.h"
#include "mm/space.h"
#include "proc/elf.h"
#include "proc/exec.h"

/* A place in the new space that moves upwards as it is written to. */
struct pen {
	struct space *space;
	uaddr_t at;
	char *p;   /* the same place for the kernel; good to the end of its page */
	bool lost; /* there was no frame: nothing is written any more */
};

static void pen_set(struct pen *pen, uaddr_t at)
{
	pen->at = at;
	pen->p = NULL;
}

/* Make pen->p good for at least one byte. */
static void pen_reach(struct pen *pen)
{
	if (pen->p && pen->at % PAGE_SIZE)
		return;
	pen->p = space_writable(pen->space, pen->at);
	pen->lost = !pen->p;
}

static void pen_write(struct pen *pen, const char *from, uint32_t n)
{
	while (n && !pen->lost) {
		uint32_t part = MIN(n, PAGE_SIZE - pen->at % PAGE_SIZE);

		pen_reach(pen);
		if (pen->lost)
			return;
		memcpy(pen->p, from, part);
		pen->p += part;
		pen->at += part;
		from += part;
		n -= part;
	}
}

/* A word, at an aligned place. */
static void pen_word(struct pen *pen, uint32_t v)
{
	pen_reach(pen);
	if (pen->lost)
		return;
	*(uint32_t *)pen->p = v;
	pen->p += sizeof(v);
	pen->at += sizeof(v);
}

static void write_strings(struct pen *pen, const struct exec_args *args)
{
	uint32_t at = args->start;

	while (at < args->end) {
		uint32_t n = MIN(args->end - at, PAGE_SIZE - at % PAGE_SIZE);

		pen_write(pen, args->frame[at / PAGE_SIZE] + at % PAGE_SIZE, n);
		at += n;
	}
}

/* Pointers to `count` strings, the first of which is at offset *at of args and `*addr` of the
 * program; NULL. */
static void write_pointers(struct pen *pen, const struct exec_args *args, uint32_t count,
			   uint32_t *at, uaddr_t *addr)
{
	while (count--) {
		uint32_t first = *at;

		pen_word(pen, *addr);
		while (args->frame[*at / PAGE_SIZE][*at % PAGE_SIZE])
			++*at;
		++*at;
		*addr += *at - first;
	}
	pen_word(pen, 0);
}

static void write_random(struct pen *pen)
{
	uint64_t seed = time_ns() ^ RANDOM_SEED;

	for (uint32_t i = 0; i < 4; i++)
		pen_word(pen, random_next(&seed));
}

#define AUX_WORDS 30 /* of write_aux() */

static void write_aux(struct pen *pen, const struct image *image, uaddr_t random)
{
	const uint32_t aux[AUX_WORDS] = {
		AT_PHDR,   image->phdr,
		AT_PHENT,  sizeof(struct elf_segment),
		AT_PHNUM,  image->phnum,
		AT_PAGESZ, PAGE_SIZE,
		AT_BASE,   0,
		AT_FLAGS,  0,
		AT_ENTRY,  image->entry,
		AT_UID,	   0,
		AT_EUID,   0,
		AT_GID,	   0,
		AT_EGID,   0,
		AT_HWCAP,  cpu_features,
		AT_CLKTCK, 100,
		AT_RANDOM, random,
		AT_NULL,   0,
	};

	pen_write(pen, (const char *)aux, sizeof(aux));
}

int exec_stack(struct image *image, const struct exec_args *args)
{
	uaddr_t top = space_stack_top(image->space);
	uint32_t words = 1 + args->argc + 1 + args->envc + 1 + AUX_WORDS;
	struct pen pen = { .space = image->space };
	uaddr_t strings, random, page;
	uint32_t at = args->start;
	int err;

	strings = (top - (args->end - args->start)) & ~15u;
	random = strings - 16;
	image->stack = (random - words * sizeof(uint32_t)) & ~15u;
	page = ALIGN_DOWN(image->stack, PAGE_SIZE);
	err = space_map(image->space, page, top - page, AREA_READ | AREA_WRITE | AREA_STACK, NULL,
			NULL, 0, 0);
	if (err)
		return err;
	pen_set(&pen, strings);
	write_strings(&pen, args);
	pen_set(&pen, random);
	write_random(&pen);
	pen_set(&pen, image->stack);
	pen_word(&pen, args->argc);
	write_pointers(&pen, args, args->argc, &at, &strings);
	write_pointers(&pen, args, args->envc, &at, &strings);
	write_aux(&pen, image, random);
	return pen.lost ? -ENOMEM : 0;
}
