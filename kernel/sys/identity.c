/*
 * identity.c - system calls about who runs, and on what.  There is one user, the superuser.
 */

#include "cpu/pda.h"
#include "cpu/timer.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "mm/kalloc.h"
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
