/*
 * drive.h - a model of two ATA drives, each behind its channel's ports, with the faults that drives
 * have.
 */
#pragma once

#include "host/host.h"

enum drive_kind {
	DRIVE_GOOD,
	DRIVE_NONE,	 /* nobody drives the bus: all ones */
	DRIVE_EMPTY,	 /* a channel without a drive: zeros */
	DRIVE_BUSY,	 /* never gets ready */
	DRIVE_PACKET,	 /* a CD drive: refuses IDENTIFY */
	DRIVE_SILENT,	 /* takes a command and falls silent; a reset wakes it */
	DRIVE_DEAD,	 /* not even that */
	DRIVE_LOSES_IRQ, /* has the data, but no interrupt comes */
};

struct drive {
	enum drive_kind kind;
	uint32_t bad_sector; /* fails; NO_SECTOR */
	uint32_t reads, writes;
	/* The rest is drive.c's. */
	uint8_t *disk;
	uint32_t sectors;
	uint8_t regs[8], control, status;
	bool irq, writing, identifying;
	uint32_t sector, left; /* of the command, not yet moved */
	uint16_t id[256];
};

/* Masters of the primary and the secondary channel. */
extern struct drive drives[2];

/* Put a drive of `sectors` on a channel; host_idle delivers its interrupts. */
void drive_plug(uint32_t channel, enum drive_kind kind, uint8_t *image, uint32_t sectors);
