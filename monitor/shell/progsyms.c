/*
 * progsyms.c - names in user programs, from the symbol table of the ELF file on the disk.
 *
 * One program at a time, three frames, given back after the command unless a breakpoint may need
 * them.  Reading sleeps, so it is done in the live monitor; what was loaded then can be looked at
 * when the world is stopped.
 */
#include "fs/namei.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "monitor/shell/shell.h"

/* ELF, System V ABI chapter 4 */
struct elf_header {
	uint8_t ident[16];
	uint16_t type, machine;
	uint32_t version, entry, phoff, shoff, flags;
	uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
};

struct elf_section {
	uint32_t name, type, flags, addr, offset, size, link, info, align, entsize;
};

struct elf_symbol {
	uint32_t name, value, size;
	uint8_t info, other;
	uint16_t section;
};

#define SHT_SYMTAB	2
#define ELF_SYM_TYPE(i) ((i)&15)
#define STT_NOTYPE	0
#define STT_OBJECT	1
#define STT_FUNC	2
#define SHN_UNDEF	0
#define SHN_LORESERVE	0xff00

struct entry {
	uint32_t addr, name; /* name: its place in the name frames */
};

#define ENTRIES	    (PAGE_SIZE / sizeof(struct entry))
#define NAME_FRAMES 2

/* A file may claim anything: look no further than this. */
#define SYMTAB_MAX   0x40000u
#define SECTIONS_MAX 64u

static char program[32]; /* its last component, as tasks are named */
static struct entry *entries;
static uint32_t count;
static char *names[NAME_FRAMES];
static uint32_t names_used;

void program_forget(void)
{
	program[0] = 0;
	count = names_used = 0;
	if (entries)
		frame_put(entries);
	entries = NULL;
	for (uint32_t i = 0; i < NAME_FRAMES; i++) {
		if (names[i])
			frame_put(names[i]);
		names[i] = NULL;
	}
}

/* Exactly n bytes: 0, -errno, -ENOEXEC at the file's end. */
static int read_at(struct inode *file, uint32_t offset, void *dst, uint32_t n)
{
	struct io io = IO_KERNEL(dst, n);
	ssize_t got = inode_read(file, offset, &io);

	return got == (ssize_t)n ? 0 : got < 0 ? got : -ENOEXEC;
}

static const char *name_of(const struct entry *e)
{
	return names[e->name / PAGE_SIZE] + e->name % PAGE_SIZE;
}

/* Keep a symbol, in order of address.  False: no room left. */
static bool keep(uint32_t addr, const char *name)
{
	uint32_t n = strlen(name) + 1, i;

	if (names_used % PAGE_SIZE + n > PAGE_SIZE) /* a name lies in one frame */
		names_used = ALIGN_UP(names_used, PAGE_SIZE);
	if (count == ENTRIES || names_used + n > NAME_FRAMES * PAGE_SIZE)
		return false;
	memcpy(names[names_used / PAGE_SIZE] + names_used % PAGE_SIZE, name, n);
	for (i = count++; i && entries[i - 1].addr > addr; i--)
		entries[i] = entries[i - 1];
	entries[i] = (struct entry){ addr, names_used };
	names_used += n;
	return true;
}

static int read_symbols(struct inode *file, const struct elf_section *symtab,
			const struct elf_section *strtab)
{
	uint32_t size = MIN(symtab->size, SYMTAB_MAX);

	for (uint32_t at = 0; at + sizeof(struct elf_symbol) <= size;
	     at += sizeof(struct elf_symbol)) {
		struct elf_symbol s;
		char name[SYM_TEXT];
		struct io io = IO_KERNEL(name, sizeof(name) - 1);
		int error = read_at(file, symtab->offset + at, &s, sizeof(s));
		uint32_t type = ELF_SYM_TYPE(s.info);
		ssize_t n;

		if (error)
			return error;
		if (type > STT_FUNC || s.section == SHN_UNDEF || s.section >= SHN_LORESERVE ||
		    !s.name)
			continue;
		n = inode_read(file, strtab->offset + s.name, &io);
		if (n < 0)
			return n;
		name[n] = 0;
		if (!keep(s.value, name))
			break;
	}
	return 0;
}

static int read_tables(struct inode *file)
{
	struct elf_section symtab, strtab;
	struct elf_header h;
	int error = read_at(file, 0, &h, sizeof(h));

	if (error)
		return error;
	if (memcmp(h.ident, "\177ELF", 4) || h.shentsize != sizeof(struct elf_section))
		return -ENOEXEC;
	for (uint32_t i = 0; i < MIN(h.shnum, SECTIONS_MAX); i++) {
		error = read_at(file, h.shoff + i * sizeof(symtab), &symtab, sizeof(symtab));
		if (error)
			return error;
		if (symtab.type != SHT_SYMTAB)
			continue;
		error = read_at(file, h.shoff + symtab.link * sizeof(strtab), &strtab,
				sizeof(strtab));
		return error ? error : read_symbols(file, &symtab, &strtab);
	}
	return -ENOEXEC; /* stripped */
}

static int find_program(const char *name, struct inode **file)
{
	static const char *const places[] = { "/bin/", "/tests/" };
	char path[48];
	int error = -ENOENT;

	if (strchr(name, '/'))
		return path_lookup(name, NULL, LOOKUP_FOLLOW, file);
	for (uint32_t i = 0; i < ARRAY_SIZE(places) && error; i++) {
		snprintf(path, sizeof(path), "%s%s", places[i], name);
		error = path_lookup(path, NULL, LOOKUP_FOLLOW, file);
	}
	return error;
}

int program_load(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	struct inode *file;
	int error;

	if (program[0] && !strcmp(program, base))
		return 0;
	program_forget();
	error = root_inode ? find_program(name, &file) : -ENOENT;
	if (error)
		return error;
	entries = frame_alloc(FRAME_KERNEL);
	for (uint32_t i = 0; i < NAME_FRAMES; i++)
		names[i] = frame_alloc(FRAME_KERNEL);
	error = entries && names[0] && names[1] ? read_tables(file) : -ENOMEM;
	inode_put(file);
	if (error)
		program_forget();
	else
		str_copy(program, base, sizeof(program));
	return error;
}

bool program_symbol(const char *name, uint32_t *addr)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(name_of(&entries[i]), name)) {
			*addr = entries[i].addr;
			return true;
		}
	}
	return false;
}

const char *program_text(const char *name, uint32_t addr, char *buf, uint32_t size)
{
	uint32_t i = count;

	buf[0] = 0;
	if (strcmp(program, name))
		return buf;
	while (i && entries[i - 1].addr > addr)
		i--;
	if (!i)
		return buf;
	if (entries[i - 1].addr == addr)
		str_copy(buf, name_of(&entries[i - 1]), size);
	else
		snprintf(buf, size, "%s+0x%x", name_of(&entries[i - 1]),
			 addr - entries[i - 1].addr);
	return buf;
}

void words_program_symbols(word_fn each, void *arg)
{
	for (uint32_t i = 0; i < count; i++)
		each(arg, name_of(&entries[i]));
}
