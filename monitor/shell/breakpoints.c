/*
 * breakpoints.c - break, watchpoint, list, delete: the table behind the debug registers.
 *
 * Private spaces use the same linear addresses for different things, so a breakpoint in user
 * memory may name the process or program it is meant for; others pass it unnoticed.
 *
 * QEMU's TCG finds an instruction breakpoint by its linear address, but then looks for one that
 * equals EIP, and dies when there is none.  In a shared space the two differ by the window's base,
 * so there a breakpoint takes a second register, its helper, with EIP in it.
 */
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/debug.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"

static const char *const kind_name[] = {
	[BREAK_EXECUTE] = "x", [BREAK_WRITE] = "w", [BREAK_ACCESS] = "rw"
};

static struct breakpoint *free_slot(void)
{
	for (uint32_t i = 0; i < BREAKPOINTS; i++)
		if (!breakpoints[i].used)
			return &breakpoints[i];
	fail("all %u are in use: the processor has no more (see list, delete)", BREAKPOINTS);
	return NULL;
}

static const struct task *task_named(const char *name)
{
	struct task *t;

	list_for_each_entry (t, &task_list, all)
		if (t->space && !strcmp(t->name, name))
			return t;
	return NULL;
}

/* PROGRAM:SYMBOL or PROGRAM:ADDR. */
static bool program_place(struct breakpoint *b, char *word, char *colon)
{
	int error;

	*colon = 0;
	str_copy(b->program, word, sizeof(b->program));
	error = mon->stopped ? 0 : program_load(word);
	if (error) {
		fail("%s: cannot read its symbols (error %d)", word, -error);
		return false;
	}
	if (!program_symbol(colon + 1, &b->linear) &&
	    (colon[1] < '0' || colon[1] > '9' || !arg_hex(colon + 1, &b->linear))) {
		fail("%s:%s: no such symbol%s", word, colon + 1,
		     nearest(colon + 1, words_program_symbols));
		return false;
	}
	*colon = ':';
	return true;
}

/* Fill in the place that `word` names, and for whom; *base: of the window it is in. */
static bool place(struct breakpoint *b, char *word, const char *pid, uint32_t *base)
{
	const struct task *t = pid ? arg_user_task(pid) : NULL;
	char *colon = strchr(word, ':');

	if (pid && !t)
		return false;
	if (colon ? !program_place(b, word, colon) : !arg_address(word, &b->linear))
		return false;
	str_copy(b->text, word, sizeof(b->text));
	b->pid = t ? t->pid : 0;
	if (b->linear >= KERNEL_BASE)
		return true;
	if (!t && colon)
		t = task_named(b->program);
	if (!t && space_model == SPACE_SHARED) {
		fail("%s: in a shared space its address depends on its window: give a PID", word);
		return false;
	}
	if (t)
		*base = t->space->base;
	b->linear += *base;
	return true;
}

/* CPUID leaf 0x40000000 is where emulators give their names. */
static bool runs_on_tcg(void)
{
	uint32_t id[4] = { 0 };

	if (cpu_features)
		cpuid(0x40000000, id);
	return !memcmp(&id[1], "TCGTCGTCGTCG", 12);
}

/* The second register of an instruction breakpoint at base + EIP on TCG.  False: none is free. */
static bool add_helper(struct breakpoint *b, uint32_t base)
{
	struct breakpoint *helper;

	b->used = true; /* or it would be found as free */
	helper = free_slot();
	b->used = false;
	if (!helper)
		return false;
	*helper = *b;
	helper->used = true;
	helper->linear -= base;
	helper->helps = breakpoint_number(b);
	return true;
}

static int add(struct breakpoint *b, char *word, const char *pid)
{
	uint32_t base = 0;

	if (!place(b, word, pid, &base))
		return 1;
	if (b->kind == BREAK_EXECUTE &&
	    b->linear - (uint32_t)debug_entry < (uint32_t)(debug_entry_end - debug_entry))
		return fail("%s: the way into the monitor itself", word);
	if (b->kind == BREAK_EXECUTE && b->linear == (uint32_t)sysenter_entry)
		return fail("%s: no stack there yet; one instruction on: sysenter_on_stack", word);
	if (base && b->kind == BREAK_EXECUTE && runs_on_tcg() && !add_helper(b, base))
		return 1;
	if (b->linear & (b->length - 1))
		return fail("%08x: not a multiple of its length %u", b->linear, b->length);
	b->used = true;
	b->hits = 0;
	if (!mon->stopped)
		lines_load(); /* while the disk can be read: stops are shown with their line */
	debug_apply();
	out("%u: %s %s ", breakpoint_number(b), kind_name[b->kind], b->text);
	out_place(b->linear, NULL);
	out("\n");
	return 0;
}

int cmd_break(int argc, char **argv)
{
	struct breakpoint *b;

	if (argc != 2 && argc != 3)
		return usage("break");
	b = free_slot();
	if (!b)
		return 1;
	*b = (struct breakpoint){ .kind = BREAK_EXECUTE, .length = 1 };
	return add(b, argv[1], argc == 3 ? argv[2] : NULL);
}

int cmd_watchpoint(int argc, char **argv)
{
	static const uint8_t kinds[] = { BREAK_WRITE, BREAK_ACCESS, BREAK_EXECUTE };
	struct breakpoint *b;
	uint32_t length = 4;
	int kind;

	if (argc < 3 || argc > 5)
		return usage("watchpoint");
	kind = choose("watchpoint", argv[2], "w rw x");
	if (kind < 0 || (argc > 3 && !arg_number(argv[3], &length)))
		return 1;
	if (length != 1 && length != 2 && length != 4)
		return fail("%u: a watchpoint is 1, 2 or 4 bytes long", length);
	b = free_slot();
	if (!b)
		return 1;
	*b = (struct breakpoint){ .kind = kinds[kind], .length = length };
	if (b->kind == BREAK_EXECUTE)
		b->length = 1;
	return add(b, argv[1], argc == 5 ? argv[4] : NULL);
}

int cmd_list(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("list");
	for (uint32_t i = 0; i < BREAKPOINTS; i++) {
		const struct breakpoint *b = &breakpoints[i];

		if (!b->used || (b->helps && mon->keys))
			continue;
		if (b->helps) {
			out("%u: helps %u\n", i + 1, b->helps);
			continue;
		}
		if (mon->keys) {
			out("nr=%u kind=%s linear=0x%08x length=%u pid=%u hits=%u text=%s\n", i + 1,
			    kind_name[b->kind], b->linear, b->length, b->pid, b->hits, b->text);
			continue;
		}
		out("%u: %-2s %s at linear %08x, %u byte%s, %u hit%s", i + 1, kind_name[b->kind],
		    b->text, b->linear, b->length, b->length == 1 ? "" : "s", b->hits,
		    b->hits == 1 ? "" : "s");
		if (b->pid)
			out(", only process %u", b->pid);
		out("\n");
	}
	if (!mon->keys && !debug_any())
		out("none; see explain break\n");
	return 0;
}

int cmd_delete(int argc, char **argv)
{
	uint32_t n;

	if (argc != 2)
		return usage("delete");
	if (!strcmp(argv[1], "all")) {
		memset(breakpoints, 0, sizeof(breakpoints));
	} else {
		if (!arg_number(argv[1], &n))
			return 1;
		if (n < 1 || n > BREAKPOINTS || !breakpoints[n - 1].used ||
		    breakpoints[n - 1].helps)
			return fail("%u: no such breakpoint (see list)", n);
		for (uint32_t i = 0; i < BREAKPOINTS; i++)
			if (i == n - 1 || breakpoints[i].helps == n)
				breakpoints[i] = (struct breakpoint){ 0 };
	}
	debug_apply();
	return 0;
}
