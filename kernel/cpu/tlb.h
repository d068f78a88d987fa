/*
 * tlb.h - making changes to page tables take effect.
 *
 * A processor may go on using a translation it has cached until told otherwise.
 */
#pragma once

#include "lib/types.h"

struct space;

/* Forget one page on this CPU.  INVLPG; a whole reload on a 386, which has none. */
void tlb_flush_page(uint32_t linear);

/*
 * Entries of `s` were removed or lost rights: make every CPU that stands on its directory
 * forget them.  [first, end) linear, in bytes.  On return no CPU uses the old entries.
 * Kernel lock held, interrupts off; spins until the others have answered.
 */
void tlb_shootdown(struct space *s, uint32_t first, uint32_t end);

/* CPUs that stand on the directory of `s`, a bit each, those that merely borrow it too. */
uint32_t tlb_cpus_on(const struct space *s);

/*
 * Make these CPUs forget everything.  On return none of them uses an entry, or walks a table, that
 * was there before.  Kernel lock held, interrupts off; spins until they have answered.
 */
void tlb_flush_cpus(uint32_t cpus);

/* Answer a pending request, if there is one.  For the IPI, and for whoever spins with interrupts
 * off. */
void tlb_answer(void);

/*
 * Give the model of this CPU's TLB, should one run beside us, a page to write to: telemetry.h. Once
 * a CPU, when there are frames.  Without memory there is no model.
 */
void tlb_publish(uint32_t cpu);

/* True if INVLPG may be used: 486 and later, and tunable cpu.invlpg. */
extern bool cpu_has_invlpg;
