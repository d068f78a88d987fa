/*
 * timer.h - ticks and the time of day.
 *
 * Tunables: sched.hz, clock.pit (boot only).
 */
#pragma once

#include "lib/types.h"

/*
 * Tunable clock.pit: the PIT's frequency, from which all others are derived.  A machine profile
 * whose instructions take another time than the emulator gives them says here what the PIT's
 * frequency is in its own time, and all of the kernel's time is then the profile's.
 */
extern int pit_hz;

/* Ticks since boot, counted by CPU 0; timer_hz a second. */
extern volatile uint32_t timer_ticks;
extern uint32_t timer_hz;
extern int sched_hz; /* tunable sched.hz: timer_hz from boot on */

void timer_init(void);	  /* CPU 0: calibrate, start, read the clock chip */
void timer_init_ap(void); /* the others */

struct trapframe;

/* A tick of this CPU, before the kernel lock: count it, look whether keys wait. */
void timer_count(struct trapframe *f);

/* Wait `us` microseconds (at most 10,000) by the PIT.  For bringing up hardware. */
void timer_wait_us(uint32_t us);

/*
 * Call `fn` once, from an interrupt on CPU 0 with the kernel lock held, when `ns` have passed: to
 * about a microsecond, not to a tick.  One at a time.  False: this machine's ticks need the PIT for
 * themselves.
 */
bool timer_once(uint64_t ns, void (*fn)(void));

/* Nanoseconds since boot, finer than a tick where there is a TSC; never goes back on one CPU. */
uint64_t time_ns(void);

/* Seconds since 1970 at boot: the time of day is this plus time_ns(). */
extern uint32_t time_boot_epoch;
