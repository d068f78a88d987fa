# boot: the way into the kernel, and how the kernel is linked.

KERNEL_SRCS += $(addprefix kernel/boot/, entry.S trampoline.S main.c multiboot.c cmdline.c)
KERNEL_SRCS += kernel/tunable.c kernel/telemetry.c
KERNEL_SMALL += $(addprefix kernel/boot/, main.c multiboot.c cmdline.c)
KERNEL_SMALL += kernel/tunable.c kernel/telemetry.c

# Builds that differ in a choice which would cost, at run time, the very instructions it is about.
# CR3: does a task switch compare directories first, or always load CR3 (mm/space.c)?
CR3         ?= compared
ifneq ($(filter-out compared always,$(CR3)),)
$(error CR3=$(CR3): allowed: compared, always)
endif
# PDA: how does the kernel reach its per-processor data (cpu/pda.h)?
ifneq ($(filter-out gs stack array,$(PDA)),)
$(error PDA=$(PDA): allowed: gs, stack, array)
endif
KOBJDIR     := $(BUILD)/obj-$(PDA)$(addprefix -,$(filter-out compared,$(CR3)))
# What is built, and what is started: KERNEL= may name another, which no rule here may write to.
KERNEL_ELF  := $(BUILD)/klaava$(subst -gs,,$(KOBJDIR:$(BUILD)/obj%=%)).elf
KERNEL      := $(KERNEL_ELF)
