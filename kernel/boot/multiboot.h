/*
 * multiboot.h - reading what the boot loader left.
 */
#pragma once

#include "lib/types.h"

/* Fill boot_info.  False: not started by a multiboot loader.  First thing at boot. */
bool multiboot_read(uint32_t magic, paddr_t info);

/* Act on boot_info.cmdline (after adding what a reboot left): words are NAME=VALUE or NAME="VALUE".
 */
void cmdline_parse(void);

/* Complain in the log about words that meant nothing.  Later, when there is a log. */
void cmdline_report(void);
