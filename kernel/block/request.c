/*
 * request.c - the queue in front of every disk.
 *
 * Requests are put at the tail; the driver works on the head and says block_done() when it is
 * through, often from an interrupt.  Who becomes the head is decided when the disk is free: the one
 * that has waited longest, or, as an elevator goes, the next one on the arm's way up, and from the
 * last of them back to the lowest.  So the arm passes over the disk once for all that wait, and
 * nobody waits for more than one round.
 *
 * A disk may fall silent.  The sleepers are the ones who find out: they wake when the head has been
 * with the device for too long, and ask the driver to end it.
 *
 * Tunable: disk.elevator.  Lesson 8.
 */
#include "block/block.h"
#include "boot/boot.h"
#include "cpu/timer.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "mm/kalloc.h"

#define REQUEST_SECONDS 5 /* longer than any drive retries a bad sector */

struct block_device *block_devices[3];

int disk_elevator = 1;

/*
 * Put the request whose turn it is at the head: the one least far above the arm.  What lies below
 * the arm is, in unsigned numbers, beyond all that lies above, the lowest first.
 */
static void choose(struct block_device *d)
{
	struct request *r, *next = NULL;

	if (!disk_elevator)
		return;
	list_for_each_entry (r, &d->queue, link)
		if (!next || r->sector - d->arm < next->sector - d->arm)
			next = r;
	list_del(&next->link);
	list_add(&next->link, &d->queue);
}

/*
 * Hand requests to an idle device.  A device that ends its request inside start() comes
 * back here through block_done(): `starting` turns that recursion into another turn of the loop.
 */
static void start_requests(struct block_device *d)
{
	if (d->starting)
		return;
	d->starting = true;
	while (!d->busy && !list_empty(&d->queue)) {
		struct request *r;

		choose(d);
		r = block_head(d);
		d->seeks += r->sector != d->arm;
		d->arm = r->sector + r->count;
		d->busy = true;
		d->started = timer_ticks;
		d->start(d);
	}
	d->starting = false;
}

int block_submit(struct block_device *d, struct request *r)
{
	if (!r->count || r->count > REQUEST_SECTORS_MAX || r->sector >= d->sectors ||
	    r->count > d->sectors - r->sector)
		return -EINVAL;
	r->done = false;
	r->error = 0;
	waitq_init(&r->wait);
	list_add_tail(&r->link, &d->queue);
	start_requests(d);
	return 0;
}

/*
 * After the world was stopped for a while all sleepers wake at once, though the disk was not slow.
 * The first of them finds out, and then the head, another or not, has only just begun.
 */
void block_sleep(struct waitq *w)
{
	uint32_t patience = REQUEST_SECONDS * timer_hz;

	sleep_on_limit(w, patience);
	for (uint32_t i = 0; block_devices[i]; i++) {
		struct block_device *d = block_devices[i];

		if (!d->busy || !d->overdue || timer_ticks - d->started < patience)
			continue;
		d->started = timer_ticks; /* it gets another turn, should it go on */
		d->overdue(d);
	}
}

int block_do(struct block_device *d, struct request *r)
{
	int err;

	r->end = NULL;
	err = block_submit(d, r);
	if (err)
		return err;
	while (!r->done)
		block_sleep(&r->wait);
	return r->error;
}

void block_done(struct block_device *d, int error)
{
	struct request *r = block_head(d);

	list_del(&r->link);
	d->busy = false;
	d->requests++;
	if (error)
		d->errors++;
	else if (r->write)
		d->sectors_written += r->count;
	else
		d->sectors_read += r->count;
	r->error = error;
	r->done = true;
	if (r->end)
		r->end(r);
	else
		wake_all(&r->wait);
	start_requests(d);
}

static struct block_device *add(struct block_device *d)
{
	uint32_t n = 0;

	if (!d)
		return NULL;
	while (block_devices[n])
		n++;
	block_devices[n] = d;
	list_init(&d->queue);
	klog("%s: %u KB\n", d->name, d->sectors / 2);
	return d;
}

struct block_device *block_init(const char *root)
{
	struct block_device *d = NULL;
	bool ram = !strcmp(root, "ram"), ide = !strcmp(root, "ide");

	if (*root && !ram && !ide)
		klog("root=%s: neither ide nor ram; taking what there is\n", root);
	if (!ide)
		d = add(ramdisk_probe());
	if (!d && !ram)
		d = add(ide_probe(0));
	if (!d)
		klog("block: no disk%s%s\n", ram || ide ? " for root=" : "",
		     ram || ide ? root : "");
	return d;
}

/* mkswap(8) leaves its signature at the end of the first page. */
#define SWAP_SIGNATURE	 "SWAPSPACE2"
#define SIGNATURE_LENGTH (sizeof(SWAP_SIGNATURE) - 1)
#define SIGNATURE_AT	 (PAGE_SIZE - SIGNATURE_LENGTH)
#define SECTORS_PER_PAGE (PAGE_SIZE / SECTOR_SIZE)

/* May `d` be swapped to?  Nothing is ever written to a disk that does not say so itself. */
static bool has_signature(struct block_device *d)
{
	struct request r = { .sector = SIGNATURE_AT / SECTOR_SIZE, .count = 1 };
	char *sector = kmalloc(SECTOR_SIZE);
	int error;
	bool there;

	if (!sector)
		return false;
	r.data = sector;
	error = block_do(d, &r);
	there = !error &&
		!memcmp(sector + SIGNATURE_AT % SECTOR_SIZE, SWAP_SIGNATURE, SIGNATURE_LENGTH);
	kfree(sector);
	if (!there)
		klog("swap: %s: %s: left alone\n", d->name,
		     error ? "cannot be read" : "mkswap has not been here");
	return there;
}

struct swap_area block_find_swap(void)
{
	struct block_device *root = block_devices[0], *d;
	bool ram = root && !strcmp(root->name, "ram0");

	if (boot_info.swap_size && ram)
		return ramdisk_swap();
	if (boot_info.swap_size)
		klog("swap: swap= is for a RAM disk, and there is none\n");
	d = add(ide_probe(1));
	if (!d || !has_signature(d))
		return (struct swap_area){ 0 };
	return (struct swap_area){ .dev = d,
				   .first = SECTORS_PER_PAGE,
				   .sectors = d->sectors - SECTORS_PER_PAGE };
}
