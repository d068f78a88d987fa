/*
 * console.c - the terminal: keys in, characters out.
 *
 * The one idea: a key travels in two steps.  The first takes it from the UART into a ring and needs
 * no lock, since it may happen on a CPU that waits for the kernel lock in vain; this is where
 * Ctrl-] twice stops the world, whatever state the kernel is in.  The second, with the lock, gives
 * it to its owner and wakes it.  What programs then see of their keys is terminal.c's affair.
 */

#include "fs/console.h"
#include "cpu/uart.h"
#include "cpu/x86.h"
#include "fs/terminal.h"
#include "monitor/shell/monitor.h"
#include "sched/wait.h"

enum console_owner console_owner = CONSOLE_MONITOR;
uint32_t console_foreground;

/*
 * A ring of keys: `put` and `taken` only grow.  One end is guarded by a flag, the
 * other by the kernel lock (or by the world having stopped).
 */
#define RING_SIZE 128u

static char ring[RING_SIZE];
volatile uint32_t console_put, console_taken;
static volatile uint32_t ring_guard;
static bool attention_before; /* the last key was Ctrl-] */

/* The monitor's own queue, behind the second step. */
static char monitor_keys[RING_SIZE];
static uint32_t monitor_put, monitor_taken;
static struct waitq monitor_wait = WAITQ_INIT(monitor_wait);

/* The first step.  Any CPU, any context, lock or no lock. */
static void take_key(int key, struct trapframe *f)
{
	bool stop;

	while (xchg32(&ring_guard, 1))
		cpu_pause();
	stop = key == KEY_ATTENTION && attention_before;
	attention_before = key == KEY_ATTENTION && !stop;
	if (!stop && console_put - console_taken < RING_SIZE) {
		ring[console_put % RING_SIZE] = key;
		console_put++;
	}
	ring_guard = 0;
	if (stop)
		monitor_enter(MON_STOP, f);
}

static int ring_take(void)
{
	int key;

	if (console_put == console_taken)
		return -1;
	key = (unsigned char)ring[console_taken % RING_SIZE];
	console_taken++;
	return key;
}

void console_init(void)
{
	uart_input = take_key;
}

static void give_to_monitor(int key)
{
	if (monitor_put - monitor_taken < RING_SIZE)
		monitor_keys[monitor_put++ % RING_SIZE] = key;
}

/* The next key for the monitor; there is one. */
static int monitor_key(void)
{
	return (unsigned char)monitor_keys[monitor_taken++ % RING_SIZE];
}

/* What was typed ahead is for whoever reads next. */
void console_give(enum console_owner who)
{
	console_owner = who;
	while (who == CONSOLE_PROGRAMS && console_key_waits())
		terminal_input(monitor_key());
}

void console_reclaim(void)
{
	int key;

	console_owner = CONSOLE_MONITOR;
	while ((key = terminal_unread()) >= 0)
		give_to_monitor(key);
}

void console_deliver_keys(struct trapframe *f)
{
	int key;

	while ((key = ring_take()) >= 0) {
		if (key == KEY_ATTENTION) {
			monitor_enter(MON_ATTENTION, f);
		} else if (console_owner == CONSOLE_PROGRAMS) {
			terminal_input(key);
		} else {
			give_to_monitor(key);
			wake_all(&monitor_wait);
		}
	}
}

bool console_key_waits(void)
{
	return monitor_put != monitor_taken;
}

int console_getkey(void)
{
	while (!console_key_waits())
		sleep_on(&monitor_wait);
	return monitor_key();
}

int console_getkey_polled(void)
{
	int key;

	if (console_key_waits())
		return monitor_key();
	do {
		cpu_pause();
		key = ring_take();
		if (key < 0)
			key = uart_getc();
	} while (key < 0 || key == KEY_ATTENTION);
	attention_before = false;
	return key;
}

/*
 * One writer at a time, so that lines of several CPUs do not mix.  A writer that was stopped or has
 * died in the middle must not silence the others, least of all a panic: so wait for a while only.
 */
#define WRITE_PATIENCE 100000u

static volatile uint32_t write_guard;

void console_write(const char *s, size_t n)
{
	uint32_t tries = 0;
	size_t i;

	while (xchg32(&write_guard, 1) && tries++ < WRITE_PATIENCE)
		cpu_pause();
	for (i = 0; i < n; i++)
		console_putc(s[i]);
	write_guard = 0;
}
