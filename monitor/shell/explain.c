/*
 * explain.c - what each command shows, column by column: the text of `explain`.
 *
 * The keys named here are a promise: lessons and tests read them.
 */
#include "lib/types.h"
#include "monitor/shell/explain.h"

const struct explanation explanations[] = {
	{ "set",
	  "Takes effect at once, for what begins afterwards: a program started, a switch made. "
	  "Tunables marked \"at boot\" need `reboot NAME=VALUE`.",
	  NULL, NULL },
	{ "show",
	  "Each tunable, its value, what it may be, and what both sides mean. `show swap`: those "
	  "that begin so.",
	  "name value boot(1: only at boot)", NULL },
	{ "ps",
	  "STATE running: on a CPU now; runnable: waits for one; sleeping; stopped: by a signal; "
	  "zombie: dead, its "
	  "parent has not asked yet. CPU: where it runs or last ran. MODEL: private (a page "
	  "directory of its own), shared (a window in the common one), kernel (no user memory). "
	  "TICKS: timer ticks that found it running. CALLS: system calls. SWITCH: times a CPU "
	  "switched to it. RSS: frames mapped. STACK: bytes of its 4 KB kernel stack ever used. "
	  "Commands that want a PID also take a NAME: the oldest process that has it and lives.",
	  "pid ppid name state cpu model ticks user kernel switches syscalls rss stack", "1" },
	{ "bt",
	  "Follows frame pointers, newest call first: return address, symbol+offset, source line "
	  "where known. Below \"user mode\" is the program's part. A task that runs on a CPU "
	  "right "
	  "now can be traced only when the world is stopped.",
	  "eip mode(kernel or user) symbol line", NULL },
	{ "kill",
	  "Sends SIGTERM, or -9, -KILL, -SIGKILL... to one process. A stopped one acts on it when "
	  "it runs on; KILL does not wait.",
	  NULL, NULL },
	{ "syscalls", "Calls by Linux i386 number since boot. Those answered -ENOSYS are marked.",
	  "nr name calls ours(0: answered -ENOSYS)", "11" },
	{ "mem",
	  "A frame is 4 KB of physical memory. kernel: stacks (one a task), objects (small ones, "
	  "rounded to powers of two), other (pipes, hash tables); user: pages "
	  "of programs, private to one or shared by several since a fork; tables: page directories "
	  "and tables of programs; cache: buffers; reserved: the kernel's own image, devices, "
	  "holes. all = free + kernel + user + tables + cache + reserved.",
	  "frames free kernel user tables cache reserved kmalloc_bytes kmalloc_frames(objects) "
	  "stacks kernel_other user_private user_shared",
	  "5" },
	{ "space",
	  "The window: the program's address 0 is linear `base`; `limit` bytes are its own. Areas "
	  "are what it mapped: RIGHTS, KIND (file: program text and data, zero: bss, heap, "
	  "stack), "
	  "PAGES in all, RESIDENT of them in memory, SHARED of those with another process, "
	  "SWAPPED: "
	  "on the disk. What a table names that is on the disk itself is known only as a "
	  "total: it is an area's if no other has such a table; else n+ is n and a part of the "
	  "total below. "
	  "refs counts the tasks and CPUs that hold its directory: a CPU may borrow a dead one.",
	  "first record: pid model base limit dir tables rss peak faults cpus(mask) refs users "
	  "swapped tables_swapped unplaced(of swapped, in no area's count); "
	  "one an area: start end rights kind pages resident shared swapped",
	  "1, 2, 5 and 7" },
	{ "pt",
	  "One line a directory entry (4 MB each), then what its table maps: pages whose entries "
	  "continue each other are one line. frame X+: consecutive frames from X; X=: all the "
	  "same "
	  "frame. Flags: P present, W writable, U user, A accessed, D dirty, C not cached, "
	  "4 a 4 MB page, G global, c copy at the next write, h hidden (no rights), s swapped: "
	  "the page, or the table, is on the disk in that slot. FIRST-LAST: addresses as the "
	  "program sees them, hexadecimal.",
	  "dir first table flags; or first last pages frame step(1: consecutive) flags; slot in "
	  "the place of table or frame: on the disk",
	  "1, 2 and 6" },
	{ "walk",
	  "What the processor does with an address on a TLB miss: adds the segment's base (not 0 "
	  "in a shared space) after checking its limit; bits 31-22 choose a directory entry, bits "
	  "21-12 an entry of the table found there, bits 11-0 the byte in the frame. A page may "
	  "be "
	  "used with the rights that both entries give. Error codes are those of a page fault. On "
	  "the disk: to the processor not present; the kernel finds the slot in the other bits.",
	  "step=segment base limit linear inside; step=directory and step=table: index at entry "
	  "frame flags, or slot; step=physical addr; step=verdict user_read user_write (ok or "
	  "fault)",
	  "1" },
	{ "ptmem",
	  "DIR+TAB: frames for the directory (private spaces only) and for tables in memory; DISK: "
	  "tables on the disk. ENTRIES: of the tables in memory, those with a page, in memory or "
	  "on the disk; USED: of the 1024 a table. RSS, SWAPPED: pages in memory and on the disk. "
	  "The total is set against all frames that are not the kernel's: claim A3 says 24 pages, "
	  "about 10 % of user memory, in 2 MB with 8 to 9 processes. A dead process "
	  "stays while a CPU still stands on its directory. ptmem PID: table by table.",
	  "pid name model tables(with the directory) rss swapped dir entries percent(used) "
	  "tables_swapped; last line: total tables frames_user percent tables_swapped entries; "
	  "ptmem PID: pid dir(index) first last table present swapped percent slot(-: in memory)",
	  "2, 5 (where did the memory go) and 6 (paging the page tables)" },
	{ "swap",
	  "Slots hold a page or a table each. The map's cells stand for one or more slots and show "
	  "the first that applies: * being read or written, x bad (could not be written), s "
	  "named by several processes, # used, . free. ON DISK: entries that name a slot, and "
	  "tables. A page that several share takes one slot, and is as many entries. IN, OUT: read "
	  "and written so far; DROPPED: gone without a write, since a file "
	  "or zeros are what they are made of again; tables: those with no entries left. clock: "
	  "pages its hand looked at, and those used since it last came by, which it spared.",
	  "slots used free bad pages tables data_in data_out data_dropped table_in table_out "
	  "table_dropped reads writes errors scanned cleared tables_swapped(=tables)",
	  "5 (where did the memory go) and 6 (paging the page tables)" },
	{ "tlb",
	  "tlb [CPU]: what a MODEL of a TLB, fed with every reference this machine makes, holds "
	  "now; set by set, each entry: linear page, frame, flags as in a 386's TR6 (V valid, D "
	  "dirty, U user, W writable), * if filled since the last look; below, whose page it is: "
	  "process and area, first symbol in a kernel page, kernel stack (kstack), PDA, page "
	  "directory (dir), or what the frame is used for. Of the CPU the monitor runs on it shows "
	  "what the monitor found when it woke: its own work since then is left out. "
	  "stale: the page tables say something else by now. space-gone: its "
	  "process is; unmapped: no entry; new-frame; new-rights: W or U; clean-again: D taken "
	  "back. "
	  "stats: PER 1000 references; FIRST touches; REPLACED: others took its place; BY FLUSH: "
	  "the last flush dropped it, and without that it would have been a hit; EACH: of those, a "
	  "flush, never more than entries. FIRST + REPLACED + BY FLUSH = MISSES. clear: counts "
	  "begin anew, marks go. "
	  "explain ADDR or symbol (kernel, on this CPU), or PID ADDR (where it runs or ran): hit "
	  "or miss, the set's entries and the misses that brought them, which goes next, and "
	  "whether the last flush cost this page a miss. "
	  "probe PID asks the PROCESSOR, no model: it clears ACCESSED in the tables, touches each "
	  "page in user mode on a CPU that stands on that directory, and looks: set again means "
	  "the "
	  "tables were walked, so it was not cached (#: it was). All pages are cached afterwards, "
	  "what they pushed out is not; ACCESSED is put back. Needs INVLPG; depends on timing, so "
	  "it never repeats exactly. "
	  "shootdown: what unmapping cost the others. SENT asks another CPU to forget a "
	  "translation, and waits; not sent where it idles there (it flushes before it goes on) or "
	  "stands on another directory.",
	  "tlb (all CPUs): cpu set way vpn pfn flags(VDUWG) valid part space new cause owner "
	  "stale(- or why); stats: cpu hits misses flushes miss_flush miss_first miss_replaced "
	  "fetches reads writes rewalks(hits by a write that set D) walk_reads page_flushes "
	  "wp_writes references instructions geometry, for each part PART_misses PART_valid; "
	  "cpu=all last; explain: cpu part set hit way(-: none) victim full mapped "
	  "flushed_before(what it would do first) dropped(by the last flush) charged(since) linear "
	  "vpn, then the set's ways; probe: vpn cached(0/1); "
	  "shootdown: cpu sent answered lazy(not sent: idle) elsewhere(not sent)",
	  "2, 3 and 12" },
	{ "cr3",
	  "LOADS of CR3 (each empties the TLB of that CPU, global pages apart) by reason: boot; "
	  "switch: another directory; idle: to kernel memory (idle.space=eager); exec and exit: a "
	  "space taken or given up; flush: to drop what is cached; shootdown: another CPU asked. "
	  "AVOIDED: switches that found the right directory there. SWITCHES of tasks. "
	  "MISSES charged to loads by the TLB model (explain tlb); - without one. cr3 log: the "
	  "last "
	  "events; TO and FROM are physical addresses of directories; MISSES also grow later.",
	  "cpu loads avoided switches boot switch idle exec exit flush shootdown misses(0 "
	  "also without a TLB model); cpu=all last; "
	  "log: t(ns) cpu from to pid_from pid_to reason loaded(0/1) misses(as above)",
	  "1 to 4" },
	{ "bcache",
	  "Buffers by state, look-ups since boot, blocks moved; then whose blocks they are, by "
	  "inode, "
	  "with its last name if a directory that is in memory has it; bcache files: more of "
	  "those. "
	  "bcache map: a cell a buffer, those of a frame side by side. bcache find BLOCK: is it "
	  "there, and in what state.",
	  "buffers free dirty hits misses reads writes readahead size(bytes of a buffer); files: "
	  "ino(0: the file system's own; -1: all others) buffers dirty; find: block "
	  "cached(0/1) ino meta valid dirty locked refs written(how often it reached the disk)",
	  "8 (the first run has a star) and 9 (what a crash loses)" },
	{ "disk",
	  "SEEKS: requests that began elsewhere than the last one ended. Below a disk, who waits "
	  "for "
	  "it. On a machine with a disk of 1992: what all requests together waited for the arm, "
	  "for "
	  "the plate to turn, and for the sectors to pass.",
	  "name requests read written(sectors) errors seeks arm busy(0/1); last line: name=model "
	  "ns_seek ns_turn ns_move",
	  "8 (the first run has a star) and 9 (what a crash loses)" },
	{ "sync",
	  "What was changed and is only in the cache goes to the disk, metadata and the contents "
	  "of "
	  "files; says how many blocks that were. Programs ask for the same by sync and fsync.",
	  NULL, "9" },
	{ "drop", "Clean buffers that nobody uses are freed: the next read goes to the disk.", NULL,
	  "8" },
	{ "pda",
	  "Each CPU's data area: where it lies, how this build reaches it, what is in it (offset, "
	  "field, value). \"stands on\": whose page directory the CPU has loaded.",
	  "cpu addr current space(pid; 0: kernel) kind size", "10" },
	{ "cpu",
	  "TICKS of its timer, IDLE ones among them; task SWITCHES; system CALLS; page FAULTS; "
	  "shootdowns SENT (asked others to forget translations) and ANSWERED; who RUNS.",
	  "cpu apic ticks idle switches syscalls faults flushes shootdowns_sent "
	  "shootdowns_answered current",
	  "12" },
	{ "irq", "Interrupts by line of the two 8259, and by CPU.",
	  "line count; cpu interrupts ticks", NULL },
	{ "x",
	  "32-bit words, hexadecimal, four a row, with their characters. /N: how many (16). A "
	  "kernel address or symbol (+offset), or PID and an address or (live) a symbol of its "
	  "program.",
	  "addr w0 w1 w2 w3", NULL },
	{ "xp", "Like x, at a physical address: RAM, and the first megabyte.", "addr w0 w1 w2 w3",
	  NULL },
	{ "regs",
	  "Stopped: this CPU's, or `regs cpu N`. `regs PID`: user registers of a process as it "
	  "entered the kernel.",
	  "pid cpu eax ebx ecx edx esi edi ebp esp eip eflags cs user", "1" },
	{ "sym",
	  "A kernel symbol's address or the symbol at an address, with its source line when the "
	  "disk has /boot/klaava.lines. PROGRAM:SYMBOL asks the program on the disk.",
	  "addr symbol line", NULL },
	{ "break",
	  "Stops the world before the instruction there, whichever CPU gets to it: a kernel "
	  "symbol "
	  "or address, or PROGRAM:SYMBOL. With PID only for that process. The processor has four "
	  "registers for breakpoints and watchpoints together.",
	  NULL, NULL },
	{ "watchpoint",
	  "Stops after the instruction that wrote (w), or read or wrote (rw: the processor has no "
	  "read-only one), 1, 2 or 4 (the default) bytes there; x is a breakpoint.",
	  NULL, NULL },
	{ "list", "Breakpoints and watchpoints, the linear address, times they stopped.",
	  "nr kind(x w rw) linear length pid hits text", NULL },
	{ "delete", "By number as in list, or all.", NULL, NULL },
	{ "stop",
	  "All CPUs halt; you look, then `go` or `step`. Ctrl-] twice does the same from "
	  "anywhere, "
	  "even when a CPU spins with interrupts off.",
	  NULL, NULL },
	{ "step",
	  "Runs one instruction (or N) of the CPU that stopped, with interrupts off, while the "
	  "others stay stopped. An instruction that traps ends at its handler's first "
	  "instruction. "
	  "Ctrl-] comes by an interrupt: the first step after it lets its handler end, for which "
	  "the world runs.",
	  NULL, NULL },
	{ "go", "All CPUs run on.", NULL, NULL },
	{ "run",
	  "Looks in /bin, then /tests. Waits for the end; Ctrl-] comes back here while it runs on "
	  "(fg PID waits again), & does not wait at all. An exit status that is not 0 is a "
	  "failure.",
	  NULL, NULL },
	{ "time",
	  "Time since boot before and after, and timer ticks. time -k COMMAND: a record. "
	  "Without a command: what the last one took.",
	  "ns ticks status", NULL },
	{ "bench",
	  "Runs /bin/bench: ticks of the processor's time-stamp counter an operation, the best of "
	  "some rounds, all warm. With MACHINE=count a tick is an instruction. read1: lseek and "
	  "read of a byte; reread64k: lseek and 64 KB in one read; pipe_self: a byte through a "
	  "pipe; pipe_rtt: a byte to another process and back; fork_exit, fork_exec: with wait; "
	  "anon_fault: the first write to a page.",
	  "name ticks", NULL },
	{ "watch", "Draws over itself every SECONDS until a key or a failure.", NULL, NULL },
	{ "lesson",
	  "Without number: the lessons on the disk. With one: its text; at each command Enter "
	  "runs "
	  "it, s skips it, q ends the lesson.",
	  NULL, NULL },
	{ "screen", "The pager and the line editor believe in 24 rows of 80 columns.", NULL, NULL },
	{ "reboot",
	  "With NAME=VALUE added to the next boot's command line. Before it the disk gets what "
	  "only "
	  "the cache has, and a note that it was left in order; not while the world is stopped.",
	  NULL, "9" },
	{ "poweroff",
	  "The disk first gets what only the cache has, and a note that it was left in order; not "
	  "while the world is stopped. poweroff now: as if the plug were pulled.",
	  NULL, "9" },
	{ "panic",
	  "test: a panic. triple: a triple fault, the machine resets itself. hang: a CPU (the "
	  "last, "
	  "or N) spins with interrupts off for ever; Ctrl-] twice still stops it.",
	  NULL, NULL },
	{ NULL, NULL, NULL, NULL },
};
