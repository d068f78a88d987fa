/*
 * drive.c - the drive of drive.h, port by port (ATA/ATAPI-4, 7 and 9).
 */
#include "host/drive.h"

#include "cpu/trap.h"
#include "cpu/x86.h"

#define BSY 0x80
#define RDY 0x40
#define DRQ 0x08
#define ERR 0x01

enum drive_kind drive_kind;
uint32_t drive_bad_sector, drive_commands;

static uint8_t *disk;
static uint32_t disk_sectors;
static irq_handler handler;

static uint8_t regs[8], control, status;
static bool irq, writing, identifying;
static uint32_t sector, left; /* of the command, not yet moved */
static uint16_t id[256];

static void raise_irq(void)
{
	irq = drive_kind != DRIVE_LOSES_IRQ && !(control & 2);
}

static bool deliver(void)
{
	if (!irq || !handler)
		return false;
	irq = false;
	handler(NULL);
	return true;
}

void irq_register(uint32_t line, irq_handler fn)
{
	assert_int_equal(line, 14);
	handler = fn;
}

void drive_plug(enum drive_kind kind, uint8_t *image, uint32_t sectors)
{
	drive_kind = kind;
	drive_bad_sector = NO_SECTOR;
	drive_commands = 0;
	disk = image;
	disk_sectors = sectors;
	status = RDY;
	irq = false;
	memset(id, 0, sizeof(id));
	id[49] = 0x0200;
	id[60] = (uint16_t)sectors;
	id[61] = sectors >> 16;
	host_idle = deliver;
}

/* The next sector of a read is ready, or is not. */
static void next_sector(void)
{
	status = RDY | DRQ;
	if (!writing && sector == drive_bad_sector)
		status = RDY | ERR;
	raise_irq();
}

static void command(uint8_t c)
{
	status = RDY;
	if (drive_kind == DRIVE_PACKET || (c != 0xEC && c != 0x20 && c != 0x30)) {
		status |= ERR;
		return;
	}
	writing = c == 0x30;
	identifying = c == 0xEC;
	if (identifying) {
		next_sector();
		return;
	}
	drive_commands++;
	sector = regs[3] | regs[4] << 8 | regs[5] << 16 | (regs[6] & 15) << 24;
	left = regs[2] ? regs[2] : 256;
	assert_true(sector + left <= disk_sectors && regs[6] & 0x40);
	if (drive_kind == DRIVE_SILENT || drive_kind == DRIVE_DEAD)
		status = BSY;
	else if (writing)
		status = RDY | DRQ; /* without an interrupt */
	else
		next_sector();
}

void outb(uint16_t port, uint8_t v)
{
	if (port == 0x3F6) {
		if (v & 4)
			status = drive_kind == DRIVE_DEAD ? BSY : RDY;
		control = v;
	} else if (port == 0x1F7) {
		command(v);
	} else {
		assert_in_range(port, 0x1F1, 0x1F6);
		regs[port - 0x1F0] = v;
	}
}

uint8_t inb(uint16_t port)
{
	if (drive_kind == DRIVE_NONE)
		return 0xFF;
	if (drive_kind == DRIVE_EMPTY)
		return 0;
	if (port == 0x1F7)
		irq = false;
	if (port == 0x1F7 || port == 0x3F6)
		return drive_kind == DRIVE_BUSY ? BSY : status;
	return port == 0x1F1 ? 0x40 : regs[port - 0x1F0];
}

void insw(uint16_t port, void *dst, uint32_t n)
{
	assert_int_equal(port, 0x1F0);
	assert_int_equal(n, 256);
	assert_true(status & DRQ && !writing);
	status = RDY;
	if (identifying) {
		memcpy(dst, id, 512);
		return;
	}
	memcpy(dst, disk + (size_t)sector++ * 512, 512);
	if (--left)
		next_sector();
}

void outsw(uint16_t port, const void *src, uint32_t n)
{
	assert_int_equal(port, 0x1F0);
	assert_int_equal(n, 256);
	assert_true(status & DRQ && writing);
	if (sector == drive_bad_sector) {
		status = RDY | ERR;
		raise_irq();
		return;
	}
	memcpy(disk + (size_t)sector++ * 512, src, 512);
	status = RDY;
	if (--left)
		status |= DRQ;
	raise_irq();
}
