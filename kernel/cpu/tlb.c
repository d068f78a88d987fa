/*
 * tlb.c - making changes to page tables take effect.
 *
 * On one CPU this is INVLPG, or CR3 again.  On several, another CPU may have cached what was
 * just changed: it is asked by an interrupt (a shootdown), and the caller waits for its answer.
 * A CPU that merely borrows the space (an idle task standing on it) will not touch user
 * memory: it is only marked stale, and flushes if a task of that space comes back to it.
 *
 * Who spins with interrupts off must answer too, or two would wait for each other: see
 * kernel_lock_slow().
 *
 * Lesson 12.
 */
#include "cpu/apic.h"
#include "cpu/cr3.h"
#include "cpu/pda.h"
#include "cpu/tlb.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "mm/space.h"
#include "sched/task.h"
#include "telemetry.h"

bool cpu_has_invlpg = true;

_Static_assert(sizeof(struct telemetry_tlb) <= PAGE_SIZE, "the model of a TLB fits a page");

/* Above this many pages, dropping everything is cheaper than dropping each. */
#define PAGES_ONE_BY_ONE 8

/* What is being shot down: written by the holder of the kernel lock before it sets flush_pending.
 */
static volatile uint32_t range_first, range_end;

void tlb_flush_page(uint32_t linear)
{
	struct telemetry_cpu *stats = pda_read(stats);

	if (!cpu_has_invlpg) {
		cr3_reload(CR3_FLUSH);
		return;
	}
	stats->invlpg = linear;
	asm volatile("invlpg (%0)" : : "r"(linear) : "memory");
	stats->page_flushes++;
}

static void flush_range(uint32_t first, uint32_t end, enum cr3_reason why)
{
	if (!cpu_has_invlpg || (end - first) / PAGE_SIZE > PAGES_ONE_BY_ONE) {
		cr3_reload(why);
		return;
	}
	for (uint32_t a = first; a < end; a += PAGE_SIZE)
		tlb_flush_page(a);
}

void tlb_answer(void)
{
	struct pda *pda = this_pda();

	if (!pda->flush_pending)
		return;
	flush_range(range_first, range_end, CR3_SHOOTDOWN);
	pda->stats->shootdowns_answered++;
	pda->flush_pending = 0;
}

static void ask(struct pda *other)
{
	other->flush_pending = 1;
	pda_read(stats)->shootdowns_sent++;
	apic_send(other->apic_id, TRAP_SHOOTDOWN);
}

static void wait_for_answers(void)
{
	for (uint32_t i = 0; i < cpu_count; i++)
		while (pda_of[i]->flush_pending)
			cpu_pause();
}

void tlb_shootdown(struct space *s, uint32_t first, uint32_t end)
{
	struct pda *me = this_pda();
	bool asked = false;

	if (me->space->dir == s->dir)
		flush_range(first, end, CR3_FLUSH);
	if (cpu_count == 1)
		return;

	range_first = first;
	range_end = end;
	for (uint32_t i = 0; i < cpu_count; i++) {
		struct pda *other = pda_of[i];

		if (other == me)
			continue;
		if (other->space->dir != s->dir) {
			me->stats->shootdowns_elsewhere++;
			continue;
		}
		if (!other->task->space) {
			other->stale = 1;
			me->stats->shootdowns_lazy++;
			continue;
		}
		ask(other);
		asked = true;
	}
	if (asked)
		wait_for_answers();
}

uint32_t tlb_cpus_on(const struct space *s)
{
	uint32_t cpus = 0;

	for (uint32_t i = 0; i < cpu_count; i++)
		if (pda_of[i]->space->dir == s->dir)
			cpus |= 1u << i;
	return cpus;
}

void tlb_flush_cpus(uint32_t cpus)
{
	uint32_t me = 1u << pda_read(cpu);

	if (cpus & me)
		cr3_reload(CR3_FLUSH);
	if (!(cpus & ~me))
		return;
	range_first = 0;
	range_end = KERNEL_BASE;
	for (uint32_t i = 0; i < cpu_count; i++)
		if ((cpus & ~me) >> i & 1)
			ask(pda_of[i]);
	wait_for_answers();
}

void tlb_publish(uint32_t cpu)
{
	void *page = frame_alloc_zeroed(FRAME_KERNEL);

	if (page)
		telemetry.cpu[cpu].tlb = virt_to_phys(page);
}
