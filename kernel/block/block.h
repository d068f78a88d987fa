/*
 * block.h - block devices and the one request layer above them.
 */
#pragma once

#include "lib/list.h"
#include "lib/types.h"
#include "sched/wait.h"

#define SECTOR_SIZE 512u

struct request {
	struct list link;
	uint32_t sector, count;
	void *data;
	bool write, done;
	int error; /* 0 or -EIO, when done */
	struct waitq wait;
};

struct block_device {
	const char *name; /* "hda", "ram0" */
	uint32_t sectors;
	/* Start the request at the head of the queue; its end calls block_done(). */
	void (*start)(struct block_device *d);
	struct list queue;
	bool busy;
	uint32_t requests, sectors_read, sectors_written, errors;
};

/* Queue `r`, sleep until it is done.  0, -EIO, -EINVAL (beyond the end).  Task context. */
int block_do(struct block_device *d, struct request *r);

/* The request at the head is done: wake who waits, start the next.  Interrupt context too. */
void block_done(struct block_device *d, int error);

/* Find the disk that `root` names ("ide", "ram", "" for whatever there is); NULL if there is none.  Boot. */
struct block_device *block_init(const char *root);

/* For the monitor: all devices, NULL-terminated. */
extern struct block_device *block_devices[];
