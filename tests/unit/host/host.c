/*
 * host.c - the small world of host.h.
 */
#include "host.h"

#include <pthread.h>
#include <sys/stat.h>

#include "boot/boot.h"
#include "cpu/timer.h"
#include "lib/printf.h"
#include "mm/kalloc.h"

/* cmocka would swallow the signal, and with it the report. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_segv=2";
}

struct telemetry telemetry;
struct boot_info boot_info;
volatile uint32_t timer_ticks;
uint32_t timer_hz = 100;
uint32_t time_boot_epoch = 712627200; /* 1 August 1992 */

uint64_t time_ns(void)
{
	return timer_ticks * (1000000000ull / timer_hz);
}

/* Like a machine whose PIT is taken: the RAM disk answers at once. */
bool timer_once(uint64_t ns, void (*fn)(void))
{
	(void)ns;
	(void)fn;
	return false;
}

/* --- memory --- */

uint32_t frames_total, frames_end, frames_of[FRAME_KINDS];
uint32_t host_fail_at, host_allocations, host_objects;
void *host_module;

static uint32_t (*reclaim)(uint32_t wanted);
bool (*host_write_back)(bool last_resort);

void host_memory(uint32_t frames)
{
	buffer_drop();
	frames_total = frames_end = frames;
	frames_of[FRAME_FREE] = frames;
}

static bool allocation_fails(void)
{
	host_allocations++;
	if (!host_fail_at)
		return false;
	if (host_fail_at > 1)
		host_fail_at--;
	return host_fail_at == 1;
}

void *frame_alloc(enum frame_kind kind)
{
	char *p;

	if (allocation_fails())
		return NULL;
	if (!frames_of[FRAME_FREE] && (!reclaim || !reclaim(1)))
		return NULL;
	p = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
	assert_non_null(p);
	memset(p, 0xA5, PAGE_SIZE);
	frames_of[FRAME_FREE]--;
	frames_of[kind]++;
	return p;
}

void *frame_alloc_zeroed(enum frame_kind kind)
{
	void *p = frame_alloc(kind);

	return p ? memset(p, 0, PAGE_SIZE) : NULL;
}

void frame_put(void *v)
{
	frames_of[FRAME_CACHE]--; /* the only kind that is ever given back here */
	frames_of[FRAME_FREE]++;
	free(v);
}

void frame_set_reclaim(uint32_t (*fn)(uint32_t wanted), bool (*write)(bool last_resort))
{
	reclaim = fn;
	host_write_back = write;
}

void *phys_to_virt(paddr_t p)
{
	return (char *)host_module + p;
}

void *kmalloc(size_t size)
{
	if (size > KMALLOC_MAX || allocation_fails())
		return NULL;
	host_objects++;
	return malloc(size);
}

void *kzalloc(size_t size)
{
	void *p = kmalloc(size);

	return p ? memset(p, 0, size) : NULL;
}

void kfree(void *p)
{
	if (p)
		host_objects--;
	free(p);
}

/* --- the log --- */

char host_log[65536];
static size_t log_length;

void host_log_clear(void)
{
	host_log[0] = '\0';
	log_length = 0;
}

void klog(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (log_length < sizeof(host_log) - 1)
		log_length +=
			vsnprintf(host_log + log_length, sizeof(host_log) - log_length, fmt, ap);
	va_end(ap);
	if (log_length > sizeof(host_log) - 1)
		log_length = sizeof(host_log) - 1;
}

/* --- where bytes go --- */

int io_check(const struct io *io, size_t n, bool write)
{
	(void)io;
	(void)n;
	(void)write;
	fail(); /* there is no user here */
	return 0;
}

/* --- disks --- */

static struct disk *disks;

static bool fails(struct disk *d, const struct request *r)
{
	if (d->fail_in == 1) {
		d->fail_in = d->fail_then == FAIL_ALL;
		if (d->fail_then == FAIL_SECTOR)
			d->fail_sector = r->sector;
		return true;
	}
	if (d->fail_in)
		d->fail_in--;
	if (d->fail_writes && r->write)
		return true;
	return d->fail_sector >= r->sector && d->fail_sector - r->sector < r->count;
}

void disk_finish(struct disk *d)
{
	struct request *r = block_head(&d->dev);
	uint8_t *at = d->image + (size_t)r->sector * SECTOR_SIZE;

	assert_true(d->dev.busy);
	if (fails(d, r)) {
		block_done(&d->dev, -EIO);
		return;
	}
	for (uint32_t i = 0; i < r->count; i++, at += SECTOR_SIZE) {
		if (r->write)
			memcpy(at, request_sector(r, i), SECTOR_SIZE);
		else
			memcpy(request_sector(r, i), at, SECTOR_SIZE);
	}
	if (r->write && d->written)
		d->written(r->sector, r->count);
	block_done(&d->dev, 0);
}

static void disk_start(struct block_device *dev)
{
	struct disk *d = container_of(dev, struct disk, dev);

	d->reads++;
	if (d->mode == DISK_AT_ONCE)
		disk_finish(d);
}

static struct disk *disk_make(size_t bytes)
{
	struct disk *d = calloc(1, sizeof(*d));

	d->dev.name = "disk";
	d->dev.sectors = bytes / SECTOR_SIZE;
	d->dev.start = disk_start;
	list_init(&d->dev.queue);
	d->image = malloc(bytes);
	d->fail_sector = NO_SECTOR;
	d->next = disks;
	disks = d;
	return d;
}

struct disk *disk_new(uint32_t bytes)
{
	struct disk *d = disk_make(bytes);

	for (uint32_t i = 0; i < bytes / 4; i++)
		((uint32_t *)d->image)[i] = i * 4;
	return d;
}

struct disk *disk_open(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct disk *d;
	struct stat st;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	d = disk_make(st.st_size);
	assert_int_equal(fread(d->image, 1, st.st_size, f), st.st_size);
	fclose(f);
	return d;
}

void disk_free(struct disk *d)
{
	struct disk **p = &disks;

	while (*p != d)
		p = &(*p)->next;
	*p = d->next;
	free(d->image);
	free(d);
}

/* --- tasks --- */

struct host_task {
	pthread_t thread;
	void (*fn)(void *arg);
	void *arg;
	struct waiter waiter;
	bool woken, ended;
	pthread_cond_t wake;
};

bool (*host_idle)(void);

static pthread_mutex_t kernel_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint32_t tasks, asleep;
static __thread struct host_task *me;

/* The test itself holds the lock from the beginning. */
static __attribute__((constructor)) void take_lock(void)
{
	pthread_mutex_lock(&kernel_lock);
}

/* The test sleeps: let the disks work, or time pass.  True if something happened. */
static bool let_world_turn(void)
{
	for (struct disk *d = disks; d; d = d->next) {
		if (d->dev.busy) {
			disk_finish(d);
			return true;
		}
	}
	return host_idle && host_idle();
}

void sleep_on(struct waitq *w)
{
	if (!me) {
		if (!let_world_turn())
			fail_msg("asleep for ever");
		return;
	}
	list_add_tail(&me->waiter.link, &w->waiters);
	me->woken = false;
	asleep++;
	pthread_cond_signal(&changed);
	while (!me->woken)
		pthread_cond_wait(&me->wake, &kernel_lock);
}

int sleep_on_limit(struct waitq *w, uint32_t ticks)
{
	if (!me && !let_world_turn()) {
		timer_ticks += ticks;
		return -EAGAIN;
	}
	if (me)
		sleep_on(w);
	return 0;
}

void wake_all(struct waitq *w)
{
	while (!list_empty(&w->waiters)) {
		struct host_task *t = list_first(&w->waiters, struct host_task, waiter.link);

		list_del(&t->waiter.link);
		t->woken = true;
		asleep--;
		pthread_cond_signal(&t->wake);
	}
}

static void *task_main(void *arg)
{
	me = arg;
	pthread_mutex_lock(&kernel_lock);
	me->fn(me->arg);
	me->ended = true;
	tasks--;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&kernel_lock);
	return NULL;
}

struct host_task *host_start(void (*fn)(void *arg), void *arg)
{
	struct host_task *t = calloc(1, sizeof(*t));

	t->fn = fn;
	t->arg = arg;
	list_init(&t->waiter.link);
	pthread_cond_init(&t->wake, NULL);
	tasks++;
	assert_int_equal(pthread_create(&t->thread, NULL, task_main, t), 0);
	host_settle();
	return t;
}

uint32_t host_settle(void)
{
	while (asleep < tasks)
		pthread_cond_wait(&changed, &kernel_lock);
	return asleep;
}

void host_join(struct host_task *t)
{
	host_settle();
	assert_true(t->ended);
	pthread_mutex_unlock(&kernel_lock);
	pthread_join(t->thread, NULL);
	pthread_mutex_lock(&kernel_lock);
	free(t);
}

bool host_no_buffer_in_use(void)
{
	for (struct buffer *b = buffer_next(NULL); b; b = buffer_next(b))
		if (b->refs || b->locked)
			return false;
	return true;
}
