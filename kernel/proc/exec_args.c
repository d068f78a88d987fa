/*
 * exec_args.c - arguments on their way from the old program to the new.
 *
 * The one idea: at no time do both programs exist for the processor, so the strings wait in frames
 * of the kernel.  They are kept in the order in which they will lie on the new stack: building it
 * is then one copy.
 */

#include "lib/errno.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "mm/kalloc.h"
#include "mm/swap.h"
#include "mm/usercopy.h"
#include "proc/exec.h"

/* What an exec asks for before its pages, where it can still wait for room: arguments, directory,
 * tables, a task.  Long arguments take more, and may be refused. */
#define SPARE_FOR_EXEC 8

int exec_args_new(struct exec_args **out)
{
	struct exec_args *args = memory_spare(SPARE_FOR_EXEC) ? kzalloc(sizeof(*args)) : NULL;

	if (!args)
		return -ENOMEM;
	args->start = args->end = ARGS_PREFIX;
	*out = args;
	return 0;
}

void exec_args_free(struct exec_args *args)
{
	uint32_t i;

	for (i = 0; i < ARGS_FRAMES && args->frame[i]; i++)
		frame_put(args->frame[i]);
	kfree(args);
}

/* The bytes that are free from args->end to the end of its frame: where, and *room how many. */
static int place(struct exec_args *args, char **to, uint32_t *room)
{
	uint32_t i = args->end / PAGE_SIZE, at = args->end % PAGE_SIZE;

	if (args->end + sizeof(uaddr_t) * (args->argc + args->envc) >= ARGS_LIMIT)
		return -E2BIG;
	if (!args->frame[i])
		args->frame[i] = frame_alloc(FRAME_KERNEL);
	if (!args->frame[i])
		return -ENOMEM;
	*to = args->frame[i] + at;
	*room = PAGE_SIZE - at;
	return 0;
}

static int add_kernel(struct exec_args *args, const char *s)
{
	uint32_t left = strlen(s) + 1;

	while (left) {
		uint32_t room;
		char *to;
		int err = place(args, &to, &room);

		if (err)
			return err;
		room = MIN(room, left);
		memcpy(to, s, room);
		args->end += room;
		s += room;
		left -= room;
	}
	return 0;
}

/* A string that does not end in this frame: what fits, and the rest in the next. */
static int add_user(struct exec_args *args, uaddr_t s)
{
	for (;;) {
		uint32_t room;
		char *to;
		ssize_t n;
		int err = place(args, &to, &room);

		if (err)
			return err;
		n = copy_string_from_user(to, s, room);
		if (n >= 0) {
			args->end += n + 1;
			return 0;
		}
		if (n != -ENAMETOOLONG)
			return n;
		if (copy_from_user(to, s, room))
			return -EFAULT;
		args->end += room;
		s += room;
	}
}

/* Programs believe that there is an argv[0]. */
static int ensure_name(struct exec_args *args)
{
	if (args->argc)
		return 0;
	args->argc = 1;
	return add_kernel(args, "");
}

int exec_args_kernel(struct exec_args *args, int argc, const char *const argv[])
{
	int i, err;

	for (i = 0; i < argc; i++) {
		err = add_kernel(args, argv[i]);
		if (err)
			return err;
		args->argc++;
	}
	return ensure_name(args);
}

/* All strings of a vector of pointers that ends with a null one; a null vector is empty, as in
 * Linux. */
static int add_vector(struct exec_args *args, uaddr_t vector, uint32_t *count)
{
	uaddr_t s;

	while (vector) {
		int err = get_user32(&s, vector);

		if (err || !s)
			return err;
		err = add_user(args, s);
		if (err)
			return err;
		++*count;
		vector += sizeof(s);
	}
	return 0;
}

int exec_args_user(struct exec_args *args, uaddr_t argv, uaddr_t envp)
{
	int err = add_vector(args, argv, &args->argc);

	if (!err)
		err = ensure_name(args);
	if (!err)
		err = add_vector(args, envp, &args->envc);
	return err;
}

static char *byte_at(struct exec_args *args, uint32_t at)
{
	return &args->frame[at / PAGE_SIZE][at % PAGE_SIZE];
}

/* Put `s` before all the others. */
static int prepend(struct exec_args *args, const char *s)
{
	uint32_t i, n = strlen(s) + 1;

	if (n > args->start)
		return -E2BIG;
	args->start -= n;
	for (i = 0; i < n; i++)
		*byte_at(args, args->start + i) = s[i];
	args->argc++;
	return 0;
}

int exec_args_script(struct exec_args *args, const char *interpreter, const char *option,
		     const char *path)
{
	int err;

	while (*byte_at(args, args->start++)) /* the old argv[0] goes, with its NUL */
		;
	args->argc--;
	if (args->start > PAGE_SIZE) /* the interpreter's name must lie in one piece */
		return -E2BIG;
	err = prepend(args, path);
	if (!err && option)
		err = prepend(args, option);
	if (!err)
		err = prepend(args, interpreter);
	return err;
}
