/*
 * raw.c - bytes as they lie: x, xp, and what name an address has: sym.
 *
 * Nothing here faults: peek.c translates by hand.
 */
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

#define WORDS_A_ROW 4

/* What an address is relative to. */
struct view {
	const struct space *space; /* user */
	bool physical;
};

static bool view_read(const struct view *v, uint32_t addr, void *dst, uint32_t n)
{
	if (v->physical)
		return peek_phys(addr, dst, n);
	return v->space ? peek_user(v->space, addr, dst, n) : peek_kernel(addr, dst, n);
}

/* Nothing was read at `addr`: why. */
static int fail_at(const struct view *v, uint32_t addr)
{
	const char *what = NULL;
	uint32_t slot;

	if (v->space && addr < v->space->limit)
		what = peek_swapped(v->space->dir, v->space->base + addr, &slot);
	if (what)
		return fail("%08x: %s is on the disk, slot %u; looking does not bring it back",
			    addr, what, slot);
	return fail("%08x: not mapped, or not memory", addr);
}

/* `n` 32-bit words from `addr`, four a row, with their characters. */
static int dump(const struct view *v, uint32_t addr, uint32_t n)
{
	uint32_t rows = (n + WORDS_A_ROW - 1) / WORDS_A_ROW;
	char name[SYM_TEXT];

	if (!mon->keys && !v->physical && !v->space && *symbol_text(addr, name, sizeof(name)))
		out("%s:\n", name);
	for (uint32_t r = 0; r < rows && !mon->quit; r++, addr += 16) {
		uint32_t words = MIN((uint32_t)WORDS_A_ROW, n - r * WORDS_A_ROW);
		uint32_t w[WORDS_A_ROW];

		if (!view_read(v, addr, w, words * 4))
			return fail_at(v, addr);
		if (mon->keys) {
			out("addr=0x%08x", addr);
			for (uint32_t i = 0; i < words; i++)
				out(" w%u=0x%08x", i, w[i]);
			out("\n");
			continue;
		}
		out("%08x ", addr);
		for (uint32_t i = 0; i < WORDS_A_ROW; i++) {
			if (i < words)
				out(" %08x", w[i]);
			else
				out("         ");
		}
		out("  ");
		for (uint32_t i = 0; i < words * 4; i++) {
			char c = ((const char *)w)[i];

			out("%c", c >= ' ' && c < 0x7f ? c : '.');
		}
		out("\n");
	}
	return 0;
}

/* Take "/N" out of the arguments: how many words. */
static bool take_count(int *argc, char ***argv, uint32_t *n)
{
	*n = 16;
	if (*argc < 2 || (*argv)[1][0] != '/')
		return true;
	if (!arg_number((*argv)[1] + 1, n))
		return false;
	++*argv;
	--*argc;
	return true;
}

int cmd_x(int argc, char **argv)
{
	struct view v = { 0 };
	uint32_t n, addr;

	if (!take_count(&argc, &argv, &n))
		return 1;
	if (argc == 3) {
		const struct task *t = arg_user_address(argv[1], argv[2], &addr);

		if (!t)
			return 1;
		v.space = t->space;
		return dump(&v, addr, n);
	}
	if (argc != 2)
		return usage("x");
	if (!arg_address(argv[1], &addr))
		return 1;
	if (addr < KERNEL_BASE)
		return fail("%08x: not a kernel address; x PID ADDR looks into a process", addr);
	return dump(&v, addr, n);
}

int cmd_xp(int argc, char **argv)
{
	struct view v = { .physical = true };
	uint32_t n, addr;

	if (!take_count(&argc, &argv, &n))
		return 1;
	if (argc != 2)
		return usage("xp");
	return arg_hex(argv[1], &addr) ? dump(&v, addr, n) : 1;
}

/* PROGRAM:SYMBOL, PROGRAM:ADDR. */
static int program_sym(const char *name, const char *what)
{
	char text[SYM_TEXT];
	uint32_t addr;
	int error = program_load(name);

	if (error)
		return fail("%s: no symbols (error %d)", name, -error);
	if (program_symbol(what, &addr)) {
		program_text(name, addr, text, sizeof(text));
	} else if (*what < '0' || *what > '9' || !arg_hex(what, &addr)) {
		fail("%s:%s: no such symbol%s", name, what, nearest(what, words_program_symbols));
		return 1;
	} else {
		program_text(name, addr, text, sizeof(text));
	}
	if (mon->keys)
		out("addr=0x%08x symbol=%s program=%s\n", addr, text, name);
	else
		out("%08x %s:%s\n", addr, name, text);
	return 0;
}

int cmd_sym(int argc, char **argv)
{
	char text[SYM_TEXT], place[64] = "";
	uint32_t addr;
	char *colon;

	if (argc != 2)
		return usage("sym");
	colon = strchr(argv[1], ':');
	if (colon) {
		*colon = 0;
		return program_sym(argv[1], colon + 1);
	}
	if (!arg_address(argv[1], &addr))
		return 1;
	symbol_text(addr, text, sizeof(text));
	if (!lines_load())
		line_text(addr, place, sizeof(place));
	if (mon->keys)
		out("addr=0x%08x symbol=%s line=%s\n", addr, *text ? text : "-",
		    *place ? place : "-");
	else
		out("%08x %s  %s\n", addr, *text ? text : "(no symbol)", place);
	return 0;
}
