/*
 * uname_time.c - names and clocks: what holds on every system.
 */

#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>

#include "guest.h"

static long long nanoseconds(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return -1;
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void)
{
	struct utsname name;
	struct timeval tv;
	struct timespec t;
	struct tms tms;
	long long last, next;
	int forwards = 1;
	time_t a, b;

	answer("uname", uname(&name));
	yes("it has a name", name.sysname[0] != 0);
	yes("and a machine", name.machine[0] != 0);

	a = time(NULL);
	gettimeofday(&tv, NULL);
	b = time(&b);
	yes("gettimeofday agrees with time", tv.tv_sec >= a && tv.tv_sec <= b + 1);
	yes("microseconds in range", tv.tv_usec >= 0 && tv.tv_usec < 1000000);
	yes("so does the real-time clock", nanoseconds(CLOCK_REALTIME) / 1000000000 - b <= 1);

	last = nanoseconds(CLOCK_MONOTONIC);
	for (int i = 0; i < 20000; i++) {
		next = nanoseconds(CLOCK_MONOTONIC);
		forwards &= next >= last;
		last = next;
	}
	yes("the monotonic clock never goes back", forwards);
	next = nanoseconds(CLOCK_MONOTONIC);
	while (nanoseconds(CLOCK_MONOTONIC) == next)
		;
	yes("and goes on", 1);
	answer("a clock that is none", clock_gettime(99, &t));

	while (times(&tms) != -1 && tms.tms_utime + tms.tms_stime < 3)
		for (volatile int i = 0; i < 100000; i++)
			;
	yes("time used is counted", tms.tms_utime + tms.tms_stime >= 3);
	yes("children used none", tms.tms_cutime + tms.tms_cstime == 0);

	answer("sched_yield", sched_yield());
	umask(022);
	printf("umask was %o\n", umask(077));
	printf("umask is %o\n", umask(0));
	yes("getpid is gettid", getpid() == gettid());
	yes("getpid", getpid() == syscall(SYS_getpid));
	answer("a system call that is none", syscall(9999));
	answer("another", syscall(-1));
	return 0;
}
