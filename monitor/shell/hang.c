/*
 * hang.c - a CPU that hears no interrupt any more: see hang.h.
 *
 * The CPU is stopped by NMI, and the frame it will return through is bent to a loop that needs
 * neither stack nor data.  The loop is outside the NMI's handler, so the next NMI gets through:
 * what a break-in needs.
 */
#include "cpu/gdt.h"
#include "cpu/pda.h"
#include "cpu/smp.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "monitor/shell/hang.h"
#include "monitor/shell/shell.h"

#define NOBODY CPUS_MAX

static uint32_t wanted = NOBODY;

static noreturn void spin(void)
{
	for (;;)
		cpu_pause();
}

void hang_here(void)
{
	struct trapframe *f = pda_read(stopped);

	if (!f || wanted != pda_read(cpu))
		return;
	wanted = NOBODY;
	f->eip = (uint32_t)spin;
	f->cs = KERNEL_CS;
	f->eflags = EFLAGS_FIXED;
}

void hang_cpu(uint32_t cpu)
{
	wanted = cpu;
	if (mon->stopped) /* it does so at `go` */
		return;
	while (!smp_stop_begin())
		cpu_pause();
	smp_stop();
	smp_resume();
}
