/*
 * uart.c - the ports that characters leave and enter by.
 */
#include "cpu/uart.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "fs/console.h"

/* National Semiconductor 16550 data sheet */
#define COM1		0x3F8
#define COM1_IRQ	4
#define REG_DATA	0
#define REG_INT_ENABLE	1
#define REG_FIFO	2
#define REG_LINE	3
#define REG_MODEM	4
#define REG_STATUS	5
#define LINE_8N1	0x03
#define LINE_DIVISOR	0x80
#define FIFO_ENABLE	0x07 /* and clear both */
#define MODEM_DTR_RTS	0x03
#define MODEM_OUT2	0x08 /* lets its interrupts through */
#define STATUS_DATA	0x01
#define STATUS_TX_EMPTY 0x20
#define INT_RECEIVED	0x01

/* The emulator's character ports without timing. */
#define PORT_BATCH_CONSOLE 0xE9
#define PORT_BATCH_LOG	   0xE8

/* Spins before a character is dropped: a terminal that does not read must not stop the kernel. */
#define TX_PATIENCE 1000000

bool batch;
void (*uart_input)(int key, struct trapframe *f);

static bool present;

void uart_init(void)
{
	if (batch)
		return;
	outb(COM1 + REG_INT_ENABLE, 0);
	outb(COM1 + REG_LINE, LINE_DIVISOR);
	outb(COM1 + REG_DATA, 1); /* 115,200 baud */
	outb(COM1 + REG_INT_ENABLE, 0);
	outb(COM1 + REG_LINE, LINE_8N1);
	outb(COM1 + REG_FIFO, FIFO_ENABLE);
	outb(COM1 + REG_MODEM, MODEM_DTR_RTS | MODEM_OUT2);
	present = inb(COM1 + REG_STATUS) != 0xff;
}

static void com1_putc(char c)
{
	static bool stuck;
	int patience = stuck ? 1 : TX_PATIENCE;

	while (!(inb(COM1 + REG_STATUS) & STATUS_TX_EMPTY) && --patience)
		cpu_pause();
	stuck = patience == 0;
	if (!stuck)
		outb(COM1 + REG_DATA, c);
}

static void put(char c, uint16_t batch_port)
{
	if (batch) {
		outb(batch_port, c);
		return;
	}
	if (!present)
		return;
	if (c == '\n')
		com1_putc('\r');
	com1_putc(c);
}

void console_putc(char c)
{
	put(c, PORT_BATCH_CONSOLE);
}

void log_putc(char c)
{
	put(c, PORT_BATCH_LOG);
}

int uart_getc(void)
{
	if (!present || !(inb(COM1 + REG_STATUS) & STATUS_DATA))
		return -1;
	return inb(COM1 + REG_DATA);
}

/* One CPU at a time, or keys would change places on their way.  Who comes second leaves them to the
 * first. */
void uart_poll(struct trapframe *f)
{
	static volatile uint32_t polling;
	int key;

	if (!uart_input || xchg32(&polling, 1))
		return;
	while ((key = uart_getc()) >= 0)
		uart_input(key, f);
	polling = 0;
}

static void received(struct trapframe *f)
{
	uart_poll(f);
	console_deliver(f);
}

void uart_irq_init(void)
{
	if (!present)
		return;
	irq_register(COM1_IRQ, received);
	outb(COM1 + REG_INT_ENABLE, INT_RECEIVED);
}
