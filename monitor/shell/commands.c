/*
 * commands.c - every command of the monitor, a row each.
 *
 * The arguments column is what `help` prints and what Tab completes (complete.c): words in
 * capitals are kinds of things, others are meant literally.
 */
#include "monitor/shell/shell.h"

const struct command commands[] = {
	/* tunables */
	{ "set", "TUNABLE VALUE", "change a design choice", cmd_set, 0 },
	{ "show", "[TUNABLE]", "design choices, or all that begin so: both sides", cmd_show,
	  CMD_VIEW },
	/* tasks */
	{ "ps", "", "tasks, their state and CPU", cmd_ps, CMD_VIEW },
	{ "bt", "[PID]", "backtrace of a task, or of where we stopped", cmd_bt, CMD_VIEW },
	{ "kill", "[-SIGNAL] PID", "send a signal (SIGTERM)", cmd_kill, CMD_LIVE },
	{ "syscalls", "", "system calls made, by number", cmd_syscalls, CMD_VIEW },
	/* memory */
	{ "mem", "", "what the frames are used for", cmd_mem, CMD_VIEW },
	{ "space", "PID", "address space of a process: window, areas", cmd_space, CMD_VIEW },
	{ "pt", "PID [FIRST-LAST]", "page tables of a process, equal runs merged", cmd_pt,
	  CMD_VIEW },
	{ "walk", "PID ADDR", "translate ADDR step by step, as the CPU does", cmd_walk, CMD_VIEW },
	{ "ptmem", "[PID]", "what page tables cost, by process or table", cmd_ptmem, CMD_VIEW },
	{ "swap", "", "the swap area: map, what went there and came back", cmd_swap, CMD_VIEW },
	/* TLB and CR3 */
	{ "tlb", "[CPU|stats|explain|clear|probe|shootdown] [PID] [ADDR|FIRST-LAST]",
	  "what a TLB holds: a model's, or (probe) the CPU's", cmd_tlb, CMD_VIEW },
	{ "cr3", "[log [N]]", "loads of CR3: counts by reason, or the last N", cmd_cr3, CMD_VIEW },
	/* buffer cache */
	{ "bcache", "[files|map|find] [BLOCK]", "the buffer cache: counts, whose blocks it has",
	  cmd_bcache, CMD_VIEW },
	{ "disk", "", "the disks: who waits, seeks, time they took", cmd_disk, CMD_VIEW },
	{ "sync", "", "write to the disk what only the cache has", cmd_sync, CMD_LIVE },
	{ "drop", "", "forget the buffers nobody uses", cmd_drop, CMD_LIVE },
	/* processors */
	{ "pda", "", "per-processor data areas", cmd_pda, CMD_VIEW },
	{ "cpu", "", "processors: features, ticks, who runs where", cmd_cpu, CMD_VIEW },
	{ "irq", "", "interrupts, by line and by CPU", cmd_irq, CMD_VIEW },
	/* raw */
	{ "x", "[/N] ADDR|SYMBOL|PID [ADDR]", "memory at a kernel or user address", cmd_x,
	  CMD_VIEW },
	{ "xp", "[/N] ADDR", "memory at a physical address", cmd_xp, CMD_VIEW },
	{ "regs", "[PID|cpu N]", "registers", cmd_regs, CMD_VIEW },
	{ "sym", "SYMBOL|ADDR", "a symbol's address, an address's symbol", cmd_sym, CMD_VIEW },
	/* debugging */
	{ "break", "ADDR|SYMBOL|PROGRAM:SYMBOL [PID]", "stop before an instruction", cmd_break, 0 },
	{ "watchpoint", "ADDR|SYMBOL w|rw|x [1|2|4] [PID]", "stop at an access", cmd_watchpoint,
	  0 },
	{ "list", "", "breakpoints and watchpoints", cmd_list, CMD_VIEW },
	{ "delete", "N|all", "remove a breakpoint", cmd_delete, 0 },
	{ "stop", "", "stop the world", cmd_stop, CMD_LIVE },
	{ "step", "[N]", "run one instruction (or N) of the stopped CPU", cmd_step, 0 },
	{ "go", "", "let the world run on", cmd_go, 0 },
	/* programs */
	{ "run", "PROGRAM [ARGS] [&]", "run a program", cmd_run, CMD_LIVE | CMD_DIRECT },
	{ "sh", "", "a shell; Ctrl-] comes back", cmd_sh, CMD_LIVE | CMD_DIRECT },
	{ "fg", "PID", "wait for a program again", cmd_fg, CMD_LIVE | CMD_DIRECT },
	{ "time", "[COMMAND]", "how long a command takes, or the last one took", cmd_time,
	  CMD_LIVE | CMD_REST },
	{ "bench", "[NAME]...", "ticks that system calls and faults take", cmd_bench,
	  CMD_VIEW | CMD_LIVE | CMD_DIRECT },
	{ "watch", "SECONDS COMMAND", "repeat a command in place until a key", cmd_watch,
	  CMD_LIVE | CMD_REST },
	{ "lesson", "[N]", "the lessons, or one of them step by step", cmd_lesson,
	  CMD_LIVE | CMD_DIRECT },
	/* the monitor itself */
	{ "help", "[COMMAND]", "commands, a line each", cmd_help, 0 },
	{ "explain", "COMMAND|TUNABLE", "what columns and keys mean, or both sides", cmd_explain,
	  0 },
	{ "history", "", "lines typed", cmd_history, 0 },
	{ "screen", "[ROWS COLUMNS]", "size of your terminal, for pager and editor", cmd_screen,
	  0 },
	{ "echo", "[WORDS]", "print words", cmd_echo, 0 },
	/* the machine */
	{ "reboot", "[TUNABLE=VALUE]", "start again, with another choice", cmd_reboot, 0 },
	{ "poweroff", "[now]", "end the machine; now: as if the plug were pulled", cmd_poweroff,
	  0 },
	{ "panic", "test|triple|hang [CPU]", "break on purpose: see explain panic", cmd_panic, 0 },
};

const uint32_t command_count = ARRAY_SIZE(commands);
