/*
 * space.c - whose memory a processor sees.
 *
 * A space is a page directory and a window of it.  A private space has a
 * directory of its own; all shared spaces use one, each behind a window of
 * 64 MB.  Switching between two spaces costs a CR3 load, and with it the TLB,
 * exactly when their directories differ: debate A lives in that comparison.
 *
 * Every CPU holds one reference to the space it stands on, so a space may
 * outlive its last task: see space_switch().
 *
 * Tunables: space.model, idle.space.  Lessons 1, 2 and 4.
 */
#include "mm/space.h"
#include "cpu/cr3.h"
#include "cpu/pda.h"
#include "cpu/tlb.h"
#include "lib/errno.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/swap.h"
#include "sched/task.h"
#include "telemetry.h"

const char *const space_model_name[] = { "private", "shared", NULL };

int space_model = SPACE_PRIVATE;
int idle_eager;

struct list space_list = LIST_INIT(space_list);

struct space kernel_space = {
	.refs = 1, /* for ever */
	.model = SPACE_SHARED,
	.areas = LIST_INIT(kernel_space.areas),
	.name = "kernel",
};

static uint64_t windows_used = 1; /* a bit each; window 0 stays free, as task 0's did */

static uint32_t generations;

void space_init(void)
{
	kernel_space.dir = common_dir;
}

/* --- beginning and end ------------------------------------------------------ */

static int take_private(struct space *s)
{
	s->dir = frame_alloc_zeroed(FRAME_TABLE);
	if (!s->dir)
		return -ENOMEM;
	memcpy(s->dir + KERNEL_FIRST_DIR, common_dir + KERNEL_FIRST_DIR,
	       (PTES - KERNEL_FIRST_DIR) * sizeof(pte_t));
	s->limit = KERNEL_BASE;
	s->tables = 1;
	return 0;
}

static int take_window(struct space *s)
{
	for (uint32_t slot = 0; slot < WINDOWS; slot++) {
		if (windows_used >> slot & 1)
			continue;
		windows_used |= 1ull << slot;
		s->slot = slot;
		s->dir = common_dir;
		s->base = slot << WINDOW_SHIFT;
		s->limit = WINDOW_SIZE;
		return 0;
	}
	return -EAGAIN;
}

int space_create(enum space_model model, struct space **out)
{
	struct space *s = kzalloc(sizeof(*s));
	int error;

	if (!s)
		return -ENOMEM;
	error = model == SPACE_PRIVATE ? take_private(s) : take_window(s);
	if (error) {
		kfree(s);
		return error;
	}
	s->generation = ++generations;
	s->refs = s->users = 1;
	s->model = model;
	list_init(&s->areas);
	list_add_tail(&s->all, &space_list);
	*out = s;
	return 0;
}

struct space *space_get(struct space *s)
{
	s->refs++;
	return s;
}

/* The entries of a table went when its pages did: the frame is all zeros again. */
static void free_tables(struct space *s)
{
	for (uint32_t word = 0; word < ARRAY_SIZE(s->table_map); word++) {
		for (uint32_t bits = s->table_map[word]; bits; bits &= bits - 1) {
			pte_t *pde = &s->dir[word * 32 + __builtin_ctz(bits)];

			frame_put_zeroed(pte_table(*pde));
			*pde = 0;
		}
	}
}

/* Nobody stands on it any more: directory and tables go. */
static noinline void space_free(struct space *s)
{
	free_tables(s);
	if (s->model == SPACE_PRIVATE) {
		memset(s->dir + KERNEL_FIRST_DIR, 0, (PTES - KERNEL_FIRST_DIR) * sizeof(pte_t));
		frame_put_zeroed(s->dir);
	} else {
		/* Others go on standing on the common directory: no table is reused while they may
		 * walk it. */
		tlb_flush_cpus(tlb_cpus_on(s));
		windows_used &= ~(1ull << s->slot);
	}
	evict_forget(s);
	list_del(&s->all);
	kfree(s);
}

bool space_is_swapped(struct space *s, uaddr_t addr)
{
	pte_t *pte = pte_find(s->dir, s->base + addr);

	return pte_is_swapped(pte ? *pte : s->dir[DIR_INDEX(s->base + addr)]);
}

void space_put(struct space *s)
{
	if (--s->refs == 0)
		space_free(s);
}

void space_use(struct space *s)
{
	s->users++;
	s->refs++;
}

/* The tables on the disk have to be read, to know what they name: first the frames, at once. */
static noinline void end_on_disk(struct space *s)
{
	if (space_drop_pages(s, 0, s->limit))
		tlb_shootdown(s, s->base, s->base + s->limit);
	swap_forget_tables(s);
}

void space_unuse(struct space *s)
{
	if (s->users == 1 && unlikely(s->tables_swapped))
		end_on_disk(s);
	if (--s->users == 0)
		space_unmap(s, 0, s->limit);
	space_put(s);
}

/* --- standing on one ---------------------------------------------------------- */

/* Make `next` this CPU's space: bookkeeping only.  Returns the one left, with its reference; NULL
 * if the same. */
static always_inline struct space *stand_on(struct space *next)
{
	struct space *prev = pda_read(space);
	uint32_t bit = 1u << pda_read(cpu);

	if (next == prev)
		return NULL;
	prev->cpus &= ~bit;
	next->cpus |= bit;
	pda_read(stats)->space = next->generation;
	pda_write(space, space_get(next));
	return prev;
}

/*
 * May a switch from `prev` to `next` leave CR3 alone?  The build CR3=always does not ask, as Linux
 * did not before 2.1.123.  A tunable would cost as much as the question does, and what that costs
 * is just what lesson 4 wants to know.
 *
 * Who borrows a space does not use its translations, so stale ones do no harm.
 */
static inline bool is_loaded(const struct space *prev, const struct space *next,
			     enum cr3_reason why)
{
#ifdef CR3_always
	return false;
#endif
	return next->dir == prev->dir && (why == CR3_IDLE || !pda_read(stale));
}

/*
 * Make `next` the space of this CPU; NULL for a task that runs in kernel memory
 * only.  Interrupts off.  Returns the space left behind, for the caller to
 * space_put() once off the old stack; or NULL.
 *
 * A lazy CPU lets a task without a space stand on whatever it finds.  The
 * reference it keeps is what stops an exiting lender from pulling the
 * directory away under the borrower.
 */
struct space *space_switch(struct space *next, uint32_t pid_from, uint32_t pid_to)
{
	struct space *prev = pda_read(space);
	enum cr3_reason why = next ? CR3_SWITCH : CR3_IDLE;

	if (!next)
		next = idle_eager ? &kernel_space : prev;
	if (is_loaded(prev, next, why))
		cr3_avoided(why, pid_from, pid_to);
	else
		cr3_load(virt_to_phys(next->dir), why, pid_from, pid_to);
	return stand_on(next);
}

/* The running task changes spaces between two switches: not counted as avoided if no load is
 * needed. */
static void leave_for(struct space *next, enum cr3_reason why)
{
	struct space *prev = pda_read(space), *left;
	uint32_t pid = current->pid;

	if (next->dir != prev->dir || pda_read(stale))
		cr3_load(virt_to_phys(next->dir), why, pid, pid);
	left = stand_on(next);
	if (left)
		space_put(left);
}

void space_exec(struct space *next)
{
	struct task *t = current;
	struct space *old = t->space;

	t->space = next;
	leave_for(next, CR3_EXEC);
	t->segments = (struct segments){ 0 };
	segments_changed(&t->segments, next->base, next->limit);
	gdt_set_segments(&t->segments, next->limit);
	if (old)
		space_unuse(old);
}

void space_exit(void)
{
	struct task *t = current;
	struct space *old = t->space;

	if (!old)
		return;
	t->space = NULL;
	if (idle_eager)
		leave_for(&kernel_space, CR3_EXIT);
	space_unuse(old);
}
