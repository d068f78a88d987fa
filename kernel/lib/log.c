/*
 * log.c - what the kernel says: to its log, and to the user.
 */
#include "cpu/uart.h"
#include "lib/printf.h"

static void put_log(void *arg, char c)
{
	(void)arg;
	log_putc(c);
}

static void put_console(void *arg, char c)
{
	(void)arg;
	console_putc(c);
}

void klog(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(put_log, NULL, fmt, ap);
	va_end(ap);
}

void kprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(put_console, NULL, fmt, ap);
	va_end(ap);
}
