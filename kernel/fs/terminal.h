/*
 * terminal.h - what programs see of the console: lines, echo, signals from keys.
 */
#pragma once

#include "lib/types.h"

/* A key for programs.  Kernel lock held. */
void terminal_input(int key);
