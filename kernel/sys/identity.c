/*
 * identity.c - system calls about who runs, on what, and within which limits.  There is one user,
 * the superuser.
 */

#include "cpu/pda.h"
#include "cpu/timer.h"
#include "fs/file.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "mm/usercopy.h"
#include "sched/sched.h"
#include "sys/sys.h"

int32_t sys_getuid(struct trapframe *f)
{
	(void)f;
	return 0;
}

/* Anybody but root would find no file of its own. */
int32_t sys_setuid(struct trapframe *f)
{
	return f->ebx ? -EPERM : 0;
}

int32_t sys_umask(struct trapframe *f)
{
	uint32_t old = current->umask;

	current->umask = f->ebx & 0777;
	return old;
}

#define UTS_LENGTH 65

int32_t sys_uname(struct trapframe *f)
{
	static const char fields[6][UTS_LENGTH] = {
		"Klaava", "klaava", "0.1", "annotated kernel for classrooms", "i386", "(none)",
	};

	return copy_to_user(f->ebx, fields, sizeof(fields));
}

/* struct sysinfo of Linux i386 */
struct sysinfo {
	uint32_t uptime, loads[3];
	uint32_t totalram, freeram, sharedram, bufferram, totalswap, freeswap;
	uint16_t procs, pad;
	uint32_t totalhigh, freehigh, mem_unit;
	uint8_t rest[8];
};

int32_t sys_sysinfo(struct trapframe *f)
{
	struct sysinfo info = {
		.uptime = timer_ticks / timer_hz,
		.totalram = (frames_total - frames_of[FRAME_RESERVED]) * PAGE_SIZE,
		.freeram = frames_of[FRAME_FREE] * PAGE_SIZE,
		.bufferram = frames_of[FRAME_CACHE] * PAGE_SIZE,
		.procs = task_count,
		.mem_unit = 1,
	};

	return copy_to_user(f->ebx, &info, sizeof(info));
}

/* --- limits ------------------------------------------------------------------ */

#define NO_LIMIT 0xffffffffu

enum { LIMIT_STACK = 3, LIMIT_CORE = 4, LIMIT_TASKS = 6, LIMIT_FILES = 7, LIMITS = 16 };

static uint32_t limit_of(uint32_t resource)
{
	switch (resource) {
	case LIMIT_STACK:
		return STACK_LIMIT;
	case LIMIT_CORE:
		return 0;
	case LIMIT_TASKS:
		return TASKS_MAX;
	case LIMIT_FILES:
		return FILES_MAX;
	}
	return NO_LIMIT;
}

/* What is, cannot be changed: current and highest value are the same. */
int32_t sys_getrlimit(struct trapframe *f)
{
	uint32_t limit[2];

	if (f->ebx >= LIMITS)
		return -EINVAL;
	limit[0] = limit[1] = limit_of(f->ebx);
	return copy_to_user(f->ecx, limit, sizeof(limit));
}

int32_t sys_prlimit64(struct trapframe *f)
{
	uint64_t limit[2];

	if (f->ecx >= LIMITS)
		return -EINVAL;
	if (f->ebx && f->ebx != current->pid)
		return task_find(f->ebx) ? -EPERM : -ESRCH;
	if (f->edx)
		return -EPERM;
	limit[0] = limit_of(f->ecx);
	if (limit[0] == NO_LIMIT)
		limit[0] = ~0ull;
	limit[1] = limit[0];
	return f->esi ? copy_to_user(f->esi, limit, sizeof(limit)) : 0;
}
