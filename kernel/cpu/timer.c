/*
 * timer.c - ticks, the time of day, short waits.
 *
 * With local APICs each CPU has its own timer at sched.hz; without, the PIT's channel 0 ticks CPU
 * 0. The PIT's crystal is the only frequency known beforehand, so it measures the others.
 *
 * Tunables: sched.hz, clock.pit.
 */
#include "cpu/timer.h"
#include "cpu/apic.h"
#include "cpu/pda.h"
#include "cpu/pic.h"
#include "cpu/trap.h"
#include "cpu/uart.h"
#include "cpu/x86.h"
#include "fs/console.h"
#include "sched/sched.h"
#include "telemetry.h"

/* Intel 8254 data sheet */
#define PIT_MOST      0xffff /* it counts down from a number of 16 bits */
#define PIT_CHANNEL0  0x40
#define PIT_CHANNEL2  0x42
#define PIT_COMMAND   0x43
#define PIT_CH0_RATE  0x34 /* channel 0, low and high byte, mode 2 */
#define PIT_CH0_ONCE  0x30 /* channel 0, low and high byte, mode 0 */
#define PIT_CH2_ONCE  0xB0 /* channel 2, low and high byte, mode 0 */
#define PIT_CH0_LATCH 0x00
#define PIT_CH2_LATCH 0x80
#define PORT_B	      0x61 /* bit 0: gate of channel 2; bit 1: speaker; bit 5: its output */
#define PORT_B_GATE   0x01
#define PORT_B_OUT    0x20

#define CALIBRATE_US	10000u
#define PORT_READ_APART 200u /* turns of an empty loop: far below a tick even at 256 ns each */

/* Real-time clock, MC146818 */
#define RTC_INDEX 0x70
#define RTC_DATA  0x71

volatile uint32_t timer_ticks;
uint32_t timer_hz;
int sched_hz = 100;
int pit_hz = 1193182;
uint32_t time_boot_epoch;

static uint32_t apic_per_tick;

/* ns = cycles * tsc_mult >> TSC_SHIFT */
#define TSC_SHIFT 22
static uint32_t tsc_mult;
static uint32_t tsc_per_tick; /* 0: no TSC */
static uint64_t tsc_start;

static void pit_start_once(uint32_t us)
{
	uint32_t count = (uint64_t)us * pit_hz / 1000000u;

	outb(PORT_B, (inb(PORT_B) & ~3u) | PORT_B_GATE);
	outb(PIT_COMMAND, PIT_CH2_ONCE);
	outb(PIT_CHANNEL2, count & 0xff);
	outb(PIT_CHANNEL2, count >> 8);
}

void timer_wait_us(uint32_t us)
{
	pit_start_once(us);
	while (!(inb(PORT_B) & PORT_B_OUT)) {
		cpu_pause();
		/* A port read costs an emulator as much as thousands of these. */
		for (uint32_t i = 0; i < PORT_READ_APART; i++)
			asm volatile("");
	}
}

/* PIT periods since pit_start_once(us): in mode 0 the count goes on below zero. */
static uint32_t pit_elapsed(uint32_t us)
{
	uint32_t count = (uint64_t)us * pit_hz / 1000000u, now;

	outb(PIT_COMMAND, PIT_CH2_LATCH);
	now = inb(PIT_CHANNEL2);
	now |= inb(PIT_CHANNEL2) << 8;
	return (count - now) & 0xffff;
}

/*
 * How fast are the APIC's timer and the TSC?  An emulator may be kept from running at any moment,
 * also at the end of the wait: so it is the PIT that says how long it was, not what was asked for.
 */
static void calibrate(void)
{
	uint32_t left = UINT32_MAX, elapsed;
	uint64_t tsc = 0, cycles = 0;
	bool has_tsc = cpu_features & CPUID_TSC;

	if (apic_present)
		apic_timer_start(UINT32_MAX, false, true);
	if (has_tsc)
		tsc = rdtsc();
	timer_wait_us(CALIBRATE_US);
	if (apic_present)
		left = apic_timer_left();
	if (has_tsc)
		cycles = rdtsc() - tsc;
	elapsed = pit_elapsed(CALIBRATE_US);
	if (has_tsc) {
		uint32_t khz = cycles * pit_hz / elapsed / 1000;

		tsc_mult = ((uint64_t)1000000 << TSC_SHIFT) / (khz ? khz : 1);
		tsc_start = tsc;
		tsc_per_tick = khz * 1000ull / timer_hz;
	}
	apic_per_tick = (uint64_t)(UINT32_MAX - left) * pit_hz / elapsed / timer_hz;
}

static uint64_t tsc_ns(void)
{
	uint64_t d = rdtsc() - tsc_start;

	return ((d & UINT32_MAX) * tsc_mult >> TSC_SHIFT) +
	       ((d >> 32) * tsc_mult << (32 - TSC_SHIFT));
}

/* Without a TSC: whole ticks, and how far the PIT has counted into the next one. */
static noinline uint64_t pit_ns(void)
{
	static uint64_t last;
	uint32_t period = pit_hz / timer_hz, count;
	uint64_t ns;

	outb(PIT_COMMAND, PIT_CH0_LATCH);
	count = inb(PIT_CHANNEL0);
	count |= inb(PIT_CHANNEL0) << 8;
	ns = (uint64_t)timer_ticks * (1000000000u / timer_hz) +
	     (uint64_t)(period - MIN(count, period)) * 1000000000u / pit_hz;
	/* The count wraps before the tick is taken. */
	return last = MAX(last, ns);
}

uint64_t time_ns(void)
{
	if (tsc_mult)
		return tsc_ns();
	return timer_hz ? pit_ns() : 0;
}

static uint32_t rtc_read(uint32_t reg)
{
	outb(RTC_INDEX, reg);
	return inb(RTC_DATA);
}

static uint32_t from_bcd(uint32_t v, bool bcd)
{
	return bcd ? (v >> 4) * 10 + (v & 15) : v;
}

/* Seconds since 1970 from the clock chip.  Days by the proleptic Gregorian calendar, March first.
 */
static uint32_t rtc_epoch(void)
{
	bool bcd = !(rtc_read(0x0B) & 4);
	uint32_t s, m, h, day, month, year, days;

	do {
		s = rtc_read(0);
		m = from_bcd(rtc_read(2), bcd);
		h = from_bcd(rtc_read(4), bcd);
		day = from_bcd(rtc_read(7), bcd);
		month = from_bcd(rtc_read(8), bcd);
		year = 2000 + from_bcd(rtc_read(9), bcd);
	} while (s != rtc_read(0)); /* it moved on while we read */
	if (month < 3) {
		month += 12;
		year--;
	}
	days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day -
	       1 - 719468;
	return ((days * 24 + h) * 60 + m) * 60 + from_bcd(s, bcd);
}

static void pit_tick(struct trapframe *f)
{
	timer_count(f);
	console_deliver(f);
	sched_tick(frame_from_user(f));
}

/* --- once --------------------------------------------------------------------- */

/* The PIT's channel 0 is free where each CPU ticks by its own APIC.  What it cannot count at once,
 * in parts. */
static void (*once_fn)(void);
static uint64_t once_left; /* PIT periods behind the part that is being counted */

static void once_count(void)
{
	uint32_t part = MIN(once_left, PIT_MOST);

	once_left -= part;
	outb(PIT_COMMAND, PIT_CH0_ONCE);
	outb(PIT_CHANNEL0, part & 0xff);
	outb(PIT_CHANNEL0, part >> 8);
}

static void once_irq(struct trapframe *f)
{
	void (*fn)(void) = once_fn;

	(void)f;
	if (once_left) {
		once_count();
	} else if (fn) {
		once_fn = NULL;
		fn();
	}
}

bool timer_once(uint64_t ns, void (*fn)(void))
{
	static bool registered;

	if (!apic_present)
		return false;
	once_fn = fn;
	once_left = MAX(ns * pit_hz / 1000000000u, 1u);
	once_count();
	if (!registered)
		irq_register(0, once_irq);
	registered = true;
	return true;
}

void timer_init(void)
{
	timer_hz = apic_present ? sched_hz : MAX(sched_hz, pit_hz / PIT_MOST + 1);
	time_boot_epoch = rtc_epoch();
	calibrate();
	if (apic_present) {
		timer_init_ap();
		return;
	}
	outb(PIT_COMMAND, PIT_CH0_RATE);
	outb(PIT_CHANNEL0, (pit_hz / timer_hz) & 0xff);
	outb(PIT_CHANNEL0, (pit_hz / timer_hz) >> 8);
	irq_register(0, pit_tick);
}

void timer_init_ap(void)
{
	apic_timer_start(apic_per_tick, true, false);
}

/*
 * Interrupts that an emulator could not deliver in time are lost: so, where there is a TSC, it says
 * how many ticks one interrupt stands for.
 */
static void count_ticks(void)
{
	static uint64_t due; /* the TSC at the latest tick that was counted */
	uint64_t now;

	timer_ticks++;
	if (!tsc_per_tick)
		return;
	now = rdtsc();
	due = MIN(due + tsc_per_tick, now);
	if (unlikely(timer_ticks == 1))
		due = now;
	for (; now - due >= tsc_per_tick; due += tsc_per_tick)
		timer_ticks++;
}

void timer_count(struct trapframe *f)
{
	if (pda_read(cpu) == 0)
		count_ticks();
	uart_poll(f);
}
