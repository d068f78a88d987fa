/*
 * host.h - a small world around block/ and fs/ for tests on the host.
 *
 * Memory is the heap, with a limit and failures on demand.  A disk is an image in memory.  Tasks
 * are threads under one lock, which is the kernel's lock: a test says when a disk is done, and in
 * between waits until every task sleeps or has ended.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <cmocka.h>

#include "block/buffer.h"
#include "fs/inode.h"
#include "lib/errno.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "telemetry.h"

/* --- memory --- */

/* Pretend `frames` frames of memory, none used.  What the cache still has is dropped first. */
void host_memory(uint32_t frames);

/* The n-th allocation from now fails (1: the next), and every one after it; 0: none. */
extern uint32_t host_fail_at;
extern uint32_t host_allocations;		  /* ever */
extern uint32_t host_objects;			  /* from kmalloc, not yet freed */
extern void *host_module;			  /* physical address 0 */
extern bool (*host_write_back)(bool last_resort); /* what the kernel would call when short */

/* --- the log --- */

extern char host_log[65536]; /* what klog() said since host_log_clear() */
void host_log_clear(void);

/* --- disks --- */

enum disk_mode {
	DISK_AT_ONCE,	/* a request ends inside start() */
	DISK_LATER,	/* when somebody sleeps */
	DISK_WHEN_TOLD, /* by disk_finish() */
};

struct disk {
	struct block_device dev;
	uint8_t *image;
	enum disk_mode mode;
	uint32_t reads;	      /* requests */
	uint32_t fail_sector; /* requests that touch it fail; NO_SECTOR */
	bool fail_writes;     /* all of them */
	void (*written)(uint32_t sector, uint32_t count); /* called after each write that worked */
	/* The n-th request from now fails (1: the next); 0: none.  And then? */
	uint32_t fail_in;
	enum { FAIL_ONCE, FAIL_SECTOR, FAIL_ALL } fail_then; /* its first sector stays bad */
	struct disk *next;
};

#define NO_SECTOR UINT32_MAX

/* A disk of `bytes`, filled so that every word says where it is. */
struct disk *disk_new(uint32_t bytes);

/* A disk from a file. */
struct disk *disk_open(const char *path);
void disk_free(struct disk *d);

/* End the request at the head of the queue. */
void disk_finish(struct disk *d);

/* --- tasks --- */

/* Run fn(arg) as a task; it stops at its first sleep. */
struct host_task *host_start(void (*fn)(void *arg), void *arg);

/* Wait until every task sleeps or has ended.  Returns how many sleep. */
uint32_t host_settle(void);

/* Wait for the end of a task. */
void host_join(struct host_task *t);

/* Called when the test itself sleeps and no disk has anything to do; true: something happened. */
extern bool (*host_idle)(void);

/* True if no buffer has a reference. */
bool host_no_buffer_in_use(void);
