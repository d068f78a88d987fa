/*
 * panic.c - the kernel cannot go on: from here to the monitor, which reports.
 *
 * A panic without a trap makes one: the frame is filled with the registers of the caller, so that
 * the report looks the same either way.
 */
#include "cpu/pda.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "monitor/shell/monitor.h"

char panic_message[160];

static noreturn void enter(struct trapframe *f, const char *fmt, va_list ap)
{
	cli();
	if (!panic_message[0]) /* a panic while panicking keeps the first message */
		vsnprintf(panic_message, sizeof(panic_message), fmt, ap);
	for (;;)
		monitor_enter(MON_PANIC, f);
}

void panic_at(struct trapframe *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	enter(f, fmt, ap);
}

void panic(const char *fmt, ...)
{
	struct trapframe f = { 0 };
	uint32_t *frame = __builtin_frame_address(0);
	va_list ap;

	/* Registers of the caller as far as they can be known: where it is, and its frame. */
	f.eip = frame[1];
	f.ebp = frame[0];
	f.esp_unused = (uint32_t)(frame + 2);
	f.eflags = read_eflags();
	asm("movl %%cs, %0" : "=r"(f.cs));
	asm("movl %%ds, %0" : "=r"(f.ds));
	asm("movl %%es, %0" : "=r"(f.es));
	asm("movl %%fs, %0" : "=r"(f.fs));
	user_gs_set(&f, read_gs());
	f.cs &= 0xffff;
	va_start(ap, fmt);
	enter(&f, fmt, ap);
}
