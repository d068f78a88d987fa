# The built-in monitor, and the two tables that are made from the linked kernel: its symbols, linked
# in again by the Makefile, and its source lines, for the disk (build/klaava.lines).

KERNEL_SRCS += $(addprefix monitor/shell/, args.c backtrace.c bench.c breakpoints.c cache.c commands.c complete.c control.c \
	cpus.c cr3view.c debug.c edit.c exec.c explain.c gates.c hang.c help.c lesson.c lines.c memory.c \
	nearest.c out.c pagetables.c panicview.c peek.c probe.c progsyms.c prompt.c ptmem.c raw.c run.c step.c \
	stop.c swapview.c switch.S symbols.c tasks.c tlb.c \
	tlbexplain.c tlbgrid.c tlbstats.c tlbview.c tunables.c)

$(BUILD)/klaava.lines: $(KERNEL_ELF) monitor/shell/lines.py
	@$(PYTHON) monitor/shell/lines.py $(patsubst %ld,%objdump,$(KLD)) $(KERNEL_ELF) $(KOBJDIR)/ksyms.S $@

# Nobody waits for the monitor's instructions, but every kernel carries them: small before fast.
$(KOBJDIR)/monitor/shell/%.o: KFLAGS += -Os
