# boot: the way into the kernel, and how the kernel is linked.

KERNEL_SRCS += $(addprefix kernel/boot/, entry.S trampoline.S main.c multiboot.c cmdline.c)
KERNEL_SRCS += kernel/tunable.c kernel/telemetry.c

KERNEL      := $(BUILD)/$(if $(filter-out gs,$(PDA)),klaava-$(PDA),klaava).elf
KOBJDIR     := $(BUILD)/obj-$(PDA)
