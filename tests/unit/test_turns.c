/*
 * test_turns.c - who wakes the main thread goes on when that rests again, and nobody waits in vain.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define ROUNDS 20

static pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER, small = PTHREAD_MUTEX_INITIALIZER;
static int to_main[2];
static volatile int asked, handled, handled_late, handled_early;
static volatile bool finished;

static void wake_main(void)
{
	char byte = 0;

	if (write(to_main[1], &byte, 1) != 1)
		finished = true;
}

/* The main thread's part: slow, and under the big lock. */
static void main_loop(void *(*other)(void *))
{
	pthread_t thread;
	struct pollfd fd;
	char byte;

	assert_int_equal(pipe(to_main), 0);
	fd = (struct pollfd){ .fd = to_main[0], .events = POLLIN };
	asked = handled = handled_late = handled_early = 0;
	finished = false;
	assert_int_equal(pthread_create(&thread, NULL, other, NULL), 0);
	while (ppoll(&fd, 1, NULL, NULL) == 1 && !finished) {
		usleep(5000);
		pthread_mutex_lock(&big);
		assert_int_equal(read(to_main[0], &byte, 1), 1);
		usleep(5000);
		handled++;
		pthread_mutex_unlock(&big);
	}
	pthread_join(thread, NULL);
	close(to_main[0]);
	close(to_main[1]);
}

static void *asks(void *unused)
{
	usleep(20000); /* until the main thread rests for the first time */
	for (asked = 1; asked <= ROUNDS; asked++) {
		pthread_mutex_lock(&big);
		pthread_mutex_lock(&small);
		wake_main();
		pthread_mutex_unlock(&small); /* the main thread wants the other one */
		handled_early += handled == asked;
		pthread_mutex_unlock(&big);
		handled_late += handled != asked;
	}
	finished = true;
	wake_main();
	return unused;
}

static void test_who_wakes_the_main_thread_goes_on_when_that_rests_again(void **state)
{
	(void)state;
	main_loop(asks);
	assert_int_equal(handled, ROUNDS);
	assert_int_equal(handled_late, 0);
}

static void test_nobody_waits_who_holds_a_lock(void **state)
{
	struct timespec from, to;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &from);
	main_loop(asks);
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_int_equal(handled_early, 0);
	/* half a second a round, if the main thread were waited for until that is given up */
	assert_true(to.tv_sec - from.tv_sec < ROUNDS / 4);
}

static void *waits_for_nothing(void *unused)
{
	usleep(20000);
	pthread_mutex_lock(&big);
	finished = true; /* the main thread leaves its loop, and does not rest again */
	wake_main();
	pthread_mutex_unlock(&big);
	return unused;
}

static void test_a_main_thread_that_does_not_rest_again_is_given_up(void **state)
{
	(void)state;
	main_loop(waits_for_nothing);
	assert_true(finished);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_wakes_the_main_thread_goes_on_when_that_rests_again),
		cmocka_unit_test(test_nobody_waits_who_holds_a_lock),
		cmocka_unit_test(test_a_main_thread_that_does_not_rest_again_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
