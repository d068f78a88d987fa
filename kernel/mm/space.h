/*
 * space.h - address spaces, private and shared.
 *
 * See space.c.  Addresses of areas are window-relative (uaddr_t): the same program has the
 * same addresses in both models.  linear = base + address.
 */
#pragma once

#include "lib/list.h"
#include "mm/paging.h"

enum space_model { SPACE_PRIVATE, SPACE_SHARED };

extern const char *const space_model_name[];

#define WINDOW_SHIFT 26 /* 64 MB, as in 1992 */
#define WINDOW_SIZE  (1u << WINDOW_SHIFT)
#define WINDOWS	     (KERNEL_BASE >> WINDOW_SHIFT)
#define STACK_LIMIT  (8u << 20) /* how far a user stack may grow, in bytes */

/* Area flags; the first three are mmap's and ELF's idea of rights. */
#define AREA_READ  1u
#define AREA_WRITE 2u
#define AREA_EXEC  4u
#define AREA_STACK 8u /* grows down, on demand, to STACK_LIMIT */
#define AREA_HEAP  16u

/*
 * Where an area's contents come from: a file, seen from below.  The room that maps (exec)
 * hands it down.  read() fills n bytes from offset into kernel memory, may sleep: 0 or -errno.
 */
struct backing {
	int (*read)(void *object, uint32_t offset, void *dst, uint32_t n);
	void (*get)(void *object);
	void (*put)(void *object);
	bool frozen; /* it does not change while an area has it */
};

struct area {
	struct list link;   /* of space->areas, ascending */
	uaddr_t start, end; /* page-aligned */
	uint32_t flags;
	const struct backing *backing; /* NULL: zeros */
	void *object;
	uint32_t offset;   /* in the file, of `start` */
	uint32_t file_len; /* bytes from `start` that come from the file; zeros behind */
};

struct space {
	uint32_t refs;	/* CPUs that stand on it + tasks: directory and tables live as long */
	uint32_t users; /* tasks: user frames and areas live as long */
	pte_t *dir;
	uint32_t generation;  /* no other space ever has it; 0: the kernel's */
	uint32_t base, limit; /* the window; limit in bytes */
	enum space_model model;
	uint32_t slot;
	struct list areas;
	uaddr_t brk_start, brk;
	uint32_t tables; /* frames: directory (private) and tables */
	uint32_t table_map[KERNEL_FIRST_DIR /
			   32];	 /* a bit for each directory entry that has a table */
	uint32_t rss;		 /* user frames mapped */
	uint32_t swapped;	 /* pages on the disk, those in tables on the disk included */
	uint32_t tables_swapped; /* tables on the disk */
	uint32_t pinned; /* its task sleeps in the middle of a fault: its tables stay where they are
			  */
	uint32_t peak_rss;
	uint32_t faults;
	uint32_t cpus; /* bit mask of CPUs standing on it */
	struct list all;
	uint32_t pid; /* of the first task that had it, for display */
	char name[16];
};

/* Every space but the kernel's; dead ones that a CPU still borrows too (users == 0). */
extern struct list space_list;
extern struct space kernel_space;

extern int space_model; /* tunable: enum space_model of the next program */
extern int idle_eager;	/* tunable: idle.space */
extern int fork_eager;	/* tunable: fork.copy */
extern int text_share;	/* tunable: text.share */

void space_init(void);

/* Clear the entries of [start, end) and give their frames back.  The caller flushes.  True: there
 * were some. */
bool space_drop_pages(struct space *s, uaddr_t start, uaddr_t end);

/* A new empty space with one reference and one user.  0, -ENOMEM, -EAGAIN (no free window). */
int space_create(enum space_model model, struct space **out);

/* fork: a copy of `s`, same model, copy-on-write or at once.  0, -ENOMEM, -EAGAIN. */
int space_fork(struct space *s, struct space **out);

/* A task more uses `s`; one less: with the last, user frames and areas are freed, which may sleep.
 */
void space_use(struct space *s);
void space_unuse(struct space *s);

struct space *space_get(struct space *s);
void space_put(struct space *s);

/*
 * Make `next` the space of this CPU; NULL for a task that runs in kernel memory only.
 * Returns the space left behind, for the caller to space_put() when off the old stack; or NULL.
 */
struct space *space_switch(struct space *next, uint32_t pid_from, uint32_t pid_to);

/* The running task takes `next` (exec): drops its old one. */
void space_exec(struct space *next);

/* The running task gives up its space (exit). */
void space_exit(void);

/*
 * Map [start, start + len) (page-aligned, within the window).  Takes a reference to object.
 * 0, -ENOMEM, -EINVAL (out of the window), -EEXIST (overlaps).
 */
int space_map(struct space *s, uaddr_t start, uint32_t len, uint32_t flags,
	      const struct backing *backing, void *object, uint32_t offset, uint32_t file_len);

/* Unmap whatever is in the range; areas are split.  0, -EINVAL, -ENOMEM. */
int space_unmap(struct space *s, uaddr_t start, uint32_t len);

/* Change rights (AREA_READ/WRITE/EXEC).  0, -ENOMEM (a hole in the range), -EINVAL. */
int space_protect(struct space *s, uaddr_t start, uint32_t len, uint32_t rights);

/* A free range of `len` bytes for mmap, searched from below the stack downwards; 0: none. */
uaddr_t space_find_free(struct space *s, uint32_t len);

/* Set the break.  Returns the new (or, if impossible, the unchanged) break. */
uaddr_t space_brk(struct space *s, uaddr_t brk);

/* The area that holds `addr`, or NULL. */
struct area *space_area(struct space *s, uaddr_t addr);

/* True if the page at `addr`, or its table, is on the disk. */
bool space_is_swapped(struct space *s, uaddr_t addr);

/* The entry for `linear`, with its table made if there is none; NULL: no memory. */
pte_t *space_entry(struct space *s, uint32_t linear);

/*
 * Resolve a fault of the current task at window-relative `addr`; `error` as the processor
 * reports it.  0: go on.  -EFAULT: no right; -ENOMEM: no memory; -EIO: the file could not be read.
 * May sleep.
 */
int space_fault(struct space *s, uaddr_t addr, uint32_t error);

/* The same, and makes room if memory is short; -ENOMEM only when there is none to be had. */
int space_resolve(struct space *s, uaddr_t addr, uint32_t error);

/*
 * Where the kernel finds byte `at` of a space that no CPU stands on, for writing, up to the end of
 * its page and until somebody else runs; NULL: it cannot be had.  May sleep.
 */
void *space_writable(struct space *s, uaddr_t at);

/* Bytes of the page at `page` that come from the area's file. */
uint32_t bytes_from_file(const struct area *a, uaddr_t page);

/*
 * share.c: if another space has the very page that `a` would read from its file, take that.  True:
 * it is mapped.  Does not sleep.
 */
bool share_page(struct space *s, const struct area *a, uaddr_t page);

/* Highest address of a new stack. */
static inline uaddr_t space_stack_top(const struct space *s)
{
	return s->limit;
}
