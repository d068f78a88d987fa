# cpu: the processor: segments, traps, per-CPU data, CR3 and TLB, timers, the other processors.

KERNEL_SRCS += $(addprefix kernel/cpu/, entry.S trap.c idt.c gdt.c cr3.c tlb.c fpu.c \
	pic.c apic.c acpi.c smp.c timer.c uart.c power.c)
KERNEL_SMALL += $(addprefix kernel/cpu/, acpi.c apic.c smp.c fpu.c pic.c power.c uart.c)
