/*
 * drive.h - a model of an ATA drive behind the ports, with the faults that drives have.
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

/* Put a drive of `sectors` on the channel; host_idle delivers its interrupts. */
void drive_plug(enum drive_kind kind, uint8_t *image, uint32_t sectors);

extern enum drive_kind drive_kind;
extern uint32_t drive_bad_sector; /* fails; NO_SECTOR */
extern uint32_t drive_commands;	  /* reads and writes */
