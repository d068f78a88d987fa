/*
 * monitor.h - the one call by which the kernel knows its monitor.
 */
#pragma once

#include "cpu/trap.h"

enum monitor_reason {
	MON_ATTENTION, /* Ctrl-]: the monitor takes the console, the world runs on */
	MON_STOP,      /* Ctrl-] twice: stop the world */
	MON_DEBUG,     /* #DB or #BP: a breakpoint, a watchpoint, a step */
	MON_PANIC,     /* never returns */
	MON_BOOT,      /* the boot is done: become the monitor task; never returns */
};

/*
 * Enter the monitor.  `f`: the interrupted registers (NULL for MON_BOOT).  Any context for the
 * middle three; takes no lock.  MON_DEBUG: returns true if the trap was the monitor's own, false if
 * a user program trapped by itself (then it gets SIGTRAP).
 */
bool monitor_enter(enum monitor_reason why, struct trapframe *f);
