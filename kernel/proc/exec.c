/*
 * exec.c - a process becomes another program.
 *
 * The one idea: the new program is complete, in a space of its own, before the old one is touched:
 * until then any error leaves the old program running, and behind it nothing can fail.  Nothing of
 * the file is read here but its headers: each page comes when it is first used (fault.c asks the
 * backing).  Or all that the file has comes here (exec.load=eager), and if it cannot, the old
 * program goes on.
 *
 * An executable file is not to be trusted.  Everything in it is checked against the file's size,
 * the window and the segments before, and what is refused says why in the log.
 *
 * Tunables: space.model, exec.load.  Lesson 7.
 */

#include "proc/exec.h"
#include "cpu/fpu.h"
#include "cpu/gdt.h"
#include "cpu/pda.h"
#include "cpu/x86.h"
#include "fs/file.h"
#include "fs/namei.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/kalloc.h"
#include "mm/space.h"
#include "proc/elf.h"
#include "proc/family.h"
#include "proc/proc.h"
#include "proc/signal.h"

int exec_eager;

#define SEGMENTS_MAX 16u
#define SCRIPT_LINE  256u

/* The headers of a program while it is loaded. */
struct program {
	const char *path;
	struct inode *inode;
	uint32_t size; /* bytes of `text` that the file has */
	union {
		char text[SCRIPT_LINE];
		struct elf_header elf;
	};
	struct elf_segment segment[SEGMENTS_MAX];
};

/* --- a program's file as the contents of areas ---------------------------- */

static int file_read(void *object, uint32_t offset, void *dst, uint32_t n)
{
	struct io io = IO_KERNEL(dst, n);
	ssize_t done = inode_read(object, offset, &io);

	if (done < 0)
		return done;
	return (uint32_t)done == n ? 0 : -EIO;
}

static void file_get(void *object)
{
	inode_ref(object);
}

static void file_drop(void *object)
{
	inode_put(object);
}

const struct backing inode_backing = { .read = file_read, .get = file_get, .put = file_drop };

/* What runs, or is about to, must stay as it is: file_open() asks for `texts`. */
static void program_get(void *object)
{
	inode_ref(object)->texts++;
}

static void program_put(void *object)
{
	struct inode *i = object;

	i->texts--;
	inode_put(i);
}

static const struct backing program_backing = {
	.read = file_read,
	.get = program_get,
	.put = program_put,
	.frozen = true,
};

/* --- checking ------------------------------------------------------------- */

static int refuse(const struct program *p, const char *why)
{
	klog("exec: %s: %s\n", p->path, why);
	return -ENOEXEC;
}

static int open_program(struct program *p, const char *path, struct inode *cwd)
{
	struct io io = IO_KERNEL(p->text, sizeof(p->text));
	int err = path_lookup(path, cwd, LOOKUP_FOLLOW, &p->inode);
	ssize_t n;

	if (err)
		return err;
	p->path = path;
	p->inode->texts++;
	if ((p->inode->mode & S_IFMT) != S_IFREG || !(p->inode->mode & 0111))
		n = -EACCES;
	else if (p->inode->writers)
		n = -ETXTBSY;
	else
		n = inode_read(p->inode, 0, &io);
	if (n < 0) {
		program_put(p->inode);
		return n;
	}
	p->size = n;
	return 0;
}

static int check_header(const struct program *p)
{
	const struct elf_header *e = &p->elf;

	if (p->size < sizeof(*e) || e->magic != ELF_MAGIC)
		return refuse(p, "not an ELF file");
	if (e->class != ELF_CLASS32 || e->order != ELF_LITTLE || e->machine != ELF_I386)
		return refuse(p, "not for this processor");
	if (e->type != ELF_EXEC || e->version2 != 1)
		return refuse(p, "not linked to run at a fixed address");
	if (e->phentsize != sizeof(struct elf_segment) || !e->phnum || e->phnum > SEGMENTS_MAX)
		return refuse(p, "segment table is missing or too big");
	return 0;
}

static int read_segments(struct program *p)
{
	uint32_t n = p->elf.phnum * sizeof(struct elf_segment);
	int err;

	if (p->elf.phoff > p->inode->size || n > p->inode->size - p->elf.phoff)
		return refuse(p, "segment table is beyond the end of the file");
	err = file_read(p->inode, p->elf.phoff, p->segment, n);
	return err;
}

static bool is_loaded(const struct elf_segment *g)
{
	return g->type == ELF_LOAD && g->memsz;
}

/* One segment against the file, the space and `floor`, the end of what is below it. */
static int check_segment(const struct program *p, const struct elf_segment *g,
			 const struct space *s, uaddr_t floor)
{
	uaddr_t ceiling = space_stack_top(s) - STACK_LIMIT;

	if (g->filesz > g->memsz)
		return refuse(p, "a segment is bigger in the file than in memory");
	if (g->offset > p->inode->size || g->filesz > p->inode->size - g->offset)
		return refuse(p, "a segment is beyond the end of the file");
	if ((g->vaddr - g->offset) % PAGE_SIZE)
		return refuse(p, "a segment does not lie in memory as in the file");
	if (ALIGN_DOWN(g->vaddr, PAGE_SIZE) < floor)
		return refuse(p, floor == PAGE_SIZE ? "a segment is in the first page"
						    : "segments overlap");
	if (g->vaddr >= ceiling || g->memsz > ceiling - g->vaddr)
		return refuse(p, s->model == SPACE_SHARED
					 ? "does not fit the 64 MB window of a shared space"
					 : "a segment is where the stack or the kernel is");
	return 0;
}

/* --- loading -------------------------------------------------------------- */

static int map_segment(struct program *p, const struct elf_segment *g, struct space *s)
{
	uaddr_t start = ALIGN_DOWN(g->vaddr, PAGE_SIZE);
	uint32_t before = g->vaddr - start;
	uint32_t flags = (g->flags & ELF_R ? AREA_READ : 0) | (g->flags & ELF_W ? AREA_WRITE : 0) |
			 (g->flags & ELF_X ? AREA_EXEC : 0);

	return space_map(s, start, ALIGN_UP(before + g->memsz, PAGE_SIZE), flags,
			 g->filesz ? &program_backing : NULL, p->inode, g->offset - before,
			 g->filesz ? before + g->filesz : 0);
}

/* Check and map all segments; notes what the auxiliary vector tells about them. */
static int load_segments(struct program *p, struct image *image)
{
	struct space *s = image->space;
	const struct elf_segment *g;
	uaddr_t floor = PAGE_SIZE;
	bool entry_found = false;
	int err;

	image->phdr = 0;
	for (g = p->segment; g < p->segment + p->elf.phnum; g++) {
		if (g->type == ELF_INTERP)
			return refuse(p, "needs a dynamic linker");
		if (!is_loaded(g))
			continue;
		err = check_segment(p, g, s, floor);
		if (!err)
			err = map_segment(p, g, s);
		if (err)
			return err;
		floor = ALIGN_UP(g->vaddr + g->memsz, PAGE_SIZE);
		if ((g->flags & ELF_X) && p->elf.entry - g->vaddr < g->memsz)
			entry_found = true;
		if (p->elf.phoff - g->offset < g->filesz)
			image->phdr = g->vaddr + (p->elf.phoff - g->offset);
	}
	if (!entry_found)
		return refuse(p, "its entry is not in its code");
	s->brk_start = s->brk = floor;
	image->entry = p->elf.entry;
	image->phnum = p->elf.phnum;
	return 0;
}

/* Every page of `a` that the file has a part of. */
static int read_area(struct space *s, const struct area *a)
{
	uint32_t access = a->flags & (AREA_READ | AREA_EXEC) ? PF_USER : PF_USER | PF_WRITE;
	int err = 0;

	for (uaddr_t at = a->start; !err && at - a->start < a->file_len; at += PAGE_SIZE)
		err = space_resolve(s, at, access);
	return err;
}

/* They are counted as faults when they come by faults, not here. */
static int read_pages(struct space *s)
{
	uint32_t faults = s->faults;
	struct area *a;
	int err = 0;

	list_for_each_entry (a, &s->areas, link)
		if (a->backing && a->flags & (AREA_READ | AREA_WRITE | AREA_EXEC) &&
		    (err = read_area(s, a)))
			break;
	s->faults = faults;
	return err;
}

static int load_elf(struct program *p, struct exec_args *args, struct image *image)
{
	int err = check_header(p);

	if (!err)
		err = read_segments(p);
	if (!err)
		err = space_create(space_model, &image->space);
	if (err)
		return err;
	err = load_segments(p, image);
	if (!err)
		err = exec_stack(image, args);
	if (!err && exec_eager)
		err = read_pages(image->space);
	if (err)
		exec_discard(image);
	return err;
}

/*
 * `#!interpreter option`: the interpreter takes the script's place, and the script becomes its
 * argument. One level only.
 */
static int open_interpreter(struct program *p, struct exec_args *args, struct inode *cwd)
{
	char *interpreter = p->text + 2, *option, *end;
	int err;

	p->text[MIN(p->size, SCRIPT_LINE - 1)] = '\0';
	program_put(p->inode);
	p->inode = NULL;
	end = strchr(p->text, '\n');
	if (!end)
		return refuse(p, "its first line is too long");
	*end = '\0';
	while (*interpreter == ' ' || *interpreter == '\t')
		interpreter++;
	if (!*interpreter)
		return refuse(p, "names no interpreter");
	option = strchr(interpreter, ' ');
	while (option && *option == ' ')
		*option++ = '\0';
	if (option && !*option)
		option = NULL;
	err = exec_args_script(args, interpreter, option, p->path);
	if (err)
		return err;
	/* open_program() reads over the text that holds its name: the copy among the arguments
	 * stays. */
	return open_program(p, args->frame[args->start / PAGE_SIZE] + args->start % PAGE_SIZE, cwd);
}

int exec_load(const char *path, struct inode *cwd, struct exec_args *args, struct image *image)
{
	const char *name = strrchr(path, '/');
	struct program *p = kmalloc(sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	err = open_program(p, path, cwd);
	if (!err && p->size >= 2 && p->text[0] == '#' && p->text[1] == '!')
		err = open_interpreter(p, args, cwd);
	if (!err) {
		err = load_elf(p, args, image);
		program_put(p->inode);
	}
	kfree(p);
	if (err)
		return err;
	str_copy(image->name, name ? name + 1 : path, sizeof(image->name));
	str_copy(image->space->name, image->name, sizeof(image->space->name));
	return 0;
}

void exec_discard(struct image *image)
{
	space_unuse(image->space);
}

/* --- becoming it ---------------------------------------------------------- */

void exec_registers(struct trapframe *f, const struct image *image)
{
	memset(f, 0, sizeof(*f));
	f->ds = f->es = f->ss = USER_DS;
	f->cs = USER_CS;
	f->eflags = EFLAGS_IF | EFLAGS_FIXED;
	f->eip = image->entry;
	f->esp = image->stack;
	f->error = ~0u; /* no call to restart */
}

int proc_exec(struct trapframe *f, const char *path, struct exec_args *args)
{
	struct task *t = current;
	struct image image;
	int err = exec_load(path, t->cwd, args, &image);

	if (err)
		return err;
	image.space->pid = t->pid;
	space_exec(image.space);
	family_vfork_end(t);
	fpu_drop(t);
	files_exec(t->files);
	signal_exec(t);
	str_copy(t->name, image.name, sizeof(t->name));
	t->execed = true;
	exec_registers(f, &image);
	user_gs_set(f, 0);
	return 0;
}
