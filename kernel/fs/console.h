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
