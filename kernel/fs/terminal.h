/*
 * terminal.h - what programs see of the console: lines, echo, signals from keys.
 */
#pragma once

#include "lib/types.h"

/* A key for programs.  Kernel lock held. */
void terminal_input(int key);

/* A key that no program has read, Enter being '\r' as typed; -1 when there is none left. */
int terminal_unread(void);
