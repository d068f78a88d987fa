/*
 * power.h - the end of a run, and what survives it.
 */
#pragma once

#include "lib/types.h"

/*
 * A page below 1 MB that a warm reset leaves alone: reboot() leaves its note there.  Below 0x7000,
 * since SeaBIOS clears what lies from there to its data area before it boots.
 */
#define BOOT_NOTE_PHYS 0x1000u

/* Values for the debug-exit port; the emulator's exit status is value << 1 | 1. */
#define EXIT_OK	     0x10
#define EXIT_FAILED  0x11
#define EXIT_PANIC   0x12
#define EXIT_REFUSED 0x13

/* End the emulator with `value`, or, where there is no such port, power off by ACPI, else halt. */
void power_off(uint32_t value) noreturn;

/* Reset the machine.  `cmdline_extra` (may be "") is added to the next boot's command line. */
void reboot(const char *cmdline_extra) noreturn;

/* What the last reboot() left to be added to the command line, or "".  It is gone afterwards. */
const char *boot_note(void);
