/*
 * control.c - the machine (reboot, poweroff, panic) and the monitor itself (watch, echo, history,
 * screen).
 */
#include "cpu/pda.h"
#include "cpu/power.h"
#include "cpu/timer.h"
#include "cpu/uart.h"
#include "cpu/x86.h"
#include "fs/console.h"
#include "fs/inode.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/hang.h"
#include "monitor/shell/prompt.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"
#include "proc/proc.h"
#include "sched/wait.h"
#include "telemetry.h"
#include "tunable.h"

int cmd_echo(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		out("%s%s", i > 1 ? " " : "", argv[i]);
	out("\n");
	return 0;
}

int cmd_history(int argc, char **argv)
{
	uint32_t lines = 0;

	(void)argv;
	if (argc > 1)
		return usage("history");
	while (editor_history(&mon->editor, lines + 1))
		lines++;
	for (; lines; lines--)
		out("%s\n", editor_history(&mon->editor, lines));
	return 0;
}

int cmd_screen(int argc, char **argv)
{
	uint32_t rows, columns;

	if (argc == 1) {
		out("%u rows, %u columns\n", screen_rows, screen_columns);
		return 0;
	}
	if (argc != 3)
		return usage("screen");
	if (!arg_number(argv[1], &rows) || !arg_number(argv[2], &columns))
		return 1;
	if (rows < 4 || columns < 40 || rows > 500 || columns > 500)
		return fail("screen: 4 to 500 rows, 40 to 500 columns");
	screen_rows = rows;
	screen_columns = columns;
	return 0;
}

/* --- watch --------------------------------------------------------------------- */

#define LOOKS_A_SECOND 10 /* for a key */

/* Sleep for `seconds`, or until a key or Ctrl-].  True: there was one, and it is taken. */
static bool key_within(uint32_t seconds)
{
	uint32_t ticks = MAX(timer_hz / LOOKS_A_SECOND, 1u);
	uint32_t until = timer_ticks + seconds * timer_hz;

	while ((int32_t)(until - timer_ticks) > 0) {
		if (console_key_waits()) {
			console_getkey();
			return true;
		}
		if (attention)
			return true;
		sleep_on_timeout(NULL, ticks);
		tlb_woke();
	}
	return false;
}

int cmd_watch(int argc, char **argv)
{
	char *text = strchr(argv[1], ' ');
	uint32_t seconds;
	int status = 0;

	(void)argc;
	if (!text)
		return usage("watch");
	*text++ = 0;
	if (!arg_number(argv[1], &seconds))
		return 1;
	if (seconds < 1 || seconds > 3600)
		return fail("watch: 1 to 3600 seconds");
	if (batch)
		return fail("watch: ends at a key, and a batch run has none");
	attention = false;
	kprintf("\033[H\033[J"); /* an empty screen */
	do {
		kprintf("\033[Hevery %u s: %s    (any key ends)\033[K\n\n", seconds, text);
		mon->watching = true;
		status = run_command(text, strlen(text));
		mon->watching = false;
		kprintf("\033[J"); /* what is left below from the last time */
	} while (!status && !key_within(seconds));
	return status;
}

/* --- the machine ----------------------------------------------------------------- */

/* Is NAME=VALUE a choice that the next boot will take? */
static bool check_choice(const char *word)
{
	const char *equals = strchr(word, '=');
	const struct tunable *t;
	char name[24], allowed[80];
	int value;

	if (!equals || equals == word) {
		fail("%s: not NAME=VALUE", word);
		return false;
	}
	str_copy(name, word, MIN((uint32_t)(equals - word) + 1, sizeof(name)));
	if (!strcmp(name, "mem"))
		return true;
	t = tunable_find(name);
	if (!t) {
		fail("%s: no such tunable%s", name, nearest(name, words_tunables));
		return false;
	}
	if (tunable_parse(t, equals + 1, &value))
		return true;
	fail("%s: not a value it takes; %s is %s", word, name,
	     tunable_allowed(t, allowed, sizeof(allowed)));
	return false;
}

#define PATIENCE 5 /* seconds, with processes that are to end */

/* Nobody may write to the disk behind its last sync: so the processes go first. */
bool end_disk(void)
{
	const char *why = "the world is stopped";

	if (!root_inode || (mon->stopped && !telemetry.cache.dirty))
		return true;
	if (!mon->stopped) {
		bool ended = proc_end_all(PATIENCE * timer_hz);

		if (!(ended ? fs_end() : fs_sync()) && ended)
			return true;
		why = ended ? "it has an error" : "a process does not end";
	}
	kprintf("disk: not left in order: %s; %u blocks not written\n", why, telemetry.cache.dirty);
	return false;
}

int cmd_reboot(int argc, char **argv)
{
	char extra[128];
	uint32_t n = 0;

	extra[0] = 0;
	for (int i = 1; i < argc; i++) {
		if (!check_choice(argv[i]))
			return 1;
		if (n + strlen(argv[i]) + 2 > sizeof(extra))
			return fail("reboot: too many choices at once");
		n += snprintf(extra + n, sizeof(extra) - n, "%s%s", n ? " " : "", argv[i]);
	}
	if (batch)
		return fail("reboot: would end a batch run without a result");
	end_disk();
	reboot(extra);
}

int cmd_poweroff(int argc, char **argv)
{
	if (argc > 2 || (argc == 2 && strcmp(argv[1], "now")))
		return usage("poweroff");
	if (argc == 2)
		power_off(EXIT_OK); /* the plug is pulled */
	power_off(end_disk() ? EXIT_OK : EXIT_FAILED);
}

/* No table of gates at all: the trap cannot be delivered, nor the double fault that follows. */
static noreturn void triple_fault(void)
{
	static const struct {
		uint16_t limit;
		uint32_t base;
	} __attribute__((packed)) none = { 0, 0 };

	cli();
	asm volatile("lidt %0; int3" : : "m"(none));
	__builtin_unreachable();
}

static int start_hang(uint32_t cpu)
{
	if (cpu_count == 1)
		return fail("panic hang: with one CPU nobody would be left to look at it");
	if (cpu >= cpu_count)
		return fail("cpu %u: there is none", cpu);
	if (cpu == pda_read(cpu))
		return fail("cpu %u: the monitor runs on it; choose another", cpu);
	hang_cpu(cpu);
	return 0;
}

int cmd_panic(int argc, char **argv)
{
	uint32_t cpu = cpu_count - 1;

	cpu -= cpu && cpu == pda_read(cpu);
	if (argc < 2 || argc > 3)
		return usage("panic");
	switch (choose("panic", argv[1], "test triple hang")) {
	case 0:
		panic("test, by command");
	case 1:
		triple_fault();
	case 2:
		if (argc == 3 && !arg_number(argv[2], &cpu))
			return 1;
		return start_hang(cpu);
	}
	return 1;
}
