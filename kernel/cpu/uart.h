/*
 * uart.h - the ports that characters leave and enter by.
 *
 * Interactive: the console and the log are both COM1.  Batch: the console is port 0xE9
 * and the log port 0xE8, which have no timing, so that output changes no measurement.
 * What a key means is decided above, in fs/console.c.
 */
#pragma once

#include "lib/types.h"

void uart_init(void);	  /* before the first character */
void uart_irq_init(void); /* when interrupts can be taken */

/* One character, no line discipline but LF to CR LF on COM1.  Any context. */
void console_putc(char c);
void log_putc(char c);

/* A key from COM1, or -1.  For polling when interrupts are off; any context. */
int uart_getc(void);

/* Where keys go that come by interrupt or poll: fs/console.c hands it down. */
struct trapframe;
extern void (*uart_input)(int key, struct trapframe *f);

/* Hand every waiting key to uart_input.  Any CPU's timer tick calls it: CPU 0 may be stuck. */
void uart_poll(struct trapframe *f);

/* Batch run: no COM1, no keys; ends by power_off(EXIT_...). */
extern bool batch;

/* Values for the debug-exit port; the emulator's exit status is value << 1 | 1. */
#define EXIT_OK	    0x10
#define EXIT_FAILED 0x11
#define EXIT_PANIC  0x12
