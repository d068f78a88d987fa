# Klaava: the only entry.  `make help` lists targets and variables.
#
# One make, no recursion: this file sets the toolchain, each folder's .mk adds
# its sources and targets.  Everything made goes under build/.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SECONDARY: # alone, and only here: no object is removed as intermediate
MAKEFLAGS += --no-builtin-rules
BUILD     := build

# --- toolchain -------------------------------------------------------------
# gcc that can make 32-bit code, else Debian's cross compiler.  Every flag that
# some distribution changes by default is spelled out.

KCC      ?= $(shell echo 'int x;' | gcc -m32 -x c -c -o /dev/null - 2>/dev/null && \
              echo gcc -m32 || echo i686-linux-gnu-gcc)
HOSTCC   ?= gcc
KLD      ?= $(if $(findstring i686-linux-gnu,$(KCC)),i686-linux-gnu-ld,ld)
PDA      ?= gs

# Warnings are errors on the compilers that CI has, warnings elsewhere.
GCC_MAJOR := $(shell $(KCC) -dumpversion 2>/dev/null | cut -d. -f1)
WERROR    ?= $(if $(filter 12 13 14,$(GCC_MAJOR)),-Werror)

KFLAGS := -std=gnu11 -march=i486 -O2 -g -ffreestanding -nostdinc \
	-isystem $(shell $(KCC) -print-file-name=include) \
	-Wall -Wextra $(WERROR) -Wstrict-prototypes -Wmissing-prototypes -Wframe-larger-than=512 \
	-fno-pic -fno-pie -fno-stack-protector -fno-omit-frame-pointer -fno-strict-aliasing \
	-fno-asynchronous-unwind-tables -fno-common -fno-builtin-printf -mregparm=3 \
	-mno-sse -mno-mmx -mno-80387 \
	-fcf-protection=none -fno-tree-loop-distribute-patterns -fno-delete-null-pointer-checks \
	-mpreferred-stack-boundary=2 -Ikernel -I. -DPDA_$(PDA) -DCR3_$(CR3)
KLDFLAGS := -m elf_i386 -nostdlib -static -no-pie --build-id=none -z max-page-size=4096 \
	-z noexecstack --no-warn-rwx-segments

# --- rooms -----------------------------------------------------------------

KERNEL_SRCS :=
KERNEL_SMALL :=
include $(sort $(wildcard kernel/*/*.mk monitor/*/*.mk lessons/*.mk tests/*.mk tests/*/*.mk \
	gdbscripts/*.mk))

# --- the kernel ------------------------------------------------------------
# Linked twice: the second time with a table of its own symbols at the end,
# which moves nothing.  `make kernel` builds it.

KOBJS := $(KERNEL_SRCS:%=$(KOBJDIR)/%.o)
KSYMS := $(wildcard monitor/shell/ksyms.py)
PYTHON ?= python3

# Commands are shown with V=1; else a line a file, none under make -s.  They go to standard
# error, since standard output belongs to what a batch run prints.
Q   := $(if $(V),,@)
say  = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),,@echo '  $1' >&2)

.PHONY: kernel
kernel: $(KERNEL_ELF)

# What no lesson counts the instructions of: every kernel carries it, so small before fast.
$(KERNEL_SMALL:%=$(KOBJDIR)/%.o): KFLAGS += -Os

$(KOBJDIR)/%.c.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(KCC) $(KFLAGS) -MMD -MP -c -o $@ $<

$(KOBJDIR)/%.S.o: %.S Makefile
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(KCC) $(KFLAGS) -MMD -MP -c -o $@ $<

$(KERNEL_ELF): $(KOBJS) kernel/boot/kernel.ld $(KSYMS)
	$(call say,LD $@)
	$(Q)$(KLD) $(KLDFLAGS) -T kernel/boot/kernel.ld -o $@.1 $(KOBJS)
	$(if $(KSYMS),$(Q)$(PYTHON) $(KSYMS) $@.1 > $(KOBJDIR)/ksyms.S)
	$(if $(KSYMS),$(Q)$(KCC) $(KFLAGS) -c -o $(KOBJDIR)/ksyms.o $(KOBJDIR)/ksyms.S)
	$(Q)$(KLD) $(KLDFLAGS) -T kernel/boot/kernel.ld -o $@ $(KOBJS) $(if $(KSYMS),$(KOBJDIR)/ksyms.o)
	@rm -f $@.1

-include $(KOBJS:.o=.d)
