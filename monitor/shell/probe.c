/*
 * probe.c - tlb probe: which of a process's pages has the processor cached, really?
 *
 * A processor sets ACCESSED when it walks the tables, not when it finds the page in its TLB.  So:
 * clear ACCESSED in memory without telling the processor, touch the page, look again.  Set: it
 * walked, so the page was not cached.  Still clear: it was.
 *
 * Loading the directory to look would empty the TLB one looks for, so this runs on a CPU that
 * stands on it already, in ring 3 (an emulator caches user and kernel translations apart), from a
 * page at the kernel's end of memory that only then is open to ring 3.  Traps lead back here: for
 * the time of the probe the CPU uses a table of gates of our own.
 *
 * What it disturbs: every page probed is cached afterwards, the probe's own page pushed something
 * out, and a page touched may have replaced another before that one's turn came.
 *
 * Lesson 3.
 */
#include "cpu/gdt.h"
#include "cpu/pda.h"
#include "cpu/smp.h"
#include "cpu/tlb.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/gates.h"
#include "monitor/shell/probe.h"
#include "monitor/shell/shell.h"

#define ACCESS_USER_CODE 0xFAu /* SDM 3A 3.4.5: present, ring 3, code, readable */
#define ACCESS_USER_DATA 0xF2u
#define SELECTOR_CODE	 ((GDT_PROBE << 3) | 3)
#define SELECTOR_DATA	 (((GDT_PROBE + 1) << 3) | 3)

extern const char probe_code[], probe_code_end[];
uint32_t probe_enter(uint32_t eip, uint32_t esp, uint32_t cs, uint32_t ds, uint32_t *esp0);
void probe_return(void);

struct probe_page probe_page __attribute__((aligned(PAGE_SIZE), section(".bss.stacks")));

_Static_assert(sizeof(probe_page) <= PAGE_SIZE, "one page must do");

struct probe probe;

/* The gates of the probe: every trap of ring 3 comes back. */
static void build_gates(void)
{
	gates_copy();
	for (uint32_t v = 0; v < 32; v++)
		if (v != TRAP_NMI && v != TRAP_DOUBLE)
			gates_set(v, (uint32_t)probe_return);
}

/* Open the page to ring 3 in directory `dir`, or close it again. */
static void open_page(pte_t *dir, bool open)
{
	pte_t *pde = &dir[DIR_INDEX(&probe_page)], *pte = pte_find(dir, (uint32_t)&probe_page);

	*pde = open ? *pde | PTE_U : *pde & ~PTE_U;
	if (pte)
		*pte = open ? *pte | PTE_U : *pte & ~PTE_U;
	tlb_flush_page((uint32_t)&probe_page);
}

/* Clear ACCESSED of each page, touch them all from ring 3, see where it came back. */
static bool measure(pte_t *dir, struct pda *pda)
{
	uint32_t esp0 = pda->tss.esp0, left;

	pda->gdt[GDT_PROBE] = gdt_descriptor(0, 0, ACCESS_USER_CODE);
	pda->gdt[GDT_PROBE + 1] = gdt_descriptor(0, 0, ACCESS_USER_DATA);
	gates_use(true);
	for (uint32_t i = 0; i < probe_page.count; i++) {
		pte_t *pte = pte_find(dir, probe_page.addr[i]);

		probe.state[i] = *pte & PTE_A ? PROBE_ACCESSED : 0;
		*pte &= ~PTE_A;
	}
	left = probe_enter((uint32_t)probe_page.code, (uint32_t)&probe_page, SELECTOR_CODE,
			   SELECTOR_DATA, &pda->tss.esp0);
	for (uint32_t i = 0; i < probe_page.count; i++) {
		pte_t *pte = pte_find(dir, probe_page.addr[i]);

		if (!(*pte & PTE_A))
			probe.state[i] |= PROBE_CACHED;
		if (probe.state[i] & PROBE_ACCESSED)
			*pte |= PTE_A;
		else
			*pte &= ~PTE_A;
	}
	gates_use(false);
	pda->tss.esp0 = esp0;
	pda->gdt[GDT_PROBE] = pda->gdt[GDT_PROBE + 1] = 0;
	return !left;
}

/* On the CPU that was chosen; interrupts off, nobody else changes these tables. */
void probe_here(void)
{
	struct pda *pda = this_pda();
	pte_t *dir = pda->space->dir;

	if (!probe.wanted || pda->cpu != probe.cpu)
		return;
	probe.wanted = false;
	if (dir != probe.dir) /* it went elsewhere before it could be stopped */
		return;
	memcpy(probe_page.code, probe_code, probe_code_end - probe_code);
	build_gates();
	open_page(dir, true);
	probe.done = measure(dir, pda);
	open_page(dir, false);
}
