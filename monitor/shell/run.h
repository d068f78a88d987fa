/*
 * run.h - programs started from the monitor.
 */
#pragma once

#include "lib/types.h"

/* Bury the background programs that have ended; say so unless in a script. */
void run_reap(void);
