/*
 * tasks.c - who is there, what they do, and how to end it.
 */
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/space.h"
#include "monitor/shell/shell.h"
#include "proc/proc.h"
#include "proc/signal.h"
#include "sys/syscall.h"

static const char *state_name(const struct task *t)
{
	if (t->on_cpu)
		return "running";
	return t->stop_signal ? "stopped" : task_state_name[t->state];
}

static const char *model_name(const struct task *t)
{
	return t->space ? space_model_name[t->space->model] : "kernel";
}

int cmd_ps(int argc, char **argv)
{
	struct task *t;

	(void)argv;
	if (argc > 1)
		return usage("ps");
	if (!mon->keys)
		out_heading(
			"  PID  PPID NAME           STATE    CPU MODEL    TICKS  CALLS SWITCH  RSS "
			"STACK");
	list_for_each_entry (t, &task_list, all) {
		uint32_t ticks = t->ticks_user + t->ticks_kernel;
		uint32_t ppid = t->parent ? t->parent->pid : 0;
		uint32_t rss = t->space ? t->space->rss : 0;

		if (mon->keys)
			out("pid=%u ppid=%u name=%s state=%s cpu=%u model=%s ticks=%u user=%u "
			    "kernel=%u switches=%u syscalls=%u rss=%u stack=%u\n",
			    t->pid, ppid, t->name, state_name(t), t->cpu, model_name(t), ticks,
			    t->ticks_user, t->ticks_kernel, t->switches, t->syscalls, rss,
			    task_stack_used(t));
		else
			out("%5u %5u %-14s %-8s %3u %-7s %6u %6u %6u %4u %5u\n", t->pid, ppid,
			    t->name, state_name(t), t->cpu, model_name(t), ticks, t->syscalls,
			    t->switches, rss, task_stack_used(t));
	}
	return 0;
}

/* --- kill ------------------------------------------------------------------- */

/* "-TERM": what may follow `kill`. */
void words_signals(word_fn each, void *arg)
{
	char word[12];

	for (int i = 1; i <= SIGNALS; i++) {
		snprintf(word, sizeof(word), "-%s", signal_name(i) + strlen("SIG"));
		each(arg, word);
	}
}

/* "-9", "-KILL" or "-SIGKILL"; 0 after a line that says it is none. */
static int arg_signal(const char *s)
{
	const char *name = s + 1;
	uint32_t n;

	if (parse_u32(name, &n) && n > 0 && n <= SIGNALS)
		return n;
	for (n = 1; n <= SIGNALS; n++)
		if (!strcmp(name, signal_name(n)) || !strcmp(name, signal_name(n) + strlen("SIG")))
			return n;
	fail("%s: no such signal%s", s, nearest(s, words_signals));
	return 0;
}

int cmd_kill(int argc, char **argv)
{
	int signal = SIGTERM;
	struct task *t;

	if (argc == 3 && argv[1][0] == '-') {
		signal = arg_signal(argv[1]);
		if (!signal)
			return 1;
	} else if (argc != 2) {
		return usage("kill");
	}
	t = arg_task(argv[argc - 1]);
	if (!t)
		return 1;
	if (!t->space)
		return fail("%u: %s", t->pid,
			    t->state == TASK_ZOMBIE ? "already dead"
						    : "a kernel task; signals do not reach it");
	if (signal_send(t, signal))
		return fail("%u: cannot be sent a signal", t->pid);
	/* One that would stop it again is forgotten then. */
	if (t->stop_signal && t->sig_pending & SIG_BIT(signal) &&
	    (signal < SIGSTOP || signal > SIGTTOU))
		out("%u is stopped: the signal waits until it runs on (fg, or kill -CONT)\n",
		    t->pid);
	return 0;
}

/* --- syscalls --------------------------------------------------------------- */

int cmd_syscalls(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("syscalls");
	if (!mon->keys)
		out_heading("   NR NAME                  CALLS");
	for (uint32_t i = 0; i <= SYSCALLS; i++) {
		const char *name = syscall_name(i);
		/* The highest number has no call behind it: whatever it points to is "none". */
		bool ours = i < SYSCALLS && syscall_table[i] != syscall_table[SYSCALLS - 1];

		if (!syscall_count[i])
			continue;
		if (mon->keys)
			out("nr=%u name=%s calls=%u ours=%u\n", i, name ? name : "-",
			    syscall_count[i], ours);
		else
			out("%5u %-18s %8u%s\n", i,
			    i == SYSCALLS ? "(beyond the table)"
			    : name	  ? name
					  : "(unnamed)",
			    syscall_count[i], ours ? "" : "  -ENOSYS");
	}
	return 0;
}
