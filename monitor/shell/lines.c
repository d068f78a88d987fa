/*
 * lines.c - from a kernel address to file and line.
 *
 * The table is made from the kernel's DWARF by lines.py, which also says how it is packed, and lies
 * on the disk: a kernel that must fit 256 KB does not carry it.  It is read when a breakpoint is
 * set or the world stopped by command, into frames, if there are plenty; and given back when the
 * last breakpoint goes.
 */
#include "fs/namei.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

#define LINES_PATH "/boot/klaava.lines"
#define BLOCKS_MAX 40
#define PLENTY	   4 /* free frames for each that we take */

struct lines_header {
	char magic[4];
	uint32_t stamp, name_bytes, blocks;
};

struct line_block {
	uint32_t addr, line, file, count;
	uint8_t code[PAGE_SIZE - 16];
};

static void *block[BLOCKS_MAX];	     /* names first */
static uint32_t loaded;		     /* frames in block[] */
static uint32_t name_blocks, blocks; /* set when all is there: a stop may come in between */

void lines_forget(void)
{
	name_blocks = blocks = 0;
	while (loaded)
		frame_put(block[--loaded]);
}

static int read_block(struct inode *file, uint32_t index, void *dst, uint32_t n)
{
	struct io io = IO_KERNEL(dst, n);
	ssize_t got = inode_read(file, index * PAGE_SIZE, &io);

	return got == (ssize_t)n ? 0 : got < 0 ? got : -EIO;
}

static int read_all(struct inode *file)
{
	struct lines_header h;
	uint32_t wanted, names;
	int error = read_block(file, 0, &h, sizeof(h));

	if (error)
		return error;
	names = ALIGN_UP(h.name_bytes, PAGE_SIZE) / PAGE_SIZE;
	wanted = names + h.blocks;
	if (memcmp(h.magic, "KLIN", 4) || h.stamp != symbol_stamp() || h.blocks > BLOCKS_MAX ||
	    names > BLOCKS_MAX || wanted > BLOCKS_MAX)
		return -EINVAL; /* of another kernel */
	if (frames_of[FRAME_FREE] < wanted * PLENTY)
		return -ENOMEM;
	for (uint32_t i = 0; i < wanted && !error; i++) {
		block[i] = frame_alloc(FRAME_KERNEL);
		if (!block[i])
			return -ENOMEM;
		loaded++;
		error = read_block(file, i + 1, block[i], PAGE_SIZE);
	}
	if (error)
		return error;
	name_blocks = names;
	blocks = h.blocks;
	return 0;
}

int lines_load(void)
{
	struct inode *file;
	int error;

	if (blocks || mon->stopped)
		return 0;
	error = root_inode ? path_lookup(LINES_PATH, NULL, LOOKUP_FOLLOW, &file) : -ENOENT;
	if (error)
		return error;
	error = read_all(file);
	inode_put(file);
	if (error)
		lines_forget();
	return error;
}

/* A number; what comes from a disk may be anything, so never beyond `end` or 32 bits. */
static uint32_t uleb(const uint8_t **s, const uint8_t *end)
{
	uint32_t v = 0;

	for (uint32_t shift = 0; *s < end && shift < 32; shift += 7) {
		uint8_t byte = *(*s)++;

		v |= (uint32_t)(byte & 127) << shift;
		if (!(byte & 128))
			break;
	}
	return v;
}

static char name_char(uint32_t at)
{
	return at < name_blocks * PAGE_SIZE ? ((char *)block[at / PAGE_SIZE])[at % PAGE_SIZE] : 0;
}

/* The file's name, which may lie across two frames, with the line behind it. */
static void format_place(uint32_t file, uint32_t line, char *buf, uint32_t size)
{
	uint32_t at = 0, n = 0;

	while (file && at < name_blocks * PAGE_SIZE)
		file -= !name_char(at++);
	while (name_char(at) && n < size - 1)
		buf[n++] = name_char(at++);
	snprintf(buf + n, size - n, ":%u", line);
}

const char *line_text(uint32_t addr, char *buf, uint32_t size)
{
	const struct line_block *b = NULL;
	uint32_t line, file, at;
	const uint8_t *s, *end;

	buf[0] = 0;
	for (uint32_t i = 0; i < blocks; i++) {
		const struct line_block *next = block[name_blocks + i];

		if (next->addr > addr)
			break;
		b = next;
	}
	if (!b)
		return buf;
	at = b->addr;
	line = b->line;
	file = b->file;
	s = b->code;
	end = s + sizeof(b->code);
	for (uint32_t i = 0; i < b->count && s < end; i++) {
		uint32_t step = uleb(&s, end), change = uleb(&s, end);
		uint32_t new_file = step & 1 ? uleb(&s, end) : file;

		at += step >> 1;
		if (at > addr)
			break;
		line += change & 1 ? -((change + 1) / 2) : change / 2;
		file = new_file;
	}
	if (line)
		format_place(file, line, buf, size);
	return buf;
}

void out_place(uint32_t addr, const struct task *user)
{
	char name[SYM_TEXT], line[64];

	out("%08x", addr);
	if (user) {
		program_text(user->name, addr, name, sizeof(name));
		out(" <%s%s%s>", user->name, *name ? ":" : "", name);
	} else if (addr >= KERNEL_BASE) {
		if (*symbol_text(addr, name, sizeof(name)))
			out(" <%s>", name);
		if (*line_text(addr, line, sizeof(line)))
			out(" %s", line);
	}
}
