/*
 * table.c - the system-call table, made from the list in calls.h.
 *
 * The entry stub has checked the number, counts the call and calls the function found here;
 * nothing else lies between a program and the function.
 */

#include "lib/errno.h"
#include "sys/sys.h"

static int32_t sys_none(struct trapframe *f)
{
	(void)f;
	return -ENOSYS;
}

uint32_t syscall_count[SYSCALLS + 1];

/* The first line fills all of the table, the others override their entry. */
#pragma GCC diagnostic ignored "-Woverride-init"

#define CALL(number, name, function) [number] = sys_##function,
const syscall_fn syscall_table[SYSCALLS] = {
	[0 ... SYSCALLS - 1] = sys_none,
#include "sys/calls.h"
};
#undef CALL

/* A row for each that there is: a table by number would mostly be empty. */
#define CALL(number, name, function) { number, #name },
static const struct {
	uint16_t number;
	const char *name;
} names[] = {
#include "sys/calls.h"
};
#undef CALL

const char *syscall_name(uint32_t number)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].number == number)
			return names[i].name;
	return NULL;
}
