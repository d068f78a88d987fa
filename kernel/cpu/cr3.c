/*
 * cr3.c - the one door to CR3.
 *
 * CR3 holds the physical address of the page directory.  Loading it, even with the value
 * it already has, makes the processor forget its cached translations: the cost debate A is about.
 * So every load in the kernel is here, is counted by reason, and leaves an event; and
 * so does every switch that got by without one.
 *
 * Lessons 1 and 4.
 */
#include "cpu/cr3.h"
#include "cpu/pda.h"
#include "cpu/timer.h"
#include "cpu/x86.h"
#include "sched/task.h"
#include "telemetry.h"

const char *const cr3_reason_name[CR3_REASONS] = {
	[CR3_BOOT] = "boot",	       [CR3_SWITCH] = "switch", [CR3_IDLE] = "idle",
	[CR3_EXEC] = "exec",	       [CR3_EXIT] = "exit",	[CR3_FLUSH] = "flush",
	[CR3_SHOOTDOWN] = "shootdown",
};

_Static_assert(CR3_REASONS <= TELEMETRY_REASONS, "telemetry has room for every reason");

static inline void write_cr3(uint32_t v)
{
	asm volatile("movl %0, %%cr3" : : "r"(v) : "memory");
}

/* Returns the event's number. */
static inline uint32_t log_event(enum cr3_reason why, bool loaded, uint32_t from, uint32_t to,
				 uint32_t pid_from, uint32_t pid_to)
{
	uint32_t n = __sync_fetch_and_add(&telemetry.events, 1);
	struct telemetry_event *e = &telemetry.event[n % TELEMETRY_EVENTS];

	e->t = time_ns();
	e->cpu = pda_read(cpu);
	e->from = from;
	e->to = to;
	e->pid_from = pid_from;
	e->pid_to = pid_to;
	e->reason = why;
	e->loaded = loaded;
	e->misses = 0;
	return n;
}

void cr3_load(paddr_t dir, enum cr3_reason why, uint32_t pid_from, uint32_t pid_to)
{
	struct telemetry_cpu *stats = pda_read(stats);

	stats->event = log_event(why, true, read_cr3(), dir, pid_from, pid_to);
	stats->cr3 = dir;
	stats->loads[why]++;
	pda_write(stale, 0);
	write_cr3(dir);
}

void cr3_avoided(enum cr3_reason why, uint32_t pid_from, uint32_t pid_to)
{
	uint32_t dir = read_cr3();

	log_event(why, false, dir, dir, pid_from, pid_to);
	pda_read(stats)->avoided++;
}

/*
 * The first load, which turns paging on.  Runs at the address where the kernel was loaded, in
 * one-to-one mapped memory, and without a PDA to count in: cr3_booted() does that later.
 */
__attribute__((section(".boot.text"))) void cr3_first_load(uint32_t dir);

void cr3_first_load(uint32_t dir)
{
	uint32_t cr0;

	asm volatile("movl %0, %%cr3" : : "r"(dir) : "memory");
	asm volatile("movl %%cr0, %0" : "=r"(cr0));
	asm volatile("movl %0, %%cr0" : : "r"(cr0 | CR0_PG) : "memory");
}

void cr3_booted(void)
{
	struct telemetry_cpu *stats = pda_read(stats);

	stats->loads[CR3_BOOT]++;
	stats->cr3 = read_cr3();
	stats->event = log_event(CR3_BOOT, true, 0, stats->cr3, 0, 0);
}

void cr3_reload(enum cr3_reason why)
{
	struct task *t = current;
	uint32_t pid = t->pid;

	cr3_load(read_cr3(), why, pid, pid);
}
