/*
 * prompt.h - the two prompts, and the commands that come from the kernel command line.
 */
#pragma once

#include "lib/types.h"

/* Become the monitor task: boot commands, then the prompt for ever. */
void monitor_start(void) noreturn;

/* One line: edited and run, or, in batch, the next command of the script; ends the run when there
 * is none. */
void prompt_once(const char *prompt);

/* The world was stopped in the middle of a prompt: show it again. */
void prompt_redraw(void);

/*
 * Before the machine ends: what only the cache has reaches the disk, which notes that it was left
 * in order.  False, and a line that says why: it does not.
 */
bool end_disk(void);

/* Ctrl-]: the console is the monitor's; whoever waits for a program stops waiting. */
void prompt_attention(void);
extern bool attention;
