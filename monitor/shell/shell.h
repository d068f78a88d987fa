/*
 * shell.h - what the monitor's files share.
 *
 * The monitor runs in two ways.  Live, it is a kernel task like others: it sleeps for keys and
 * holds the kernel lock while it looks.  Stopped, it runs on the CPU that stopped the world, on a
 * stack of its own, polls for keys and takes no lock.  A stop may interrupt the live monitor
 * anywhere, so whatever a command keeps beyond its stack frame is in struct session, of which each
 * way has one.
 */
#pragma once

#include "lib/types.h"
#include "mm/paging.h"
#include "monitor/shell/edit.h"
#include "monitor/shell/monitor.h"
#include "monitor/shell/words.h"

struct task;
struct space;
struct text;

#define ARGS_MAX 24

struct session {
	bool stopped;  /* no sleeping, no locks, polled keys */
	bool script;   /* commands come from the kernel command line: no pager */
	bool watching; /* `watch` redraws: no pager, clear each line's end */
	bool keys;     /* -k was given */
	bool direct;   /* the command talks with the user: no pager */
	bool holding;  /* lines are kept, to be paged when the command is through */
	bool quit;     /* q at --more--: drop the rest */
	uint32_t rows; /* printed since the last --more-- */
	const char *filter;
	char line[256]; /* the line of output being put together */
	uint32_t line_length;
	char arena[1280]; /* words of the commands being run, innermost last */
	uint32_t arena_used;
	uint32_t depth; /* commands being run, one by the other */
	struct editor editor;
};

extern struct session *mon;

/* --- commands (commands.c, exec.c) ---------------------------------------- */

#define CMD_VIEW   1u /* understands -k */
#define CMD_LIVE   2u /* needs a world that runs */
#define CMD_REST   4u /* takes the rest of the line as it is: a command */
#define CMD_DIRECT 8u /* talks with the user or runs programs: no pager */

struct command {
	const char *name;
	const char *args; /* also what Tab completes: see complete.c */
	const char *help;
	int (*run)(int argc,
		   char **argv); /* argv[0] is the name; 0, or 1 after a line that says why */
	uint32_t flags;
};

extern const struct command commands[];
extern const uint32_t command_count;

/* Run a line, commands between `;`.  0, or 1 if one of them failed: the others ran all the same. */
int run_line(const char *line);

/* Run one command with its filter, `n` characters of text. */
int run_command(const char *text, uint32_t n);

/* Cut the first command off `*line` (up to a `;` outside quotes), advance behind.  False: none
 * left. */
bool next_command(const char **line, const char **text, uint32_t *n);

/* The command that `word` names or abbreviates; NULL after a line that says why not. */
const struct command *find_command(const char *word);

/* Is `word` a non-empty beginning of `name`? */
bool is_prefix(const char *word, const char *name);

/* --- output (out.c) -------------------------------------------------------- */

extern uint32_t screen_rows, screen_columns;

void out(const char *fmt, ...) printf_like(1, 2);

/* Text of any length, broken at blanks to fit the screen, then a newline; lines after the first
 * indented. */
void out_wrapped(const char *text, uint32_t indent);

/* Ends the line that names the columns, which no filter hides. */
void out_heading(const char *text);

/* Of `whole`, tenths of a percent, rounded; `part` below four million. */
uint32_t tenths(uint32_t part, uint32_t whole);

/* `width` cells, full as far as `part` of `whole` goes; at least one if there is any. */
void out_bar(uint32_t part, uint32_t whole, uint32_t width);

/* A line as a complaint: returns 1, for `return fail(...)`. */
int fail(const char *fmt, ...) printf_like(1, 2);

void out_begin(const char *filter, bool direct);
void out_end(void);
void out_flush(void); /* print an unfinished line: a prompt */

/* The next key, whichever way the monitor runs. */
int mon_getkey(void);

/* --- words (words.h, complete.c, args.c) ------------------------------------ */

void complete(struct editor *e);

/* Which of blank-separated `words` does `word` abbreviate?  Index; -1 after a line that says why
 * not. */
int choose(const char *what, const char *word, const char *words);

/* --- arguments (args.c) ---------------------------------------------------- */

/* A number, decimal or 0x hexadecimal; `hex`: hexadecimal also without 0x.  False after a line. */
bool arg_number(const char *s, uint32_t *out);
bool arg_hex(const char *s, uint32_t *out);
bool arg_range(const char *s, uint32_t *first, uint32_t *last);
struct task *arg_task(const char *s);
struct task *arg_user_task(const char *s); /* one with a space */
/* The process, and an address in it: hexadecimal, or (live only) a symbol of its program. */
struct task *arg_user_address(const char *pid, const char *s, uint32_t *out);
bool arg_address(const char *s, uint32_t *out); /* hexadecimal or a kernel symbol, with +offset */
int usage(const char *command);

/* --- looking without faulting (peek.c) ------------------------------------- */

/* Translate in `dir`; false if not mapped. */
bool peek_translate(const pte_t *dir, uint32_t linear, paddr_t *out);
bool peek_phys(paddr_t p, void *dst, uint32_t n);
bool peek_linear(const pte_t *dir, uint32_t linear, void *dst, uint32_t n);
bool peek_user(const struct space *s, uint32_t addr, void *dst, uint32_t n);
bool peek_kernel(uint32_t addr, void *dst, uint32_t n);
pte_t *peek_table(pte_t pde); /* the table it points to, or NULL if that cannot be one */

/* "the page" or "the table" if that, of `linear`, is on the disk, with the slot; else NULL. */
const char *peek_swapped(const pte_t *dir, uint32_t linear, uint32_t *slot);

/* --- symbols (symbols.c, progsyms.c, lines.c) ------------------------------- */

#define SYM_TEXT 48

bool symbol_find(const char *name, uint32_t *addr);
/* "name+0x12" into buf; "" when there is no symbol at or below. */
const char *symbol_text(uint32_t addr, char *buf, uint32_t size);
const char *symbol_at(uint32_t addr, uint32_t *offset);
/* The first symbol that begins in the page at `page`, else the one that reaches into it; NULL:
 * none. */
const char *symbol_of_page(uint32_t page);
uint32_t symbol_stamp(void); /* tells one kernel from another */

/* Symbols of a program on the disk: 0 or -errno.  Live only; until program_forget(). */
int program_load(const char *name);
void program_forget(void);
bool program_symbol(const char *name, uint32_t *addr);
/* Of the program loaded, if it is `name`. */
const char *program_text(const char *name, uint32_t addr, char *buf, uint32_t size);
void words_program_symbols(word_fn each, void *arg);

/* Source lines of the kernel: 0 or -errno.  Live only; until lines_forget(). */
int lines_load(void);
void lines_forget(void);
/* "kernel/mm/space.c:120", or "". */
const char *line_text(uint32_t addr, char *buf, uint32_t size);

/* " <name+0x12> file:line" for a kernel or user address. */
void out_place(uint32_t addr, const struct task *user);

/* --- backtraces and registers (backtrace.c) -------------------------------- */

void backtrace_kernel(uint32_t eip, uint32_t ebp, void (*put)(const char *fmt, ...));
void backtrace_user(const struct task *t, uint32_t eip, uint32_t ebp);
void show_frame(const struct trapframe *f, void (*put)(const char *fmt, ...));

/* --- stopping (stop.c) ------------------------------------------------------ */

extern struct trapframe *stop_frame; /* where the world was stopped, on this CPU */
extern struct task *monitor_task;    /* the live monitor */

/* --- the commands ----------------------------------------------------------- */

#define COMMAND(name) int cmd_##name(int argc, char **argv)
COMMAND(bcache);
COMMAND(bench);
COMMAND(break);
COMMAND(bt);
COMMAND(cpu);
COMMAND(cr3);
COMMAND(delete);
COMMAND(disk);
COMMAND(drop);
COMMAND(echo);
COMMAND(explain);
COMMAND(fg);
COMMAND(go);
COMMAND(help);
COMMAND(history);
COMMAND(irq);
COMMAND(kill);
COMMAND(lesson);
COMMAND(list);
COMMAND(mem);
COMMAND(panic);
COMMAND(pda);
COMMAND(poweroff);
COMMAND(ps);
COMMAND(pt);
COMMAND(ptmem);
COMMAND(reboot);
COMMAND(regs);
COMMAND(run);
COMMAND(screen);
COMMAND(set);
COMMAND(sh);
COMMAND(show);
COMMAND(space);
COMMAND(step);
COMMAND(stop);
COMMAND(swap);
COMMAND(sym);
COMMAND(sync);
COMMAND(syscalls);
COMMAND(time);
COMMAND(tlb);
COMMAND(walk);
COMMAND(watch);
COMMAND(watchpoint);
COMMAND(x);
COMMAND(xp);
