/*
 * block.h - block devices and the one request layer above them.
 */
#pragma once

#include "lib/list.h"
#include "lib/types.h"
#include "sched/wait.h"

#define SECTOR_SIZE	    512u
#define REQUEST_SECTORS_MAX 256u /* what one ATA command can ask for */

struct request {
	struct list link;
	uint32_t sector, count;
	void *data; /* where the sectors are to lie, one behind the other */
	/* Or, with data NULL, in parts of so many sectors, each anywhere. */
	void *const *parts;
	uint32_t part_sectors;
	bool write, done;
	int error; /* 0 or -EIO, when done */
	/*
	 * Called when it is done, also from an interrupt, with the kernel lock held; the request is
	 * its own again.  NULL: who sleeps on `wait` is woken.
	 */
	void (*end)(struct request *r);
	struct waitq wait;
};

/* Where sector `i` of the request lies in memory. */
static inline void *request_sector(const struct request *r, uint32_t i)
{
	char *part = r->data;

	if (!part) {
		part = r->parts[i / r->part_sectors];
		i %= r->part_sectors;
	}
	return part + i * SECTOR_SIZE;
}

struct block_device {
	const char *name; /* "hda", "ram0" */
	uint32_t sectors;
	/* Start the request at the head of the queue; when it is done block_done() is called. */
	void (*start)(struct block_device *d);
	/* The head has taken longer than a disk may: finish it somehow.  NULL: cannot happen. */
	void (*overdue)(struct block_device *d);
	struct list queue;
	bool busy;	  /* the head is with the device */
	bool starting;	  /* start_requests() is running */
	uint32_t started; /* tick at which the head went to the device */
	uint32_t arm;	  /* the sector behind the latest request: where its arm stands */
	uint32_t requests, sectors_read, sectors_written, errors;
	uint32_t seeks; /* requests that did not begin where the one before had ended */
};

extern int disk_elevator; /* tunable disk.elevator */

/*
 * Queue `r`, which stays where it is until its end.  0, -EINVAL (beyond the end; `end` is not
 * called).  Does not sleep; may call `end` before it returns.
 */
int block_submit(struct block_device *d, struct request *r);

/*
 * Sleep on `w` for something that a request's end does, and see to it meanwhile that no disk falls
 * silent.  May return early: look again.  Task context.
 */
void block_sleep(struct waitq *w);

/* Queue `r`, sleep until it is done.  0, -EIO, -EINVAL (beyond the end).  Task context. */
int block_do(struct block_device *d, struct request *r);

/* The request at the head is done: say so to who waits, start the next.  Interrupt context too. */
void block_done(struct block_device *d, int error);

/* The request that the device is working on. */
static inline struct request *block_head(const struct block_device *d)
{
	return list_first(&d->queue, struct request, link);
}

/* Find the disk that `root` names ("ide", "ram", "" for whatever there is); NULL if there is none.
 * Boot. */
struct block_device *block_init(const char *root);

/* Where memory may be swapped to; sectors 0: nowhere. */
struct swap_area {
	struct block_device *dev;
	uint32_t first, sectors;
};

/*
 * Find it, after block_init(): behind the image of the RAM disk where the command line's swap= asks
 * for that, else the disk of the second IDE channel, if it says that it is one.  Boot, in a task.
 */
struct swap_area block_find_swap(void);

/* For the monitor: all devices, NULL-terminated. */
extern struct block_device *block_devices[];

/* Drivers: the device if it is there, else NULL.  IDE channels: 0 (hda) and 1 (hdc).  Boot. */
struct block_device *ide_probe(uint32_t channel);
struct block_device *ramdisk_probe(void);

/* What of the RAM disk lies behind its image; sectors 0: nothing. */
struct swap_area ramdisk_swap(void);
