/*
 * plugin.c - QEMU's processors, and a TLB model beside each.
 *
 * A plugin of QEMU's code generator: it is shown each block of guest code as it is translated, and
 * asks to be called when the block runs and when its instructions touch memory.  That feeds the
 * model (feed.h).  What a plugin cannot see the kernel publishes in its telemetry, just before: the
 * value going into CR3, the page INVLPG drops, where the descriptor tables are.
 *
 * A trap's own references are made by the processor, not by an instruction, so no callback tells of
 * them.  They are added (trap.h) when the first instruction of an entry stub runs: it is a push, so
 * its address tells where the processor pushed.
 *
 * Counting begins for a CPU when the kernel has published a page for its TLB.  Each repetition of a
 * string instruction counts as an instruction fetched, as it does for QEMU's instruction clock.
 * Not seen: the first bytes of an instruction that faults on its second page.
 *
 * Arguments: ram=FILE telemetry=PHYSICAL tlb=GEOMETRY.  Lessons 2 and 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/tlb/feed.h"
#include "monitor/tlb/guest.h"
#include "monitor/tlb/insn.h"
#include "monitor/tlb/trap.h"

#define RESET_VECTOR 0xFFFFFFF0u /* SDM 3A 9.1.4: where a processor begins */
#define IDT_BYTES    2048u	 /* SDM 3A 6.10: 256 gates of 8 */
#define CR0_WP	     (1u << 16)	 /* SDM 3A 2.5 */
#define CR4_PSE	     (1u << 4)
#define CR4_PGE	     (1u << 7)

#define SEEN_BITS 13 /* buckets of 8 pages: 64 K translations remembered a CPU */

struct cpu {
	struct feed feed;
	struct guest_cpu mmu;
	struct telemetry_cpu *published;
	uint32_t cr4;
	const struct feed_block *stub; /* a trap's first instruction is about to push */
	bool delivers;		       /* but before: see delivery_told_too() */
};

/* At distances of a power of two: found by a shift, millions of times a second. */
static union {
	struct cpu cpu;
	char room[1 << 15];
} cpus[TELEMETRY_CPUS];

EXPORTED extern int qemu_plugin_version;
int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static struct guest guest;
static struct tlb_geometry geometry;
static const char *geometry_text = "386";

/*
 * The bits of a qemu_plugin_meminfo_t that make it a store.  Asking QEMU at each access would cost
 * a call; asking it for reads and writes to be told apart does not work (7.2 calls the
 * wrong ones).
 */
static uint32_t store_bits;

/*
 * exact=on: every instruction by itself, the slow way.  A profile has it so.  The quick way counts
 * a block when it begins; one in 50 runs that idle much differed by a block that QEMU had begun and
 * taken back.
 */
static bool one_by_one;

/* --- beginning to count ---------------------------------------------------------- */

static void charge(struct feed *f, uint32_t load)
{
	struct telemetry *t = guest.telemetry;

	(void)f;
	if (t->events - load <= TELEMETRY_EVENTS) /* else its event is overwritten already */
		t->event[load % TELEMETRY_EVENTS].misses++;
}

static void check_version(void)
{
	if (guest.telemetry->magic != TELEMETRY_MAGIC ||
	    guest.telemetry->version == TELEMETRY_VERSION)
		return;
	fprintf(stderr,
		"TLB model: the kernel's telemetry is version %u, the model's %u: make both anew\n",
		guest.telemetry->version, TELEMETRY_VERSION);
	exit(1);
}

/* Attach a CPU whose kernel is ready for it. */
static void try_attach(struct cpu *c)
{
	struct telemetry_tlb *out;
	struct tlb_seen seen = { .bits = SEEN_BITS };

	check_version();
	if (guest.telemetry->magic != TELEMETRY_MAGIC || !c->published->tlb || !c->published->cr3)
		return;
	out = guest_memory(&guest, c->published->tlb, sizeof(*out));
	seen.bucket = calloc(1u << SEEN_BITS, sizeof(*seen.bucket));
	if (!out || !seen.bucket) {
		fprintf(stderr, "TLB model: no memory for it\n");
		exit(1);
	}
	c->mmu.cr3 = c->published->cr3;
	memset(out, 0, sizeof(*out));
	feed_attach(&c->feed, &geometry, geometry_text, out, &c->published->space, guest_walk,
		    &c->mmu, seen);
	out->wp_writes = c->feed.nowhere.wp_writes; /* it happens before there is a page */
}

/*
 * The machine begins anew, with this processor; the others sleep.  What the last kernel published
 * would still be read in its RAM, and its pages for TLBs belong to who knows whom soon.
 */
static void machine_is_reset(unsigned int n, void *data)
{
	(void)n, (void)data;
	memset(guest.telemetry, 0, sizeof(*guest.telemetry));
	for (uint32_t i = 0; i < TELEMETRY_CPUS; i++) {
		struct cpu *c = &cpus[i].cpu;

		free(c->feed.tlb.seen.bucket);
		c->feed.tlb.seen.bucket = NULL;
		feed_init(&c->feed);
		c->mmu.large_pages = false;
		c->cr4 = 0;
		c->stub = NULL;
		c->delivers = false;
	}
}

/* --- while the guest runs ---------------------------------------------------------- */

/* The two that run most often: short, and on to the long way only at the end. */

static __attribute__((noinline)) void block_slowly(struct cpu *c, void *data)
{
	if (!c->feed.attached)
		try_attach(c);
	feed_block(&c->feed, data);
}

static void block_runs(unsigned int n, void *data)
{
	struct feed *f = &cpus[n].cpu.feed;

	asm("" : "+r"(f));
	if (!feed_block_quickly(f, data))
		block_slowly(&cpus[n].cpu, data);
}

static __attribute__((noinline)) void data_slowly(unsigned int n, qemu_plugin_meminfo_t info,
						  uint64_t vaddr, void *data)
{
	feed_data_slowly(&cpus[n].cpu.feed, vaddr, 1u << qemu_plugin_mem_size_shift(info),
			 info & store_bits, data);
}

static void data_used(unsigned int n, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct feed *f = &cpus[n].cpu.feed;

	asm("" : "+r"(f)); /* one register, please, instead of the same sum again for each field */
	if (!feed_data_quickly(f, vaddr, (info & store_bits) != 0, data))
		data_slowly(n, info, vaddr, data);
}

/*
 * QEMU 7.2 does not end the watch over the data of an instruction that leaves its block by a helper
 * (RET, IRET).  If no other instruction that has one runs before an interrupt comes, what the
 * processor itself uses to deliver that is told as data of the first, which is long over, and
 * perhaps of another block.  It is counted already (trap.h).  A delivery begins with the gate and
 * ends with the entry stub.  (A block's last instruction that does read a gate is not counted.)
 */
static bool delivery_told_too(struct cpu *c, uint32_t linear)
{
	if (linear - c->published->idt < IDT_BYTES)
		c->delivers = true;
	return c->delivers;
}

static void last_used(unsigned int n, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	if (!delivery_told_too(&cpus[n].cpu, vaddr))
		data_used(n, info, vaddr, data);
}

/* Data of a block of one instruction, which may have been taken out of a longer one. */
static void alone_used(unsigned int n, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	if (!delivery_told_too(&cpus[n].cpu, vaddr))
		data_used(n, info, vaddr, (void *)feed_alone(&cpus[n].cpu.feed, data));
}

static void instruction_runs(unsigned int n, void *data)
{
	struct cpu *c = &cpus[n].cpu;
	const struct feed_site *site = data;

	c->delivers = false;
	if (!c->feed.attached && site->index == 0)
		try_attach(c);
	feed_fetch(&c->feed, feed_block_of(site), site);
}

static void loads_cr3(unsigned int n, void *data)
{
	struct cpu *c = &cpus[n].cpu;

	c->mmu.cr3 = c->published->cr3;
	feed_flush(&c->feed, data, c->published->event, false);
}

static void writes_cr4(unsigned int n, void *data)
{
	struct cpu *c = &cpus[n].cpu;
	uint32_t cr4 = c->published->cr4;

	if ((cr4 ^ c->cr4) & (CR4_PGE | CR4_PSE))
		feed_flush(&c->feed, data, c->published->event, true);
	c->cr4 = cr4;
	c->mmu.large_pages = cr4 & CR4_PSE;
	tlb_globals(&c->feed.tlb, cr4 & CR4_PGE);
}

static void writes_cr0(unsigned int n, void *data)
{
	struct cpu *c = &cpus[n].cpu;

	(void)data;
	c->feed.out->wp_writes += (c->published->cr0 & CR0_WP) != 0;
}

static void drops_page(unsigned int n, void *data)
{
	struct cpu *c = &cpus[n].cpu;

	feed_flush_page(&c->feed, data, c->published->invlpg);
}

/* --- traps ------------------------------------------------------------------------- */

static void stub_runs(unsigned int n, void *data)
{
	struct cpu *c = &cpus[n].cpu;

	if (!c->feed.attached)
		try_attach(c);
	c->stub = data;
	c->delivers = false;
}

static void stub_pushes(unsigned int n, qemu_plugin_meminfo_t info, uint64_t vaddr, void *data)
{
	struct cpu *c = &cpus[n].cpu;
	const struct feed_block *stub = c->stub;

	if (stub && c->feed.attached) {
		trap_delivered(&c->feed, &c->mmu, c->published, stub->vector, vaddr);
		if (stub->careful)
			feed_fetch(&c->feed, stub, stub->site);
		else
			feed_block(&c->feed, stub);
	}
	c->stub = NULL;
	data_used(n, info, vaddr, data);
}

/* --- as code is translated ------------------------------------------------------------ */

/*
 * Blocks live until QEMU throws all its code away for the second time after: what was running then
 * may still be asked about.
 */
struct kept {
	struct kept *next;
	bool old;
	struct feed_block block;
};

static struct kept *kept, *kept_before;

static struct kept *kept_of(const struct feed_block *b)
{
	return (struct kept *)((const char *)b - offsetof(struct kept, block));
}

/* No processor runs meanwhile. */
static void code_is_thrown_away(qemu_plugin_id_t id)
{
	(void)id;
	for (uint32_t i = 0; i < TELEMETRY_CPUS; i++) {
		struct feed *f = &cpus[i].cpu.feed;

		if (f->block && kept_of(f->block)->old)
			feed_trap(f, FEED_ALL_DONE); /* it sleeps since, its block is done */
	}
	while (kept_before) {
		struct kept *k = kept_before;

		kept_before = k->next;
		free(k);
	}
	kept_before = kept;
	kept = NULL;
	for (struct kept *k = kept_before; k; k = k->next)
		k->old = true;
}

static void watch_effect(const struct insn *it, void *data)
{
	static const qemu_plugin_vcpu_udata_cb_t runs[] = {
		[INSN_LOADS_CR3] = loads_cr3,
		[INSN_WRITES_CR0] = writes_cr0,
		[INSN_WRITES_CR4] = writes_cr4,
		[INSN_DROPS_PAGE] = drops_page,
	};
	enum insn_effect what = insn_effect(it);

	if (what != INSN_ORDINARY)
		qemu_plugin_register_vcpu_insn_exec_cb(it->handle, runs[what],
						       QEMU_PLUGIN_CB_NO_REGS, data);
}

static struct feed_block *new_block(size_t n)
{
	struct kept *k = calloc(1, sizeof(*k) + n * sizeof(struct feed_site));

	if (!k)
		abort();
	/* processors translate at the same time; nobody walks the list meanwhile */
	k->next = __atomic_exchange_n(&kept, k, __ATOMIC_ACQ_REL);
	k->block.n = n;
	return &k->block;
}

static void block_is_translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);
	struct insn first = insn_look(tb, 0), last = insn_look(tb, n - 1);
	struct feed_block *b = new_block(n);
	qemu_plugin_vcpu_mem_cb_t last_one = last_used;
	int vector = -1;

	(void)id;
	b->vpn = first.linear >> 12;
	/*
	 * An instruction that would leave the page is translated in part, found to leave it and
	 * taken back, yet it is among the n (QEMU 7.2): only its call when it runs tells.
	 */
	b->careful = one_by_one || (last.linear + LONGEST_INSTRUCTION - 1) >> 12 != b->vpn;
	if (first.linear >= KERNEL_BASE && insn_is_push(&first))
		vector = trap_vector(&guest, first.linear);
	b->vector = vector < 0 ? 0 : vector;
	if (n == 1 && first.linear >= KERNEL_BASE && !insn_is_string(&first))
		last_one = alone_used;
	if (first.linear == RESET_VECTOR)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, machine_is_reset, QEMU_PLUGIN_CB_NO_REGS,
						     NULL);
	if (!b->careful)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, vector < 0 ? block_runs : stub_runs,
						     QEMU_PLUGIN_CB_NO_REGS, b);
	for (size_t i = 0; i < n; i++) {
		struct insn it = insn_look(tb, i);
		struct feed_site *site = &b->site[i];
		qemu_plugin_vcpu_mem_cb_t used = i == n - 1 ? last_one : data_used;

		*site = (struct feed_site){ i, it.linear & 4095, it.bytes };
		if (b->careful && i == 0 && vector >= 0)
			qemu_plugin_register_vcpu_insn_exec_cb(it.handle, stub_runs,
							       QEMU_PLUGIN_CB_NO_REGS, b);
		else if (b->careful)
			qemu_plugin_register_vcpu_insn_exec_cb(it.handle, instruction_runs,
							       QEMU_PLUGIN_CB_NO_REGS, site);
		watch_effect(&it, site);
		qemu_plugin_register_vcpu_mem_cb(it.handle,
						 vector >= 0 && i == 0 ? stub_pushes : used,
						 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, site);
	}
}

/* --- arguments ------------------------------------------------------------------------ */

/* For the launcher, which asks before it starts anything: NULL, or what is wrong with the text. */
EXPORTED const char *klaava_tlb_error(const char *text);

const char *klaava_tlb_error(const char *text)
{
	static char error[160];
	struct tlb_geometry g;

	return tlb_geometry(&g, text, error);
}

/* Which bits they are QEMU itself says.  False: it is not that simple. */
static bool find_store_bits(void)
{
	for (uint32_t bit = 1; bit; bit <<= 1)
		if (qemu_plugin_mem_is_store(bit))
			store_bits |= bit;
	return store_bits && !qemu_plugin_mem_is_store(~store_bits);
}

static int refuse(const char *what, const char *why)
{
	fprintf(stderr, "TLB model: %s: %s\n", what, why);
	return 1;
}

EXPORTED int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
				 char **argv);

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
	const char *ram = NULL, *why;
	uint64_t at = 0;

	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "ram=", 4))
			ram = argv[i] + 4;
		else if (!strncmp(argv[i], "telemetry=", 10))
			at = strtoull(argv[i] + 10, NULL, 0);
		else if (!strncmp(argv[i], "tlb=", 4))
			geometry_text = argv[i] + 4;
		else if (!strcmp(argv[i], "exact=on"))
			one_by_one = true;
		else
			return refuse(argv[i], "unknown; known: ram=, telemetry=, tlb=, exact=on");
	}
	if (!info->system_emulation || info->system.max_vcpus > TELEMETRY_CPUS)
		return refuse("machine", "needs a whole one, of at most 8 processors");
	why = klaava_tlb_error(geometry_text);
	if (why)
		return refuse("tlb", why);
	tlb_geometry(&geometry, geometry_text, (char[160]){ 0 });
	if (!ram || !at)
		return refuse("arguments", "ram= and telemetry= are needed");
	if (!find_store_bits())
		return refuse("QEMU", "its description of memory accesses is not understood");
	why = guest_open(&guest, ram, at);
	if (why)
		return refuse(ram, why);
	for (uint32_t i = 0; i < TELEMETRY_CPUS; i++) {
		cpus[i].cpu.published = &guest.telemetry->cpu[i];
		cpus[i].cpu.mmu.guest = &guest;
		cpus[i].cpu.feed.charge = charge;
		feed_init(&cpus[i].cpu.feed);
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_is_translated);
	qemu_plugin_register_flush_cb(id, code_is_thrown_away);
	return 0;
}
