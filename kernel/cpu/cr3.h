/*
 * cr3.h - the one door to CR3.
 */
#pragma once

#include "lib/types.h"

enum cr3_reason {
	CR3_BOOT,      /* paging turned on, once a CPU */
	CR3_SWITCH,    /* to a task with another directory */
	CR3_IDLE,      /* to a task without a space, idle.space=eager */
	CR3_EXEC,      /* a task took a new space */
	CR3_EXIT,      /* a task gave its space up */
	CR3_FLUSH,     /* same directory again, to drop what this CPU has cached */
	CR3_SHOOTDOWN, /* the same, because another CPU asked */
	CR3_REASONS
};

extern const char *const cr3_reason_name[CR3_REASONS];

/*
 * Load CR3 with the directory at physical `pgdir`; count and log it.  pid_from and pid_to
 * go to the log.  Interrupts off.
 */
void cr3_load(paddr_t pgdir, enum cr3_reason why, uint32_t pid_from, uint32_t pid_to);

/* A switch that needed no load: the directory was already there.  Counted and logged. */
void cr3_avoided(enum cr3_reason why, uint32_t pid_from, uint32_t pid_to);

/* Drop all of this CPU's cached translations but global ones: CR3 again. */
void cr3_reload(enum cr3_reason why);

/* Count the load that turned paging on.  Once a CPU, as soon as it has a PDA. */
void cr3_booted(void);
