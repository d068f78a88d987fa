/*
 * ide.c - the first disk of each of the two IDE channels, as every PC has them.
 *
 * A command goes into eight I/O ports; the drive raises its channel's interrupt for each sector it
 * has ready, and we move the sector ourselves, 256 words through one port (PIO).  Slow,
 * and simple: nothing happens that one cannot read here.
 *
 * No wait here is endless.  Polling is counted; a request whose interrupt does not come
 * is ended by overdue(), and a drive that does not survive a reset is given up.
 *
 * "ATA" below is ATA/ATAPI-4, T13/1153D.
 */
#include "block/block.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/errno.h"
#include "lib/printf.h"

/* Ports, from the channel's first, ATA 7. */
#define IDE_DATA    0
#define IDE_ERROR   1
#define IDE_COUNT   2
#define IDE_LBA0    3
#define IDE_LBA8    4
#define IDE_LBA16   5
#define IDE_DEVICE  6 /* and bits 24 to 27 of the block address */
#define IDE_STATUS  7 /* reading it acknowledges the interrupt */
#define IDE_COMMAND 7

#define STATUS_ERR  0x01
#define STATUS_DRQ  0x08 /* a sector is ready, or wanted */
#define STATUS_DF   0x20
#define STATUS_BSY  0x80 /* no other bit means anything */
#define STATUS_NONE 0xFF /* what an empty bus reads as */

#define DEVICE_MASTER 0xE0 /* with LBA addressing */
#define CONTROL_NIEN  0x02 /* no interrupts */
#define CONTROL_SRST  0x04 /* reset both drives */

#define CMD_READ     0x20
#define CMD_WRITE    0x30
#define CMD_IDENTIFY 0xEC

#define ID_CAPABILITIES 49 /* words of the IDENTIFY data, ATA 8.12 */
#define ID_SECTORS	60
#define CAPABLE_LBA	0x0200
#define LBA28_SECTORS	0x0FFFFFFFu

#define SECTOR_WORDS (SECTOR_SIZE / 2)
#define POLLS	     1000000 /* a port read takes about a microsecond on real hardware */

#define NEVER UINT32_MAX

struct channel {
	struct block_device disk; /* its master */
	uint16_t ports;
	uint16_t control; /* written: CONTROL_; read: the status, without acknowledging */
	uint8_t irq;
	bool dead;
	uint32_t moved;	    /* sectors of the head request that went through the data port */
	uint32_t suspected; /* it was as many when the request was overdue before */
};

static struct channel channels[] = {
	{ .disk.name = "hda", .ports = 0x1F0, .control = 0x3F6, .irq = 14 },
	{ .disk.name = "hdc", .ports = 0x170, .control = 0x376, .irq = 15 },
};

static struct channel *channel_of(struct block_device *d)
{
	return container_of(d, struct channel, disk);
}

/* Let the drive put up its status after a command: 400 ns, four reads of a port.  ATA 9.4. */
static void settle(struct channel *c)
{
	for (int i = 0; i < 4; i++)
		inb(c->control);
}

/* Poll until the drive is not busy.  Its status, or STATUS_BSY when it stays so. */
static uint8_t poll(struct channel *c)
{
	for (uint32_t i = 0; i < POLLS; i++) {
		uint8_t status = inb(c->control);

		if (!(status & STATUS_BSY) || status == STATUS_NONE)
			return status;
	}
	return STATUS_BSY;
}

/* Reset the channel.  False: the drive does not come back. */
static bool reset(struct channel *c)
{
	outb(c->control, CONTROL_SRST);
	for (int i = 0; i < 3; i++) /* at least 5 us, ATA 9.2 */
		settle(c);
	outb(c->control, 0);
	settle(c);
	return !(poll(c) & STATUS_BSY);
}

static void fail(struct channel *c, const char *what, uint8_t status)
{
	struct request *r = block_head(&c->disk);
	/* A sector that is written went through the port before the drive says how it went. */
	uint32_t at = r->sector + c->moved - (r->write && c->moved);

	klog("%s: %s sector %u: %s, status %#x, error %#x\n", c->disk.name,
	     r->write ? "write" : "read", at, what, status, inb(c->ports + IDE_ERROR));
	block_done(&c->disk, -EIO);
}

static void put_sector(struct channel *c)
{
	outsw(c->ports + IDE_DATA, request_sector(block_head(&c->disk), c->moved++), SECTOR_WORDS);
}

static void get_sector(struct channel *c)
{
	insw(c->ports + IDE_DATA, request_sector(block_head(&c->disk), c->moved++), SECTOR_WORDS);
}

static void ide_start(struct block_device *d)
{
	struct channel *c = channel_of(d);
	struct request *r = block_head(d);
	uint8_t status;

	c->moved = 0;
	c->suspected = NEVER;
	if (c->dead) {
		block_done(d, -EIO);
		return;
	}
	status = poll(c);
	if (status & STATUS_BSY) {
		fail(c, "drive stays busy", status);
		return;
	}
	outb(c->ports + IDE_DEVICE, DEVICE_MASTER | r->sector >> 24);
	outb(c->ports + IDE_COUNT, (uint8_t)r->count); /* 256 is written as 0 */
	outb(c->ports + IDE_LBA0, (uint8_t)r->sector);
	outb(c->ports + IDE_LBA8, (uint8_t)(r->sector >> 8));
	outb(c->ports + IDE_LBA16, (uint8_t)(r->sector >> 16));
	outb(c->ports + IDE_COMMAND, r->write ? CMD_WRITE : CMD_READ);
	if (!r->write)
		return;
	/* The first sector of a write is asked for without an interrupt, ATA 9.8. */
	settle(c);
	status = poll(c);
	if (!(status & STATUS_DRQ) || status & STATUS_BSY)
		fail(c, "drive takes no data", status);
	else
		put_sector(c);
}

/* The drive wants something: a sector to be fetched or brought, or to say how it went. */
static void serve(struct channel *c)
{
	uint8_t status = inb(c->ports + IDE_STATUS);
	struct request *r = block_head(&c->disk);

	if (!c->disk.busy || status & STATUS_BSY)
		return;
	if (status & (STATUS_ERR | STATUS_DF)) {
		fail(c, "drive reports an error", status);
	} else if (r->write && c->moved == r->count) {
		block_done(&c->disk, 0);
	} else if (!(status & STATUS_DRQ)) {
		return; /* not for us; if it was, overdue() ends the request */
	} else if (r->write) {
		put_sector(c);
	} else {
		get_sector(c);
		if (c->moved == r->count)
			block_done(&c->disk, 0);
	}
}

static void primary_interrupt(struct trapframe *f)
{
	(void)f;
	serve(&channels[0]);
}

static void secondary_interrupt(struct trapframe *f)
{
	(void)f;
	serve(&channels[1]);
}

/*
 * Time may have passed that the drive did not have: the world was stopped.  So it is reset only
 * when it is overdue a second time and has moved nothing since.
 */
static void ide_overdue(struct block_device *d)
{
	struct channel *c = channel_of(d);
	struct request *r = block_head(d);
	uint32_t before = c->moved;

	serve(c);
	if (block_head(d) != r || !d->busy || c->moved != before) {
		klog("%s: an interrupt was lost\n", d->name);
		return;
	}
	if (c->suspected != before) {
		c->suspected = before;
		return;
	}
	c->dead = !reset(c);
	if (c->dead)
		klog("%s: no answer, not even to a reset: given up\n", d->name);
	fail(c, "timed out", inb(c->control));
}

/* Ask the drive who it is, by polling: its sectors, or 0 with a line in the log unless there is
 * none. */
static uint32_t identify(struct channel *c)
{
	static uint16_t id[SECTOR_WORDS];
	uint8_t status = inb(c->control);

	if (status == STATUS_NONE)
		return 0;
	outb(c->control, CONTROL_NIEN);
	outb(c->ports + IDE_DEVICE, DEVICE_MASTER);
	settle(c);
	if (inb(c->control) == 0) /* a channel without a drive */
		return 0;
	if (poll(c) & STATUS_BSY) {
		klog("%s: the drive stays busy: ignored\n", c->disk.name);
		return 0;
	}
	outb(c->ports + IDE_COMMAND, CMD_IDENTIFY);
	settle(c);
	if (inb(c->control) == 0)
		return 0;
	status = poll(c);
	if (status & (STATUS_BSY | STATUS_ERR | STATUS_DF) || !(status & STATUS_DRQ)) {
		klog("%s: the drive does not say what it is (status %#x): ignored\n", c->disk.name,
		     status);
		return 0;
	}
	insw(c->ports + IDE_DATA, id, SECTOR_WORDS);
	if (!(id[ID_CAPABILITIES] & CAPABLE_LBA)) {
		klog("%s: the drive knows no LBA: ignored\n", c->disk.name);
		return 0;
	}
	return MIN(id[ID_SECTORS] | (uint32_t)id[ID_SECTORS + 1] << 16, LBA28_SECTORS);
}

struct block_device *ide_probe(uint32_t channel)
{
	struct channel *c = &channels[channel];

	c->disk.sectors = identify(c);
	if (!c->disk.sectors)
		return NULL;
	inb(c->ports + IDE_STATUS); /* nothing of the polling may look like an interrupt later */
	outb(c->control, 0);
	irq_register(c->irq, channel ? secondary_interrupt : primary_interrupt);
	c->disk.start = ide_start;
	c->disk.overdue = ide_overdue;
	return &c->disk;
}
