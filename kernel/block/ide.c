/*
 * ide.c - the first disk of the primary IDE channel, as every PC since 1986 has it.
 *
 * A command goes into eight I/O ports; the drive raises IRQ 14 for each sector it has
 * ready, and we move the sector ourselves, 256 words through one port (PIO).  Slow,
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

/* Ports of the primary channel, ATA 7. */
#define IDE_DATA    0x1F0
#define IDE_ERROR   0x1F1
#define IDE_COUNT   0x1F2
#define IDE_LBA0    0x1F3
#define IDE_LBA8    0x1F4
#define IDE_LBA16   0x1F5
#define IDE_DEVICE  0x1F6 /* and bits 24 to 27 of the block address */
#define IDE_STATUS  0x1F7 /* reading it acknowledges the interrupt */
#define IDE_COMMAND 0x1F7
#define IDE_CONTROL 0x3F6
#define IDE_ALT	    0x3F6 /* the status, without acknowledging */

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

static struct block_device hda;
static uint32_t moved; /* sectors of the head request that went through the data port */
static bool dead;

/* Let the drive put up its status after a command: 400 ns, four reads of a port.  ATA 9.4. */
static void settle(void)
{
	for (int i = 0; i < 4; i++)
		inb(IDE_ALT);
}

/* Poll until the drive is not busy.  Its status, or STATUS_BSY when it stays so. */
static uint8_t poll(void)
{
	for (uint32_t i = 0; i < POLLS; i++) {
		uint8_t status = inb(IDE_ALT);

		if (!(status & STATUS_BSY) || status == STATUS_NONE)
			return status;
	}
	return STATUS_BSY;
}

/* Reset the channel.  False: the drive does not come back. */
static bool reset(void)
{
	outb(IDE_CONTROL, CONTROL_SRST);
	for (int i = 0; i < 3; i++) /* at least 5 us, ATA 9.2 */
		settle();
	outb(IDE_CONTROL, 0);
	settle();
	return !(poll() & STATUS_BSY);
}

static void fail(const char *what, uint8_t status)
{
	struct request *r = block_head(&hda);
	/* A sector that is written went through the port before the drive says how it went. */
	uint32_t at = r->sector + moved - (r->write && moved);

	klog("hda: %s sector %u: %s, status %#x, error %#x\n", r->write ? "write" : "read", at,
	     what, status, inb(IDE_ERROR));
	block_done(&hda, -EIO);
}

static void put_sector(struct request *r)
{
	outsw(IDE_DATA, request_sector(r, moved++), SECTOR_WORDS);
}

static void ide_start(struct block_device *d)
{
	struct request *r = block_head(d);
	uint8_t status;

	moved = 0;
	if (dead) {
		block_done(d, -EIO);
		return;
	}
	status = poll();
	if (status & STATUS_BSY) {
		fail("drive stays busy", status);
		return;
	}
	outb(IDE_DEVICE, DEVICE_MASTER | r->sector >> 24);
	outb(IDE_COUNT, (uint8_t)r->count); /* 256 is written as 0 */
	outb(IDE_LBA0, (uint8_t)r->sector);
	outb(IDE_LBA8, (uint8_t)(r->sector >> 8));
	outb(IDE_LBA16, (uint8_t)(r->sector >> 16));
	outb(IDE_COMMAND, r->write ? CMD_WRITE : CMD_READ);
	if (!r->write)
		return;
	/* The first sector of a write is asked for without an interrupt, ATA 9.8. */
	settle();
	status = poll();
	if (!(status & STATUS_DRQ) || status & STATUS_BSY)
		fail("drive takes no data", status);
	else
		put_sector(r);
}

/* The drive wants something: a sector to be fetched or brought, or to say how it went. */
static void serve(void)
{
	uint8_t status = inb(IDE_STATUS);
	struct request *r = block_head(&hda);

	if (!hda.busy || status & STATUS_BSY)
		return;
	if (status & (STATUS_ERR | STATUS_DF)) {
		fail("drive reports an error", status);
	} else if (r->write && moved == r->count) {
		block_done(&hda, 0);
	} else if (!(status & STATUS_DRQ)) {
		return; /* not for us; if it was, overdue() ends the request */
	} else if (r->write) {
		put_sector(r);
	} else {
		insw(IDE_DATA, request_sector(r, moved++), SECTOR_WORDS);
		if (moved == r->count)
			block_done(&hda, 0);
	}
}

static void ide_interrupt(struct trapframe *f)
{
	(void)f;
	serve();
}

static void ide_overdue(struct block_device *d)
{
	struct request *r = block_head(d);
	uint32_t before = moved;

	serve();
	if (block_head(d) != r || !d->busy || moved != before) {
		klog("hda: an interrupt was lost\n");
		return;
	}
	dead = !reset();
	if (dead)
		klog("hda: no answer, not even to a reset: given up\n");
	fail("timed out", inb(IDE_ALT));
}

/* Ask the drive who it is, by polling: its sectors, or 0 with a line in the log unless there is
 * none. */
static uint32_t identify(void)
{
	static uint16_t id[SECTOR_WORDS];
	uint8_t status = inb(IDE_ALT);

	if (status == STATUS_NONE)
		return 0;
	outb(IDE_CONTROL, CONTROL_NIEN);
	outb(IDE_DEVICE, DEVICE_MASTER);
	settle();
	if (inb(IDE_ALT) == 0) /* a channel without a drive */
		return 0;
	if (poll() & STATUS_BSY) {
		klog("ide: the drive stays busy: ignored\n");
		return 0;
	}
	outb(IDE_COMMAND, CMD_IDENTIFY);
	settle();
	if (inb(IDE_ALT) == 0)
		return 0;
	status = poll();
	if (status & (STATUS_BSY | STATUS_ERR | STATUS_DF) || !(status & STATUS_DRQ)) {
		klog("ide: the drive does not say what it is (status %#x): ignored\n", status);
		return 0;
	}
	insw(IDE_DATA, id, SECTOR_WORDS);
	if (!(id[ID_CAPABILITIES] & CAPABLE_LBA)) {
		klog("ide: the drive knows no LBA: ignored\n");
		return 0;
	}
	return MIN(id[ID_SECTORS] | (uint32_t)id[ID_SECTORS + 1] << 16, LBA28_SECTORS);
}

struct block_device *ide_probe(void)
{
	hda.sectors = identify();
	if (!hda.sectors)
		return NULL;
	inb(IDE_STATUS); /* nothing of the polling may look like an interrupt later */
	outb(IDE_CONTROL, 0);
	irq_register(14, ide_interrupt);
	hda.name = "hda";
	hda.start = ide_start;
	hda.overdue = ide_overdue;
	return &hda;
}
