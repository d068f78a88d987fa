/*
 * frame.c - physical memory, a frame at a time.
 *
 * Free lists through an array of struct frame.  When it runs dry the buffer cache is asked
 * to shrink; user frames and buffers leave the last few to the kernel, so that
 * killing a process to get memory back never needs memory that is not there.  Pages of programs
 * are not taken here, where nobody may sleep: who can turns the clock (evict.c).
 */
#include "mm/frame.h"
#include "boot/boot.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/bootmem.h"
#include "mm/paging.h"

struct frame *frames;
uint32_t frames_total;
uint32_t frames_of[FRAME_KINDS];

uint32_t frames_end;
static uint32_t reserve; /* frames that only the kernel and its tables may use */
static struct frame *free_list;
static struct frame *clean_list; /* free, and known to be all zeros: old page tables */
static uint32_t (*reclaim)(uint32_t wanted);
static bool (*write_back)(bool last_resort);

#define RECLAIM_BATCH 8	 /* frames asked back from the cache at a time */
#define CACHE_KEEPS   32 /* a program's page does not take the last one in so many frames from it */

static struct frame *number_to_frame(uint32_t n)
{
	return &frames[n];
}

static void *frame_address(const struct frame *f)
{
	return phys_to_virt((uint32_t)(f - frames) << PAGE_SHIFT);
}

bool frame_is_ram(paddr_t p)
{
	if (p >> PAGE_SHIFT >= frames_end)
		return false;
	for (uint32_t i = 0; i < boot_info.ram_ranges; i++)
		if (p >= boot_info.ram[i].start && p < boot_info.ram[i].end)
			return true;
	return false;
}

void frame_init(uint32_t limit)
{
	paddr_t top = MIN(boot_info.ram_top, DIRECT_MAX);

	if (limit)
		top = MIN(top, limit);
	frames_end = top >> PAGE_SHIFT;
	frames = boot_alloc(frames_end * sizeof(struct frame));
	if (!frames)
		panic("no room for the table of %u frames", frames_end);

	/* Downwards, so that the lowest free frame is the first to be used. */
	for (uint32_t n = frames_end; n--;) {
		paddr_t p = n << PAGE_SHIFT;
		struct frame *f = number_to_frame(n);

		if (!frame_is_ram(p))
			continue;
		frames_total++;
		if (boot_taken(p)) {
			f->kind = FRAME_RESERVED;
			f->refs = 1;
			frames_of[FRAME_RESERVED]++;
		} else {
			f->next = free_list;
			free_list = f;
			frames_of[FRAME_FREE]++;
		}
	}
	reserve = MIN(frames_total / 64, 32u);
	reserve = MAX(reserve, 8u);
	klog("memory: %u KB, %u KB free\n", frames_total * 4, frames_of[FRAME_FREE] * 4);
}

void frame_set_reclaim(uint32_t (*fn)(uint32_t wanted), bool (*write)(bool last_resort))
{
	reclaim = fn;
	write_back = write;
}

static bool enough(enum frame_kind kind)
{
	uint32_t keep = kind == FRAME_USER || kind == FRAME_CACHE ? reserve : 0;

	return frames_of[FRAME_FREE] > keep;
}

bool frames_reclaim(uint32_t n)
{
	return reclaim && reclaim(n);
}

/*
 * The cache does not ask itself to shrink.  For a program's page it keeps a little: what its
 * programs then read again would come from the disk block by block otherwise.
 */
static bool cache_may_shrink(enum frame_kind kind)
{
	if (kind == FRAME_USER)
		return frames_of[FRAME_CACHE] > frames_total / CACHE_KEEPS;
	return kind != FRAME_CACHE;
}

bool frames_write_back(bool last_resort)
{
	return write_back && cache_may_shrink(FRAME_USER) && write_back(last_resort);
}

bool frames_spare(uint32_t n)
{
	uint32_t want = reserve + n;

	if (frames_of[FRAME_FREE] < want && cache_may_shrink(FRAME_USER))
		frames_reclaim(want - frames_of[FRAME_FREE]);
	return frames_of[FRAME_FREE] >= want;
}

/* From `list`, or, when that is empty, the other one.  There is at least one frame. */
static struct frame *take(struct frame **list)
{
	struct frame *f;

	if (!*list)
		list = list == &free_list ? &clean_list : &free_list;
	f = *list;
	*list = f->next;
	f->next = NULL;
	return f;
}

static inline struct frame *alloc_from(struct frame **list, enum frame_kind kind)
{
	struct frame *f;

	if (unlikely(!enough(kind)) &&
	    (!cache_may_shrink(kind) || !frames_reclaim(RECLAIM_BATCH) || !enough(kind)))
		return NULL;
	f = take(list);
	f->refs = 1;
	f->kind = kind;
	frames_of[FRAME_FREE]--;
	frames_of[kind]++;
	return f;
}

void *frame_alloc(enum frame_kind kind)
{
	struct frame *f = alloc_from(&free_list, kind);

	return f ? frame_address(f) : NULL;
}

void *frame_alloc_zeroed(enum frame_kind kind)
{
	struct frame *f = alloc_from(&clean_list, kind);
	void *v;

	if (!f)
		return NULL;
	v = frame_address(f);
	return f->clean ? v : memset(v, 0, PAGE_SIZE);
}

static void release(struct frame *f, bool clean)
{
	struct frame **list = clean ? &clean_list : &free_list;

	assert(f->kind != FRAME_FREE && f->kind != FRAME_RESERVED);
	frames_of[f->kind]--;
	frames_of[FRAME_FREE]++;
	f->kind = FRAME_FREE;
	f->clean = clean;
	f->next = *list;
	*list = f;
}

void frame_put(void *v)
{
	struct frame *f = frame_of(v);

	if (--f->refs == 0)
		release(f, false);
}

void frame_put_zeroed(void *v)
{
	struct frame *f = frame_of(v);

	assert(f->refs == 1);
	f->refs = 0;
	release(f, true);
}
