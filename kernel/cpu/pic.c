/*
 * pic.c - the pair of 8259 interrupt controllers, and the table of who handles which line.
 *
 * Lines 0 to 7 are the master's, 8 to 15 the slave's, which hangs on the master's line 2.
 * Moved to vectors 0x20 to 0x2F, since the BIOS leaves them where exceptions are (Intel 8259A data
 * sheet).
 */
#include "cpu/pic.h"
#include "cpu/x86.h"

#define MASTER_COMMAND 0x20
#define MASTER_DATA    0x21
#define SLAVE_COMMAND  0xA0
#define SLAVE_DATA     0xA1

#define ICW1_INIT_ICW4 0x11
#define ICW4_8086      0x01
#define EOI	       0x20
#define READ_ISR       0x0B
#define CASCADE_LINE   2

uint32_t irq_count[16];
static irq_handler handlers[16];

static void set_mask(uint32_t irq, bool masked)
{
	uint16_t port = irq < 8 ? MASTER_DATA : SLAVE_DATA;
	uint8_t bit = 1u << (irq & 7);

	outb(port, masked ? inb(port) | bit : inb(port) & ~bit);
}

void pic_init(void)
{
	outb(MASTER_COMMAND, ICW1_INIT_ICW4);
	outb(SLAVE_COMMAND, ICW1_INIT_ICW4);
	outb(MASTER_DATA, TRAP_IRQ0);
	outb(SLAVE_DATA, TRAP_IRQ0 + 8);
	outb(MASTER_DATA, 1u << CASCADE_LINE);
	outb(SLAVE_DATA, CASCADE_LINE);
	outb(MASTER_DATA, ICW4_8086);
	outb(SLAVE_DATA, ICW4_8086);
	outb(MASTER_DATA, 0xff & ~(1u << CASCADE_LINE));
	outb(SLAVE_DATA, 0xff);
}

void irq_register(uint32_t irq, irq_handler fn)
{
	handlers[irq] = fn;
	set_mask(irq, false);
}

/* A line that dropped before it was acknowledged shows up as 7 or 15, without its in-service bit.
 */
static bool spurious(uint32_t irq)
{
	uint16_t port = irq < 8 ? MASTER_COMMAND : SLAVE_COMMAND;

	if ((irq & 7) != 7)
		return false;
	outb(port, READ_ISR);
	if (inb(port) & 0x80)
		return false;
	if (irq == 15)
		outb(MASTER_COMMAND, EOI);
	return true;
}

void pic_dispatch(uint32_t irq, struct trapframe *f)
{
	if (spurious(irq))
		return;
	irq_count[irq]++;
	if (irq >= 8)
		outb(SLAVE_COMMAND, EOI);
	outb(MASTER_COMMAND, EOI);
	if (handlers[irq])
		handlers[irq](f);
}
