/*
 * timer.h - ticks and the time of day.
 *
 * Tunable: sched.hz (boot only).
 */
#pragma once

#include "lib/types.h"

/* Ticks since boot, counted by CPU 0; timer_hz a second. */
extern volatile uint32_t timer_ticks;
extern uint32_t timer_hz;

void timer_init(void);	  /* CPU 0: calibrate, start, read the clock chip */
void timer_init_ap(void); /* the others */

struct trapframe;

/* A tick of this CPU, before the kernel lock: count it, look whether keys wait. */
void timer_count(struct trapframe *f);

/* Wait `us` microseconds (at most 50,000) by the PIT.  For bringing up hardware. */
void timer_wait_us(uint32_t us);

/* Nanoseconds since boot, finer than a tick where there is a TSC; never goes back on one CPU. */
uint64_t time_ns(void);

/* Seconds since 1970 at boot: the time of day is this plus time_ns(). */
extern uint32_t time_boot_epoch;
