/*
 * tlbview.c - entries of the TLB model, and whose pages they are.
 *
 * An entry is a number of a page, of a frame and a few bits.  What makes it worth looking at
 * is known to the kernel: which process, which function, which stack; and whether the page tables
 * still say the same.  Lessons 2 and 3.
 */
#include "cpu/pda.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"
#include "sched/task.h"

extern char kernel_bss_end[], kernel_end[];

#define KERNEL_FIRST_VPN (KERNEL_BASE >> PAGE_SHIFT)
#define FIRST_MB	 0x100000u

/* --- the copy --------------------------------------------------------------------- */

/* Where a model writes, whether there is one or not. */
static const struct telemetry_tlb *page_of(uint32_t cpu)
{
	return telemetry.cpu[cpu].tlb ? phys_to_virt(telemetry.cpu[cpu].tlb) : NULL;
}

const struct telemetry_tlb *tlb_model(uint32_t cpu)
{
	const struct telemetry_tlb *t = cpu < cpu_count ? page_of(cpu) : NULL;

	return t && t->attached ? t : NULL;
}

/*
 * Frames for copies: of the CPU we woke on, and of another.  Without a model they are taken and
 * copied to as well: to be looked at must change nothing, neither times nor free frames.
 */
static struct telemetry_tlb *found, *other;
static uint32_t found_cpu;

void tlb_prepare(void)
{
	found = frame_alloc(FRAME_KERNEL);
	other = frame_alloc(FRAME_KERNEL);
	if (found)
		tlb_woke();
}

/* Copying makes references itself.  The first time warms what they need, and nothing changes while
 * the second goes on. */
void tlb_woke(void)
{
	const struct telemetry_tlb *t = page_of(pda_read(cpu));

	found_cpu = pda_read(cpu);
	for (uint32_t i = 0; i < 2 && found && t; i++)
		memcpy(found, t, sizeof(*found));
}

/*
 * Without memory for copies, the thing itself.  A stop may come while the live monitor prints one,
 * which it then finds changed: only its output suffers, since the geometry stays.
 */
const struct telemetry_tlb *tlb_look(uint32_t cpu)
{
	const struct telemetry_tlb *t = tlb_model(cpu);

	if (!t || !found || !other)
		return t;
	if (cpu == found_cpu)
		return found;
	return memcpy(other, t, sizeof(*other));
}

int tlb_no_model(void)
{
	return fail("No TLB model is attached: TLB=386 with make run or make batch does that.");
}

/* --- words -------------------------------------------------------------------------- */

const char *tlb_part_name(const struct telemetry_tlb *t, uint32_t part)
{
	static const char *const names[] = {
		[TELEMETRY_TLB_UNIFIED] = "unified",
		[TELEMETRY_TLB_INSTRUCTIONS] = "instructions",
		[TELEMETRY_TLB_DATA] = "data",
		[TELEMETRY_TLB_LARGE] = "large",
	};

	return names[t->part[part].role];
}

const char *tlb_flags(uint32_t flags, char buf[TLB_FLAGS])
{
	static const struct {
		pte_t bit;
		char letter;
	} letters[] = {
		{ PTE_P, 'V' }, { PTE_D, 'D' }, { PTE_U, 'U' }, { PTE_W, 'W' }, { PTE_G, 'G' },
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(letters); i++)
		buf[i] = flags & letters[i].bit ? letters[i].letter : '-';
	buf[i] = 0;
	return buf;
}

/* --- whose page ------------------------------------------------------------------------ */

static struct space *space_of(uint32_t generation)
{
	struct space *s;

	list_for_each_entry (s, &space_list, all)
		if (s->generation == generation)
			return s;
	return NULL;
}

static const char *area_word(struct space *s, uint32_t linear)
{
	const struct area *a = space_area(s, linear - s->base);

	if (!a)
		return "";
	if (a->flags & (AREA_STACK | AREA_HEAP))
		return a->flags & AREA_STACK ? " stack" : " heap";
	if (!a->backing)
		return " zero";
	return a->flags & AREA_WRITE ? " data" : " text";
}

/* A task that has the space; else the one that had it first. */
static uint32_t pid_of(const struct space *s)
{
	const struct task *t;

	list_for_each_entry (t, &task_list, all)
		if (t->space == s)
			return t->pid;
	return s->pid;
}

static void user_owner(uint32_t vpn, uint32_t generation, char *buf)
{
	struct space *s = space_of(generation);

	if (s)
		snprintf(buf, TLB_OWNER, "%.7s/%u%s", s->name, pid_of(s),
			 area_word(s, vpn << PAGE_SHIFT));
	else
		str_copy(buf, "nobody", TLB_OWNER);
}

static bool is_stack(const struct task *t, uint32_t vpn)
{
	return (uint32_t)t->stack >> PAGE_SHIFT == vpn;
}

/* The pages of which somebody in particular makes use. */
static bool special_page(uint32_t vpn, char *buf)
{
	const struct task *t;
	const struct space *s;

	for (uint32_t i = 0; i < cpu_count; i++) {
		if ((uint32_t)pda_of[i] >> PAGE_SHIFT == vpn)
			return snprintf(buf, TLB_OWNER, "PDA of CPU %u", i) > 0;
		if (is_stack(pda_of[i]->idle, vpn))
			return snprintf(buf, TLB_OWNER, "idle stack, CPU %u", i) > 0;
		if (telemetry.cpu[i].tlb >> PAGE_SHIFT == vpn - KERNEL_FIRST_VPN)
			return snprintf(buf, TLB_OWNER, "this model, CPU %u", i) > 0;
	}
	list_for_each_entry (t, &task_list, all)
		if (is_stack(t, vpn))
			return snprintf(buf, TLB_OWNER, "kstack %.5s/%u", t->name, t->pid) > 0;
	list_for_each_entry (s, &space_list, all)
		if (s->dir != common_dir && (uint32_t)s->dir >> PAGE_SHIFT == vpn)
			return snprintf(buf, TLB_OWNER, "dir %.8s/%u", s->name, pid_of(s)) > 0;
	return false;
}

static void kernel_owner(uint32_t vpn, char *buf)
{
	static const char *const kinds[FRAME_KINDS] = {
		[FRAME_FREE] = "free frame",	[FRAME_KERNEL] = "kernel objects",
		[FRAME_USER] = "user frame",	[FRAME_TABLE] = "page table",
		[FRAME_CACHE] = "buffer cache", [FRAME_RESERVED] = "reserved",
	};
	uint32_t page = vpn << PAGE_SHIFT, p = page - KERNEL_BASE;
	const char *symbol;

	if (special_page(vpn, buf))
		return;
	symbol = p >= FIRST_MB && page < (uint32_t)kernel_bss_end ? symbol_of_page(page) : NULL;
	if (symbol)
		snprintf(buf, TLB_OWNER, "%.16s..", symbol);
	else if (p >= FIRST_MB && page < (uint32_t)kernel_end)
		str_copy(buf, "kernel's symbols", TLB_OWNER);
	else if (p < DIRECT_MAX && frame_is_ram(p))
		str_copy(buf, kinds[frames[p >> PAGE_SHIFT].kind % FRAME_KINDS], TLB_OWNER);
	else
		str_copy(buf, p < FIRST_MB ? "first megabyte" : "device", TLB_OWNER);
}

const char *tlb_owner(uint32_t vpn, uint32_t generation, char buf[TLB_OWNER])
{
	if (vpn < KERNEL_FIRST_VPN)
		user_owner(vpn, generation, buf);
	else
		kernel_owner(vpn, buf);
	return buf;
}

/* --- does it still agree? ------------------------------------------------------------------ */

bool tlb_translate(const pte_t *dir, uint32_t linear, pte_t *found)
{
	pte_t pde = dir[DIR_INDEX(linear)];
	const pte_t *table;

	if ((pde & (PTE_P | PTE_PS)) == (PTE_P | PTE_PS)) {
		*found = pde;
		return true;
	}
	table = peek_table(pde);
	if (!table)
		return false;
	*found = table[TBL_INDEX(linear)] & (pde | ~(PTE_W | PTE_U));
	*found &= ~PTE_PS; /* of a table's entry that bit means other things */
	return *found & PTE_P;
}

const char *tlb_stale(const struct telemetry_tlb_entry *e)
{
	const pte_t *dir = common_dir;
	const struct space *s;
	uint32_t pfn;
	pte_t pte;

	if (e->vpn < KERNEL_FIRST_VPN && e->space) {
		s = space_of(e->space);
		if (!s)
			return "space-gone";
		dir = s->dir;
	}
	if (!tlb_translate(dir, e->vpn << PAGE_SHIFT, &pte))
		return "unmapped";
	pfn = pte >> PAGE_SHIFT;
	if (pte & PTE_PS) /* cached whole, or in pieces of 4 KB */
		pfn = (pfn & ~(PTES - 1)) | (e->vpn & (PTES - 1));
	if (pfn != e->pfn)
		return "new-frame";
	if ((pte ^ e->flags) & (PTE_W | PTE_U))
		return "new-rights";
	return e->flags & PTE_D & ~pte ? "clean-again" : NULL;
}
