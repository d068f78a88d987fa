/*
 * smp.h - the other processors: bringing up, poking, stopping.
 */
#pragma once

#include "lib/types.h"

/* Find CPUs (ACPI, else MP tables), start them one by one, each with a PDA of its own. */
void smp_start(void);

/* Make `cpu` take a trip through the scheduler. */
void smp_kick(uint32_t cpu);

/*
 * Stop all other CPUs by NMI, whatever they do, and let them go again.  While stopped,
 * a CPU's frame is at pda->stopped.  smp_stop() waits up to about a second, returns how many
 * did not answer.  Only one stopper at a time: false from smp_try_stop_begin() means another CPU is
 * it.
 */
bool smp_stop_begin(void);
uint32_t smp_stop(void);
void smp_resume(void);
extern volatile bool smp_stopped;

/* An NMI arrived: if a stop was asked for, wait here until let go. */
struct trapframe;
void smp_nmi(struct trapframe *f);

/* Called by a stopped CPU when let go: the monitor reloads its debug registers here.  May be NULL.
 */
extern void (*smp_on_resume)(void);

struct pda;

/* Fill in what every PDA starts with, as number `cpu`. */
void pda_init(struct pda *pda, uint32_t cpu);

/* This CPU's control registers and features.  Once a CPU, after gdt_load(). */
void cpu_init(void);

/* Tunables cpu.invlpg, cpu.wp, cpu.sysenter: may they be used, where the processor has them? */
extern int cpu_may_invlpg, cpu_may_wp, cpu_may_sysenter;
