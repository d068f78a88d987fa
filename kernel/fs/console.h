/*
 * console.h - the terminal: whose keys are these?
 *
 * The console belongs to the monitor or to programs.  Keys for programs go through a line
 * discipline (echo, erase, Ctrl-C to the foreground process group); keys for the monitor go to it
 * raw. Ctrl-] always goes to the monitor, and twice in a row stops the world.
 */
#pragma once

#include "lib/types.h"

#define KEY_ATTENTION 0x1d /* Ctrl-] */

enum console_owner { CONSOLE_MONITOR, CONSOLE_PROGRAMS };
extern enum console_owner console_owner;

void console_init(void);
void console_give(enum console_owner who);

/* The monitor's again, since the program has ended: with the keys that it has not read. */
void console_reclaim(void);

/*
 * Keys that came by interrupt or poll wait in a ring, since whoever took them may not have had the
 * kernel lock.  With the lock, hand them on: to the monitor, or through the line discipline to
 * programs.  Cheap when there are none.  `f`: the interrupted registers.
 */
struct trapframe;
extern volatile uint32_t console_put, console_taken; /* keys that entered and left the ring */
void console_deliver_keys(struct trapframe *f);
static inline void console_deliver(struct trapframe *f)
{
	if (unlikely(console_put != console_taken))
		console_deliver_keys(f);
}

/* For the monitor: the next raw key; sleeps. */
int console_getkey(void);

/* The same when the world is stopped: polls the UART. */
int console_getkey_polled(void);

/* True if a key waits for the monitor: to end a `watch`. */
bool console_key_waits(void);

/* Keys that arrived go through the line discipline and wake who waits.  Kernel lock held. */
struct trapframe;
void console_deliver(struct trapframe *f);

/* Write n bytes to the console.  Any context. */
void console_write(const char *s, size_t n);

/* The process group that Ctrl-C goes to; 0: none. */
extern uint32_t console_foreground;

/* How Ctrl-C and the like reach a process group: proc/ hands it down. */
extern int (*console_signal)(uint32_t pgid, int sig);

/* The terminal as a file. */
extern const struct file_ops console_ops;
