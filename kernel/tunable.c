/*
 * tunable.c - every design choice, by name.
 *
 * One row each.  A choice reads its variable where it matters; nothing here knows what it means.
 */
#include "tunable.h"
#include "block/buffer.h"
#include "block/disktime.h"
#include "cpu/smp.h"
#include "cpu/timer.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/paging.h"
#include "mm/space.h"
#include "mm/swap.h"
#include "proc/exec.h"
#include "sched/sched.h"

static const char *const idle_choices[] = { "lazy", "eager", NULL };

static const char *const fail_choices[] = { "off", "read", "write", NULL };

static const char *const fork_choices[] = { "cow", "eager", NULL };

static const char *const exec_choices[] = { "demand", "eager", NULL };

static const char *const on_off[] = { "off", "on", NULL };

static const char *const size_special[] = { "dynamic", "096c", NULL };

static const char *const policy_choices[] = { "lru", "clock", "fifo", NULL };

static const char *const density_choices[] = { "4", "2", NULL };

static const char *const write_choices[] = { "back", "through", NULL };

const struct tunable tunables[] = {
	{ .name = "space.model",
	  .value = &space_model,
	  .choices = space_model_name,
	  .help = "next program: a directory of its own, or a window of one for all",
	  .lesson = "2" },
	{ .name = "idle.space",
	  .value = &idle_eager,
	  .choices = idle_choices,
	  .help = "idle task: keep the last task's directory, or load the kernel's",
	  .lesson = "4" },
	{ .name = "swap.tables",
	  .value = &swap_tables,
	  .choices = on_off,
	  .help = "page tables: stay in memory, or follow their pages to the disk",
	  .lesson = "6" },
	{ .name = "swap.invalidate",
	  .value = &swap_invalidate,
	  .choices = on_off,
	  .help = "clear ACCESSED in memory only, as 0.97 did, or in the TLBs too",
	  .lesson = "6" },
	{ .name = "swap.fail",
	  .value = &swap_fail,
	  .choices = fail_choices,
	  .help = "reads from the swap area, or writes to it, fail: to see what happens" },
	{ .name = "fork.copy",
	  .value = &fork_eager,
	  .choices = fork_choices,
	  .help = "fork: a page is copied when it is next written, or at once",
	  .lesson = "7" },
	{ .name = "exec.load",
	  .value = &exec_eager,
	  .choices = exec_choices,
	  .help = "exec: a page is read when it is first used, or all of them at once",
	  .lesson = "7" },
	{ .name = "text.share",
	  .value = &text_share,
	  .choices = on_off,
	  .help = "read-only pages of a program: one for each process, or one for all",
	  .lesson = "7" },
	{ .name = "sched.slice",
	  .value = &sched_slice,
	  .min = 1,
	  .max = 1000,
	  .help = "ticks a task may run before the next one's turn",
	  .lesson = "2" },
	{ .name = "sched.hz",
	  .value = &sched_hz,
	  .min = 20,
	  .max = 1000,
	  .boot_only = true,
	  .help = "timer ticks a second",
	  .lesson = "2" },
	{ .name = "page.global",
	  .value = &page_global,
	  .choices = on_off,
	  .boot_only = true,
	  .help = "a load of CR3 drops the kernel's pages too, or spares them (Pentium Pro)",
	  .lesson = "4" },
	{ .name = "cpu.invlpg",
	  .value = &cpu_may_invlpg,
	  .choices = on_off,
	  .boot_only = true,
	  .help = "to drop one page: load CR3 as a 386 must, or INVLPG",
	  .lesson = "2" },
	{ .name = "cpu.wp",
	  .value = &cpu_may_wp,
	  .choices = on_off,
	  .boot_only = true,
	  .help = "copies to users: check rights first as on a 386, or let CR0.WP do it" },
	{ .name = "cpu.sysenter",
	  .value = &cpu_may_sysenter,
	  .choices = on_off,
	  .boot_only = true,
	  .help = "system calls by int 0x80 only, or by SYSENTER as well (Pentium II)",
	  .lesson = "11" },
	{ .name = "clock.pit",
	  .value = &pit_hz,
	  .min = 100000,
	  .max = 5000000,
	  .boot_only = true,
	  .help = "the PIT's frequency: machine profiles scale time by it" },
	{ .name = "cache.size",
	  .value = &cache_size,
	  .choices = size_special,
	  .min = 64,
	  .max = 65536,
	  .help = "buffer cache: grows and shrinks with free memory, or is fixed: as in 0.96c, or "
		  "KB",
	  .lesson = "8",
	  .changed = cache_size_changed },
	{ .name = "cache.policy",
	  .value = &cache_policy,
	  .choices = policy_choices,
	  .help = "the block to go: longest unused, not used lately, or longest there",
	  .lesson = "8" },
	{ .name = "cache.density",
	  .value = &cache_sparse,
	  .choices = density_choices,
	  .help = "buffers of 1 KB in a new page: all that fit, or every other one as in 0.97",
	  .lesson = "8" },
	{ .name = "cache.readahead",
	  .value = &cache_readahead,
	  .min = 0,
	  .max = READ_RUN_MAX - 1,
	  .help = "a file's blocks that come along with one that is read; 0: none",
	  .lesson = "8" },
	{ .name = "cache.write",
	  .value = &cache_write,
	  .choices = write_choices,
	  .help = "a change reaches the disk later, or before the call that made it returns",
	  .lesson = "9" },
	{ .name = "cache.flush",
	  .value = &cache_flush,
	  .min = 0,
	  .max = 3600,
	  .help = "seconds until what changed is written; 0: by sync, or who needs the buffer",
	  .lesson = "9",
	  .changed = cache_flush_changed },
	{ .name = "cache.order",
	  .value = &cache_order,
	  .choices = on_off,
	  .help = "writes reach the disk as they come, or so that it can always be repaired",
	  .lesson = "9" },
	{ .name = "disk.rpm",
	  .value = &disk_rpm,
	  .min = 0,
	  .max = 20000,
	  .boot_only = true,
	  .help = "RAM disk: turns a minute of the disk it stands for; 0: no waiting",
	  .lesson = "8" },
	{ .name = "disk.seek_min",
	  .value = &disk_seek_min,
	  .min = 0,
	  .max = 100000,
	  .boot_only = true,
	  .help = "us to the next cylinder",
	  .lesson = "8" },
	{ .name = "disk.seek_max",
	  .value = &disk_seek_max,
	  .min = 0,
	  .max = 500000,
	  .boot_only = true,
	  .help = "us from the first cylinder to the last",
	  .lesson = "8" },
	{ .name = "disk.cylinders",
	  .value = &disk_cylinders,
	  .min = 1,
	  .max = 16383,
	  .boot_only = true,
	  .help = "cylinders of the disk",
	  .lesson = "8" },
	{ .name = "disk.heads",
	  .value = &disk_heads,
	  .min = 1,
	  .max = 16,
	  .boot_only = true,
	  .help = "its surfaces",
	  .lesson = "8" },
	{ .name = "disk.sectors",
	  .value = &disk_sectors,
	  .min = 1,
	  .max = 255,
	  .boot_only = true,
	  .help = "sectors of a track",
	  .lesson = "8" },
	{ .name = "disk.elevator",
	  .value = &disk_elevator,
	  .choices = on_off,
	  .help = "requests that wait: first come, first served, or in the arm's way up the disk",
	  .lesson = "8" },
	{ .name = "disk.fail",
	  .value = &disk_fail,
	  .choices = fail_choices,
	  .help = "reads of the file system's disk, or writes to it, fail: to see what happens",
	  .lesson = "9" },
};

const uint32_t tunable_count = ARRAY_SIZE(tunables);

const struct tunable *tunable_find(const char *name)
{
	for (uint32_t i = 0; i < tunable_count; i++)
		if (!strcmp(tunables[i].name, name))
			return &tunables[i];
	return NULL;
}

static bool is_number(const struct tunable *t)
{
	return t->max > 0;
}

bool tunable_parse(const struct tunable *t, const char *text, int *value)
{
	uint32_t n;

	for (int i = 0; t->choices && t->choices[i]; i++) {
		if (!strcmp(t->choices[i], text)) {
			*value = is_number(t) ? -1 - i : i;
			return true;
		}
	}
	if (!is_number(t) || !parse_u32(text, &n) || n > INT32_MAX || (int)n < t->min ||
	    (int)n > t->max)
		return false;
	*value = n;
	return true;
}

int tunable_set(const char *name, const char *value, bool booting)
{
	const struct tunable *t = tunable_find(name);
	int v;

	if (!t)
		return -ENOENT;
	if (!tunable_parse(t, value, &v))
		return -EINVAL;
	if (t->boot_only && !booting)
		return -EBUSY;
	*t->value = v;
	if (t->changed)
		t->changed();
	return 0;
}

const char *tunable_text(const struct tunable *t, char *buf, size_t size)
{
	if (!is_number(t))
		return t->choices[*t->value];
	if (*t->value < 0)
		return t->choices[-1 - *t->value];
	snprintf(buf, size, "%d", *t->value);
	return buf;
}

const char *tunable_allowed(const struct tunable *t, char *buf, size_t size)
{
	size_t n = 0;

	for (int i = 0; t->choices && t->choices[i]; i++)
		n += snprintf(buf + MIN(n, size), size - MIN(n, size), "%s%s", i ? " | " : "",
			      t->choices[i]);
	if (is_number(t))
		snprintf(buf + MIN(n, size), size - MIN(n, size), "%s%d to %d", n ? " | " : "",
			 t->min, t->max);
	return buf;
}
