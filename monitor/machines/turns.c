/*
 * turns.c - QEMU's main thread and the thread that runs the guest take turns.
 *
 * Where instructions are the clock (-icount), two threads of QEMU's share it.  The guest's runs
 * instructions and the timers that fall due; the main thread, when it finds all processors halted,
 * moves the clock on to the next timer and runs that.  Each timer wakes the main thread, so it is
 * often about while the guest runs.  Three things are chance then: it may find the last processor
 * halted before the instructions until then are on the clock, and moves it too far, by as many; it
 * may run a timer in the guest thread's place; and either may make another processor the next to
 * run.  In a run with ten thousand waits for the disk, one of them happened every second time.
 *
 * The one idea: a thread that lets go of its last lock goes on only when the main thread rests,
 * that is, waits in ppoll() and nothing it waits for has happened.  The guest's thread lets go of
 * one before it runs instructions, so the main thread never sees any half counted, and is through
 * with its work before they go on.
 *
 * Loaded in front of the C library (LD_PRELOAD), whose functions these stand in for: QEMU stays as
 * it is.  A run that is recorded (-icount rr=) takes turns too, but in the order in which threads
 * happen to ask.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define MOST_FDS 64 /* the main thread waits for; half a dozen, really */
#define LONGEST_WAIT \
	500000000 /* ns: who stops a machine has the main thread wait for the guest's */

/* The C library's own. */
static int (*real_lock)(pthread_mutex_t *);
static int (*real_trylock)(pthread_mutex_t *);
static int (*real_unlock)(pthread_mutex_t *);
static int (*real_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

static pthread_t main_thread;
static _Thread_local unsigned int held; /* locks, by this thread */

/* Where the main thread is.  Until it first rests it is still building the machine. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t comes_to_rest = PTHREAD_COND_INITIALIZER;
static bool built, in_ppoll;
static struct pollfd awaited[MOST_FDS];
static nfds_t awaited_count;

/* Another library's start-up code may take a lock before ours has run. */
static void __attribute__((constructor)) find_real(void)
{
	if (real_lock)
		return;
	main_thread = pthread_self();
	real_trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
	real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
	real_ppoll = dlsym(RTLD_NEXT, "ppoll");
	real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

static bool rests(void)
{
	const struct timespec at_once = { 0, 0 };

	return in_ppoll && real_ppoll(awaited, awaited_count, &at_once, NULL) == 0;
}

static void wait_for_rest(void)
{
	struct timespec until;
	int error = 0;

	if (!built || pthread_equal(pthread_self(), main_thread))
		return;
	real_lock(&lock);
	if (!rests()) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LONGEST_WAIT;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		while (!error && !rests())
			error = pthread_cond_timedwait(&comes_to_rest, &lock, &until);
	}
	real_unlock(&lock);
}

/* --- what QEMU calls --------------------------------------------------------------- */

int pthread_mutex_lock(pthread_mutex_t *m)
{
	int error;

	find_real();
	error = real_lock(m);
	held += !error;
	return error;
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	int error;

	find_real();
	error = real_trylock(m);
	held += !error;
	return error;
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	int error;

	find_real();
	error = real_unlock(m);
	if (!error && held && --held == 0)
		wait_for_rest();
	return error;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	int found, error;

	find_real();
	if (!pthread_equal(pthread_self(), main_thread) || n > MOST_FDS)
		return real_ppoll(fds, n, timeout, mask);
	real_lock(&lock);
	memcpy(awaited, fds, n * sizeof(*fds));
	awaited_count = n;
	built = in_ppoll = true;
	pthread_cond_broadcast(&comes_to_rest);
	real_unlock(&lock);
	found = real_ppoll(fds, n, timeout, mask);
	error = errno;
	real_lock(&lock);
	in_ppoll = false;
	real_unlock(&lock);
	errno = error;
	return found;
}
