/*
 * prompt.c - the two prompts, and the script of the kernel command line.
 *
 * The live prompt is a task that sleeps for keys.  In a batch run there are no keys: commands come
 * from mon="...", when the world is stopped by a breakpoint too, so that a script can look around
 * and `go`; the run ends with the script.
 */
#include "boot/boot.h"
#include "cpu/pda.h"
#include "cpu/power.h"
#include "cpu/uart.h"
#include "fs/console.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/debug.h"
#include "monitor/shell/prompt.h"
#include "monitor/shell/run.h"
#include "monitor/shell/shell.h"
#include "monitor/shell/tlbview.h"
#include "sched/task.h"

static struct session live;
struct session *mon = &live;

bool attention;

static const char *script = ""; /* what is left of it */
static bool script_failed;
static bool editing; /* the live prompt is on the screen */

/*
 * Between commands: while there are breakpoints, have the names of what will stop at them; when
 * nothing can stop any more, give the memory back.
 */
static void keep_names(void)
{
	if (mon->stopped)
		return;
	if (!debug_any()) {
		program_forget();
		lines_forget();
	} else if (debug_program()) {
		program_load(debug_program());
	}
}

/* Run the script's next command.  False: there is none. */
static bool script_step(void)
{
	const char *text;
	uint32_t n;

	if (!next_command(&script, &text, &n))
		return false;
	if (!mon->stopped)
		run_reap();
	mon->script = true;
	if (run_command(text, n)) {
		script_failed = true;
		klog("monitor: failed: %.*s\n", (int)n, text);
	}
	mon->script = false;
	keep_names();
	return true;
}

static noreturn void script_end(void)
{
	if (mon->stopped) {
		kprintf("the script ended while the world was stopped\n");
		script_failed = true;
	}
	if (!end_disk())
		script_failed = true;
	power_off(script_failed ? EXIT_FAILED : EXIT_OK);
}

static void read_line(struct editor *e, const char *prompt)
{
	enum edit_result result = EDIT_MORE;

	e->put = console_write;
	editor_start(e, prompt, screen_columns);
	while (result == EDIT_MORE || result == EDIT_COMPLETE) {
		result = editor_key(e, mon_getkey());
		if (result == EDIT_COMPLETE)
			complete(e);
	}
	if (result != EDIT_LINE)
		e->length = 0;
	e->text[e->length] = 0;
	editor_remember(e);
}

void prompt_once(const char *prompt)
{
	if (batch) {
		if (!script_step())
			script_end();
		return;
	}
	if (!mon->stopped) {
		run_reap();
		editing = true;
	}
	read_line(&mon->editor, prompt);
	if (!mon->stopped)
		editing = false;
	/* The editor's buffer is not touched while its line runs. */
	run_line(mon->editor.text);
	keep_names();
}

void prompt_redraw(void)
{
	if (editing && !batch)
		editor_redraw(&live.editor);
}

void prompt_attention(void)
{
	console_give(CONSOLE_MONITOR);
	attention = true;
	if (monitor_task)
		wake_all(&monitor_task->child_exit);
}

void monitor_start(void)
{
	monitor_task = current;
	tlb_prepare();
	script = boot_info.mon;
	while (script_step())
		;
	for (;;)
		prompt_once("klaava> ");
}
