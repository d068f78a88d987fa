/*
 * drive.c - the drives of drive.h, port by port (ATA/ATAPI-4, 7 and 9).
 */
#include "host/drive.h"

#include "cpu/trap.h"
#include "cpu/x86.h"

#define BSY 0x80
#define RDY 0x40
#define DRQ 0x08
#define ERR 0x01

#define DATA	0
#define ERROR	1
#define COMMAND 7
#define CONTROL 0x206 /* 0x3F6 is that far from 0x1F0, 0x376 from 0x170 */

struct drive drives[2];
static irq_handler handlers[2];

/* Whose port is it, and which of its ports? */
static struct drive *drive_at(uint16_t *port)
{
	bool primary = *port & 0x80;

	*port -= primary ? 0x1F0 : 0x170;
	assert_true(*port <= COMMAND || *port == CONTROL);
	return &drives[!primary];
}

static void raise_irq(struct drive *d)
{
	d->irq = d->kind != DRIVE_LOSES_IRQ && !(d->control & 2);
}

static bool deliver(void)
{
	for (uint32_t i = 0; i < 2; i++) {
		if (!drives[i].irq || !handlers[i])
			continue;
		drives[i].irq = false;
		handlers[i](NULL);
		return true;
	}
	return false;
}

void irq_register(uint32_t line, irq_handler fn)
{
	assert_in_range(line, 14, 15);
	handlers[line - 14] = fn;
}

void drive_plug(uint32_t channel, enum drive_kind kind, uint8_t *image, uint32_t sectors)
{
	struct drive *d = &drives[channel];

	memset(d, 0, sizeof(*d));
	d->kind = kind;
	d->bad_sector = NO_SECTOR;
	d->disk = image;
	d->sectors = sectors;
	d->status = RDY;
	d->id[49] = 0x0200;
	d->id[60] = (uint16_t)sectors;
	d->id[61] = sectors >> 16;
	host_idle = deliver;
}

/* The next sector of a read is ready, or is not. */
static void next_sector(struct drive *d)
{
	d->status = RDY | DRQ;
	if (!d->writing && !d->identifying && d->sector == d->bad_sector)
		d->status = RDY | ERR;
	raise_irq(d);
}

static void command(struct drive *d, uint8_t c)
{
	const uint8_t *regs = d->regs;

	d->status = RDY;
	if (d->kind == DRIVE_PACKET || (c != 0xEC && c != 0x20 && c != 0x30)) {
		d->status |= ERR;
		return;
	}
	d->writing = c == 0x30;
	d->identifying = c == 0xEC;
	if (d->identifying) {
		next_sector(d);
		return;
	}
	d->writing ? d->writes++ : d->reads++;
	d->sector = regs[3] | regs[4] << 8 | regs[5] << 16 | (regs[6] & 15) << 24;
	d->left = regs[2] ? regs[2] : 256;
	assert_true(d->sector + d->left <= d->sectors && regs[6] & 0x40);
	if (d->kind == DRIVE_SILENT || d->kind == DRIVE_DEAD)
		d->status = BSY;
	else if (d->writing)
		d->status = RDY | DRQ; /* without an interrupt */
	else
		next_sector(d);
}

void outb(uint16_t port, uint8_t v)
{
	struct drive *d = drive_at(&port);

	if (port == CONTROL) {
		if (v & 4)
			d->status = d->kind == DRIVE_DEAD ? BSY : RDY;
		d->control = v;
	} else if (port == COMMAND) {
		command(d, v);
	} else {
		assert_in_range(port, 1, 6);
		d->regs[port] = v;
	}
}

uint8_t inb(uint16_t port)
{
	struct drive *d = drive_at(&port);

	if (d->kind == DRIVE_NONE)
		return 0xFF;
	if (d->kind == DRIVE_EMPTY)
		return 0;
	if (port == COMMAND)
		d->irq = false;
	if (port == COMMAND || port == CONTROL)
		return d->kind == DRIVE_BUSY ? BSY : d->status;
	return port == ERROR ? 0x40 : d->regs[port];
}

void insw(uint16_t port, void *dst, uint32_t n)
{
	struct drive *d = drive_at(&port);

	assert_int_equal(port, DATA);
	assert_int_equal(n, 256);
	assert_true(d->status & DRQ && !d->writing);
	d->status = RDY;
	if (d->identifying) {
		memcpy(dst, d->id, 512);
		return;
	}
	memcpy(dst, d->disk + (size_t)d->sector++ * 512, 512);
	if (--d->left)
		next_sector(d);
}

void outsw(uint16_t port, const void *src, uint32_t n)
{
	struct drive *d = drive_at(&port);

	assert_int_equal(port, DATA);
	assert_int_equal(n, 256);
	assert_true(d->status & DRQ && d->writing);
	d->status = RDY;
	if (d->sector == d->bad_sector) {
		d->status |= ERR;
	} else {
		memcpy(d->disk + (size_t)d->sector++ * 512, src, 512);
		if (--d->left)
			d->status |= DRQ;
	}
	raise_irq(d);
}
