/*
 * swap.c - the slots of the swap area.
 *
 * The one idea: a slot counts the entries that name it, as a frame does; fork makes it two, and
 * whoever takes its page back makes it one less.  A transfer counts as a user, so that a slot
 * given up meanwhile is not taken by somebody else before the disk is through with it.
 *
 * Slots are taken one behind the other, so that pages that go together lie together, and one
 * request moves them.
 *
 * Tunable: swap.fail.  Lesson 6.
 */
#include "mm/swap.h"
#include "block/block.h"
#include "lib/errno.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "mm/kalloc.h"
#include "sched/wait.h"
#include "telemetry.h"

#define PAGE_SECTORS (PAGE_SIZE / SECTOR_SIZE)

#define COUNTS	     ((uint32_t)(PAGE_SIZE / sizeof(uint16_t))) /* slots a frame counts users of */
#define COUNT_FRAMES 8
#define BAD	     UINT16_MAX

int swap_fail;

static struct swap_area area;
static uint16_t *counts[COUNT_FRAMES];
static uint32_t next; /* where to look for a free slot first */

static struct telemetry_swap *const count = &telemetry.swap;

static struct list transfers = LIST_INIT(transfers);
static struct waitq transfer_end = WAITQ_INIT(transfer_end);

static uint16_t *users_of(uint32_t slot)
{
	return &counts[slot / COUNTS][slot % COUNTS];
}

/* Where the model of a TLB keeps what ACCESSED bits would say; without it those are read. */
static void publish_accessed(void)
{
	uint32_t bytes = ALIGN_UP(frames_end / 8 + 1, sizeof(uint32_t));
	void *bits = bytes <= KMALLOC_MAX ? kzalloc(bytes) : NULL;

	if (!bits)
		return;
	telemetry.accessed_frames = frames_end;
	telemetry.accessed = virt_to_phys(bits);
}

void swap_init(void)
{
	uint32_t slots;

	publish_accessed();
	area = block_find_swap();
	slots = MIN(area.sectors / PAGE_SECTORS, COUNTS * COUNT_FRAMES);
	for (uint32_t at = 0; at < slots; at += COUNTS) {
		counts[at / COUNTS] = frame_alloc_zeroed(FRAME_KERNEL);
		if (!counts[at / COUNTS])
			slots = at;
	}
	if (slots && !swap_tables_init())
		slots = 0;
	count->slots = slots;
	if (slots)
		klog("swap: %u KB on %s\n", slots * (PAGE_SIZE / 1024), area.dev->name);
}

uint32_t swap_users(uint32_t slot)
{
	uint16_t users = *users_of(slot);

	return users == BAD ? 0 : users;
}

uint32_t swap_take(void)
{
	if (count->used + count->bad >= count->slots)
		return SWAP_NONE;
	for (;; next++) {
		if (next >= count->slots)
			next = 0;
		if (!*users_of(next))
			break;
	}
	*users_of(next) = 1;
	count->used++;
	return next++;
}

void swap_get(uint32_t slot)
{
	uint16_t *users = users_of(slot);

	assert(*users && *users < BAD - 1);
	++*users;
}

void swap_put(uint32_t slot)
{
	uint16_t *users = users_of(slot);

	assert(*users && *users != BAD);
	if (--*users == 0)
		count->used--;
}

void swap_condemn(uint32_t slot)
{
	assert(*users_of(slot) == 0);
	*users_of(slot) = BAD;
	count->bad++;
	klog("swap: slot %u cannot be written: not used any more\n", slot);
}

bool swap_is_busy(uint32_t slot)
{
	struct swap_transfer *t;

	list_for_each_entry (t, &transfers, link)
		if (slot - t->first < t->n)
			return true;
	return false;
}

void swap_wait(void)
{
	sleep_on(&transfer_end);
}

enum swap_slot_state swap_slot_state(uint32_t slot, uint32_t *users)
{
	*users = swap_users(slot);
	if (*users_of(slot) == BAD)
		return SLOT_BAD;
	if (!*users)
		return SLOT_FREE;
	return swap_is_busy(slot) ? SLOT_BUSY : SLOT_USED;
}

static bool made_to_fail(bool write)
{
	return swap_fail == (write ? SWAP_WRITE_FAILS : SWAP_READ_FAILS);
}

void swap_begin(struct swap_transfer *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		++*users_of(t->first + i);
	list_add(&t->link, &transfers);
}

void swap_end(struct swap_transfer *t)
{
	list_del(&t->link);
	for (uint32_t i = 0; i < t->n; i++)
		swap_put(t->first + i);
	wake_all(&transfer_end);
}

int swap_move(bool write, uint32_t first, uint32_t n, void *const *pages)
{
	struct swap_transfer t = { .first = first, .n = n };
	struct request r = {
		.sector = area.first + first * PAGE_SECTORS,
		.count = n * PAGE_SECTORS,
		.parts = pages,
		.part_sectors = PAGE_SECTORS,
		.write = write,
	};
	int error = -EIO;

	swap_begin(&t);
	if (!made_to_fail(write))
		error = block_do(area.dev, &r);
	swap_end(&t);
	if (write)
		count->writes++;
	else
		count->reads++;
	if (error)
		count->errors++;
	return error;
}
