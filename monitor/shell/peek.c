/*
 * peek.c - looking at memory without ever faulting.
 *
 * The monitor looks at what may be broken, in contexts where a fault would be fatal: so
 * every address is translated by hand first, through tables that are checked to be RAM.
 */
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"

/* RAM, or the first megabyte, where the BIOS and the screen are. */
static bool readable(paddr_t p)
{
	return p < DIRECT_MAX && (p < 0x100000 || frame_is_ram(p));
}

pte_t *peek_table(pte_t pde)
{
	paddr_t p = pde & PAGE_MASK;

	if (!(pde & PTE_P) || (pde & PTE_PS) || p >= DIRECT_MAX || !frame_is_ram(p))
		return NULL;
	return phys_to_virt(p);
}

bool peek_translate(const pte_t *dir, uint32_t linear, paddr_t *p)
{
	pte_t pde = dir[DIR_INDEX(linear)], pte;
	const pte_t *table;

	if ((pde & (PTE_P | PTE_PS)) == (PTE_P | PTE_PS)) {
		*p = (pde & ~(TABLE_SPAN - 1)) | (linear & (TABLE_SPAN - 1));
		return true;
	}
	table = peek_table(pde);
	if (!table)
		return false;
	pte = table[TBL_INDEX(linear)];
	*p = (pte & PAGE_MASK) | (linear & ~PAGE_MASK);
	return pte & PTE_P;
}

const char *peek_swapped(const pte_t *dir, uint32_t linear, uint32_t *slot)
{
	pte_t e = dir[DIR_INDEX(linear)];
	const pte_t *table = peek_table(e);

	if (table)
		e = table[TBL_INDEX(linear)];
	*slot = pte_slot(e);
	if (!pte_is_swapped(e))
		return NULL;
	return table ? "the page" : "the table";
}

bool peek_phys(paddr_t p, void *dst, uint32_t n)
{
	if (!n || p + n - 1 < p || !readable(p) || !readable(p + n - 1))
		return false;
	memcpy(dst, phys_to_virt(p), n);
	return true;
}

bool peek_linear(const pte_t *dir, uint32_t linear, void *dst, uint32_t n)
{
	while (n) {
		uint32_t part = MIN(n, PAGE_SIZE - (linear & ~PAGE_MASK));
		paddr_t p;

		if (!peek_translate(dir, linear, &p) || !peek_phys(p, dst, part))
			return false;
		linear += part;
		dst = (char *)dst + part;
		n -= part;
	}
	return true;
}

bool peek_user(const struct space *s, uint32_t addr, void *dst, uint32_t n)
{
	if (addr >= s->limit || n > s->limit - addr)
		return false;
	return peek_linear(s->dir, s->base + addr, dst, n);
}

bool peek_kernel(uint32_t addr, void *dst, uint32_t n)
{
	return addr >= KERNEL_BASE && peek_linear(common_dir, addr, dst, n);
}
