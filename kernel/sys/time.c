/*
 * time.c - system calls about time.
 *
 * Two clocks: time since boot, and the time of day, which is that plus a constant.  Sleeps end at a
 * tick.
 */

#include "cpu/pda.h"
#include "cpu/timer.h"
#include "lib/errno.h"
#include "mm/usercopy.h"
#include "sched/task.h"
#include "sched/wait.h"
#include "sys/sys.h"

#define NS_PER_SEC 1000000000u

enum {
	CLOCK_REALTIME,
	CLOCK_MONOTONIC,
	CLOCK_PROCESS,
	CLOCK_THREAD,
	CLOCK_MONOTONIC_RAW,
	CLOCK_REALTIME_COARSE,
	CLOCK_MONOTONIC_COARSE,
	CLOCK_BOOTTIME
};

static bool is_time_of_day(uint32_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

static int read_clock(uint32_t clock, uint64_t *ns)
{
	const struct task *t = current;

	if (clock > CLOCK_BOOTTIME)
		return -EINVAL;
	if (clock == CLOCK_PROCESS || clock == CLOCK_THREAD)
		*ns = (uint64_t)(t->ticks_user + t->ticks_kernel) * (NS_PER_SEC / timer_hz);
	else
		*ns = time_ns();
	if (is_time_of_day(clock))
		*ns += (uint64_t)time_boot_epoch * NS_PER_SEC;
	return 0;
}

/* --- reading -------------------------------------------------------------- */

uint32_t time_of_day(void)
{
	return time_boot_epoch + time_ns() / NS_PER_SEC;
}

int32_t sys_time(struct trapframe *f)
{
	uint32_t now = time_of_day();

	if (f->ebx && put_user32(f->ebx, now))
		return -EFAULT;
	return now;
}

int32_t sys_gettimeofday(struct trapframe *f)
{
	uint64_t ns = time_ns();
	uint32_t now[2] = { time_boot_epoch + ns / NS_PER_SEC, ns % NS_PER_SEC / 1000 };
	static const uint32_t zone[2];

	if (f->ebx && copy_to_user(f->ebx, now, sizeof(now)))
		return -EFAULT;
	return f->ecx ? copy_to_user(f->ecx, zone, sizeof(zone)) : 0;
}

/* In hundredths of a second, whatever our tick is: programs believe in sysconf(_SC_CLK_TCK) = 100.
 */
static uint32_t centiseconds(uint32_t ticks)
{
	return (uint64_t)ticks * 100 / timer_hz;
}

int32_t sys_times(struct trapframe *f)
{
	const struct task *t = current;
	uint32_t tms[4] = { centiseconds(t->ticks_user), centiseconds(t->ticks_kernel),
			    centiseconds(t->children_user), centiseconds(t->children_kernel) };

	if (f->ebx && copy_to_user(f->ebx, tms, sizeof(tms)))
		return -EFAULT;
	return centiseconds(timer_ticks);
}

/* struct timespec with seconds of 32 or 64 bits; the nanoseconds of the latter have padding. */
static int put_time(uaddr_t at, uint64_t ns, bool wide)
{
	uint32_t s = ns / NS_PER_SEC, rest = ns % NS_PER_SEC;
	uint32_t narrow_time[2] = { s, rest }, wide_time[4] = { s, 0, rest, 0 };

	return wide ? copy_to_user(at, wide_time, sizeof(wide_time))
		    : copy_to_user(at, narrow_time, sizeof(narrow_time));
}

static int get_time(uaddr_t at, uint64_t *ns, bool wide)
{
	uint32_t v[4] = { 0 };
	int64_t s;
	uint32_t rest;

	if (copy_from_user(v, at, wide ? 16 : 8))
		return -EFAULT;
	s = wide ? (int64_t)((uint64_t)v[1] << 32 | v[0]) : (int32_t)v[0];
	rest = wide ? v[2] : v[1];
	if (s < 0 || rest >= NS_PER_SEC)
		return -EINVAL;
	*ns = (uint64_t)MIN(s, 0x7fffffff) * NS_PER_SEC + rest;
	return 0;
}

static int32_t get_clock(struct trapframe *f, bool wide)
{
	uint64_t ns;
	int err = read_clock(f->ebx, &ns);

	return err ? err : put_time(f->ecx, ns, wide);
}

int32_t sys_clock_gettime(struct trapframe *f)
{
	return get_clock(f, false);
}

int32_t sys_clock_gettime64(struct trapframe *f)
{
	return get_clock(f, true);
}

int32_t sys_clock_getres(struct trapframe *f)
{
	if (f->ebx > CLOCK_BOOTTIME)
		return -EINVAL;
	return f->ecx ? put_time(f->ecx, NS_PER_SEC / timer_hz, false) : 0;
}

/* --- sleeping ------------------------------------------------------------- */

/* A sleep in pieces, so that "before" has a meaning for the tick counter. */
#define TICKS_MAX 0x3fffffffu

uint32_t ticks_of(uint64_t ns)
{
	uint32_t tick = NS_PER_SEC / timer_hz;
	uint64_t ticks = (ns + tick - 1) / tick;

	return MIN(ticks, TICKS_MAX);
}

/*
 * Sleep for `ns`, and write what is left to `rest` (0: nowhere) when a signal cuts it short.  Made
 * again after a signal without a handler, it ends when it would have ended.  The clock decides, not
 * the count of ticks: a tick comes late on a busy emulator, and the next ones then early.
 */
static int32_t nap(uint64_t ns, uaddr_t rest, bool wide)
{
	struct task *t = current;
	uint64_t now = time_ns(), end = t->sleep_restarts ? t->sleep_until : now + ns;

	t->sleep_restarts = false;
	while (now < end) {
		int err = sleep_on_timeout(NULL, ticks_of(end - now));

		now = time_ns();
		if (err != -EINTR)
			continue;
		t->sleep_until = end;
		if (rest && put_time(rest, now < end ? end - now : 0, wide))
			return -EFAULT;
		return -ERESTARTSLEEP;
	}
	return 0;
}

int32_t sys_nanosleep(struct trapframe *f)
{
	uint64_t ns;
	int err = get_time(f->ebx, &ns, false);

	return err ? err : nap(ns, f->ecx, false);
}

#define TIMER_ABSTIME 1u

static int32_t sleep_by_clock(struct trapframe *f, bool wide)
{
	uint32_t clock = f->ebx;
	uint64_t ns, now;
	int err;

	if (clock > CLOCK_BOOTTIME || clock == CLOCK_PROCESS || clock == CLOCK_THREAD)
		return -EINVAL;
	err = get_time(f->edx, &ns, wide);
	if (err)
		return err;
	if (!(f->ecx & TIMER_ABSTIME))
		return nap(ns, f->esi, wide);
	err = read_clock(clock, &now);
	if (err)
		return err;
	return nap(ns > now ? ns - now : 0, 0, wide);
}

int32_t sys_clock_nanosleep(struct trapframe *f)
{
	return sleep_by_clock(f, false);
}

int32_t sys_clock_nanosleep64(struct trapframe *f)
{
	return sleep_by_clock(f, true);
}
