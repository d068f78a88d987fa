/*
 * guest.c - the guest's memory, as the plugin sees it from outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/tlb/guest.h"

/* SDM 3A 4.3 */
#define PTE_P	  0x001u
#define PTE_W	  0x002u
#define PTE_U	  0x004u
#define PTE_PS	  0x080u
#define PTE_FLAGS 0xFFFu

const char *guest_open(struct guest *g, const char *file, uint64_t at)
{
	int fd = open(file, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return strerror(errno);
	if (fstat(fd, &st) < 0 || at + sizeof(struct telemetry) > (uint64_t)st.st_size) {
		close(fd);
		return "too small to hold the telemetry block";
	}
	g->bytes = st.st_size;
	g->ram = mmap(NULL, g->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (g->ram == MAP_FAILED)
		return strerror(errno);
	g->telemetry = (struct telemetry *)(g->ram + at);
	return NULL;
}

void *guest_memory(const struct guest *g, uint32_t at, uint32_t bytes)
{
	return (uint64_t)at + bytes <= g->bytes ? g->ram + at : NULL;
}

/* Entry `index` of the directory or table at physical `table`; 0, not present, beyond RAM. */
static uint32_t table_entry(const struct guest *g, uint32_t table, uint32_t index)
{
	const uint32_t *entry = guest_memory(g, (table & ~PTE_FLAGS) + index * 4, 4);

	return entry ? *(const volatile uint32_t *)entry : 0;
}

/* What the tables say of `linear`; false: not present. */
static bool translate(const struct guest_cpu *c, uint32_t linear, struct tlb_walk *found)
{
	uint32_t pde = table_entry(c->guest, c->cr3, linear >> 22), pte;

	found->reads = 1;
	if (!(pde & PTE_P))
		return false;
	if (c->large_pages && pde & PTE_PS) {
		found->pfn = pde >> 22 << 10 | (linear >> 12 & 1023);
		found->flags = pde & PTE_FLAGS;
		found->large = true;
		return true;
	}
	found->reads = 2;
	pte = table_entry(c->guest, pde, linear >> 12 & 1023);
	if (!(pte & PTE_P))
		return false;
	found->pfn = pte >> 12;
	found->flags = pte & PTE_FLAGS & (pde | ~(PTE_W | PTE_U));
	found->large = false;
	return true;
}

/*
 * Where the kernel wants to know which frames were used, if it does: that is looked up each time,
 * since it may begin to at any moment, and anew after a reset.
 */
static void mark_accessed(struct telemetry *t, const struct guest *g, uint32_t pfn)
{
	uint32_t at = __atomic_load_n(&t->accessed, __ATOMIC_ACQUIRE), bit = 1u << pfn % 32, *word;

	if (!at || pfn >= t->accessed_frames)
		return;
	word = guest_memory(g, at + pfn / 32 * 4, 4);
	if (!word)
		return;
	__atomic_fetch_or(word, bit, __ATOMIC_RELAXED); /* other processors set and clear others */
	t->accessed_kept = 1;
}

bool guest_walk(void *context, uint32_t linear, struct tlb_walk *found)
{
	const struct guest_cpu *c = context;

	if (!translate(c, linear, found))
		return false;
	if (linear < KERNEL_BASE && !found->large)
		mark_accessed(c->guest->telemetry, c->guest, found->pfn);
	return true;
}

uint32_t guest_read(struct guest_cpu *c, uint32_t linear)
{
	struct tlb_walk w;
	const uint32_t *word;

	if (!translate(c, linear, &w))
		return 0;
	word = guest_memory(c->guest, w.pfn << 12 | (linear & 4095), 4);
	return word ? *word : 0;
}
