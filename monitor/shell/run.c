/*
 * run.c - programs: run, sh, fg, time.
 *
 * A program is a child of the monitor's task, in a process group of its own that gets the console
 * while the monitor waits.  Ctrl-] ends the waiting, not the program.
 */
#include "cpu/pda.h"
#include "cpu/timer.h"
#include "cpu/uart.h"
#include "fs/console.h"
#include "fs/inode.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/debug.h"
#include "monitor/shell/prompt.h"
#include "monitor/shell/run.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"
#include "proc/proc.h"
#include "proc/signal.h"

#define IS_STOPPED(status) (((status)&0xff) == 0x7f)

/* wait4's status of a program that ended: SIGNAL in the low 7 bits, else the exit code above. */
static int report(const char *name, uint32_t status)
{
	uint32_t signal = status & 0x7f;

	if (signal)
		return fail("%s: killed by %s", name, signal_name(signal));
	if (status >> 8)
		return fail("%s: exit status %u", name, status >> 8);
	return 0;
}

/* The same of one in the background. */
static void report_end(uint32_t pid, uint32_t status)
{
	if (status & 0x7f)
		kprintf("[%u] killed by %s\n", pid, signal_name(status & 0x7f));
	else if (status >> 8)
		kprintf("[%u] ended with exit status %u\n", pid, status >> 8);
	else
		kprintf("[%u] ended\n", pid);
}

void run_reap(void)
{
	int status, pid;

	while ((pid = proc_wait(-1, &status, WNOHANG)) > 0)
		if (!batch)
			report_end(pid, status);
}

/*
 * Whom Ctrl-C is for, once `t` has the console: its group, unless a shell that was left with
 * Ctrl-] has given the console to a job of its own.
 */
static uint32_t console_group(const struct task *t)
{
	struct task *member;

	list_for_each_entry (member, &task_list, all) {
		const struct task *up = member;

		if (member->pgid != console_foreground)
			continue;
		while (up && up != t)
			up = up->parent;
		if (up)
			return console_foreground;
	}
	return t->pgid;
}

/* Give `t` the console and wait until it ends or stops (Ctrl-Z), or for Ctrl-]. */
static int foreground(const struct task *t)
{
	uint32_t pid = t->pid, before = console_foreground;
	char name[TASK_NAME];
	int status = 0, ended;

	str_copy(name, t->name, sizeof(name));
	attention = false;
	console_foreground = console_group(t);
	console_give(CONSOLE_PROGRAMS);
	while (!(ended = proc_wait(pid, &status, WNOHANG | WUNTRACED)) && !attention) {
		sleep_on(&current->child_exit);
		tlb_woke();
	}
	console_give(CONSOLE_MONITOR);
	if (ended == -ECHILD)
		return fail("%u: not a program started here", pid);
	if (!ended || IS_STOPPED(status)) {
		out("\n[%u] %s %s; fg %u comes back to it\n", pid, name,
		    ended ? "is stopped" : "runs on", pid);
		return 0;
	}
	console_reclaim();
	console_foreground = before;
	return report(name, status);
}

static const char *spawn_error(int error)
{
	switch (error) {
	case -ENOENT:
		return "no such program";
	case -ENODEV:
		return "no root file system (the kernel's log says why)";
	case -ENOEXEC:
		return "exec format error";
	case -EACCES:
		return "not executable";
	case -ETXTBSY:
		return "somebody is writing to it";
	case -ENOMEM:
		return "no memory";
	case -EAGAIN:
		return "too many processes";
	case -E2BIG:
		return "arguments too long";
	case -EISDIR:
		return "is a directory";
	case -EIO:
		return "disk error";
	case -EUCLEAN:
		return "the file system is corrupt";
	}
	return "cannot be started";
}

static int start(int argc, char **argv, struct task **t)
{
	int error;

	if (!root_inode)
		return fail("%s: no root file system; the kernel's log says why", argv[1]);
	if (debug_any() && !debug_program()) /* where it stops shall have a name, and the disk
						cannot be read then */
		program_load(argv[1]);
	/* argv[1] is the program: what it gets as its own argv[0]. */
	error = proc_spawn(argv[1], argc - 1, (const char *const *)argv + 1, t);
	if (!error)
		return 0;
	fail("%s: %s%s (error %d)", argv[1], spawn_error(error),
	     error == -ENOENT ? nearest(argv[1], words_programs) : "", -error);
	return 1;
}

int cmd_run(int argc, char **argv)
{
	bool background = argc > 2 && !strcmp(argv[argc - 1], "&");
	struct task *t;

	if (argc < 2)
		return usage("run");
	if (start(argc - background, argv, &t))
		return 1;
	if (!background)
		return foreground(t);
	out("[%u] %s\n", t->pid, t->name);
	return 0;
}

int cmd_sh(int argc, char **argv)
{
	char *words[] = { argv[0], argv[0] };
	struct task *t;

	if (argc > 1)
		return usage("sh");
	return start(2, words, &t) ? 1 : foreground(t);
}

int cmd_fg(int argc, char **argv)
{
	struct task *t;

	if (argc != 2)
		return usage("fg");
	t = arg_task(argv[1]);
	if (!t)
		return 1;
	if (t->parent != current)
		return fail("%u: not a program started here", t->pid);
	if (t->stop_signal)
		signal_send_group(t->pgid, SIGCONT);
	return foreground(t);
}

int cmd_time(int argc, char **argv)
{
	static uint64_t ns; /* what the last command took */
	static uint32_t ticks;
	static int status;
	bool keys = !strcmp(argv[1], "-k") || is_prefix("-k ", argv[1]);
	const char *text = argv[1] + (keys ? 2 : 0);
	uint64_t before = time_ns();
	uint32_t ticks_before = timer_ticks;

	(void)argc;
	if (*text) {
		status = run_command(text, strlen(text));
		ns = time_ns() - before;
		ticks = timer_ticks - ticks_before;
	}
	out_begin(NULL, true);
	if (keys)
		out("ns=%llu ticks=%u status=%d\n", ns, ticks, status);
	else
		out("%u.%03u ms, %u tick%s\n", (uint32_t)(ns / 1000000),
		    (uint32_t)(ns / 1000 % 1000), ticks, ticks == 1 ? "" : "s");
	out_end();
	return *text ? status : 0;
}
