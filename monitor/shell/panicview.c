/*
 * panicview.c - what a panic says, to the log: see panicview.h.
 */
#include "cpu/cr3.h"
#include "cpu/pda.h"
#include "cpu/x86.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "mm/space.h"
#include "monitor/shell/panicview.h"
#include "monitor/shell/shell.h"
#include "sched/task.h"
#include "telemetry.h"

#define EVENTS 8

static void report_cr3(void)
{
	uint32_t events = telemetry.events, n = MIN(events, EVENTS);

	klog("last loads of CR3:\n");
	for (uint32_t i = events - n; i != events; i++) {
		const struct telemetry_event *e = &telemetry.event[i % TELEMETRY_EVENTS];

		klog("  %llu us cpu %u %08x -> %08x pid %u -> %u %s%s\n", e->t / 1000, e->cpu,
		     e->from, e->to, e->pid_from, e->pid_to,
		     e->reason < CR3_REASONS ? cr3_reason_name[e->reason] : "?",
		     e->loaded ? "" : " (avoided)");
	}
}

void panic_report(const struct trapframe *f)
{
	const struct pda *pda = this_pda();
	uint32_t task = (uint32_t)pda->task;

	klog("panic: %s\n", panic_message);
	klog("CPU %u", pda->cpu);
	/* The task may be what broke. */
	if (peek_kernel(task, &task, sizeof(task)))
		klog(", task %u %s", pda->task->pid, pda->task->name);
	klog(", cr0 %08x cr2 %08x cr3 %08x cr4 %08x\n", read_cr0(), read_cr2(), read_cr3(),
	     cpu_features ? read_cr4() : 0);
	if (f) {
		show_frame(f, klog);
		klog("backtrace:\n");
		if (!frame_from_user(f))
			backtrace_kernel(f->eip, f->ebp, klog);
	}
	report_cr3();
}
