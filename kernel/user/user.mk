# Programs (ring 3) and the root image they live on.
#
#   make user       every program, for Klaava, into build/user/
#   make user-host  the same programs for this host, into build/user-host/; HOST=m32 takes the
#                   very same files (the host's kernel speaks their system calls, or qemu-i386
#                   does), HOST=native compiles them with the host's own library; unset: m32
#                   where the kernel itself runs them
#   make image      build/root-BLOCK.img, an ext2 file system; BLOCK=1024, 2048 or 4096; and
#                   build/swap.img, a disk that memory may go to

BLOCK ?= 1024

# How programs call the kernel: `make image SYSCALL=sysenter` makes another set of them, and a disk
# build/root-BLOCK-sysenter.img with it, to use with IMAGE=.
SYSCALL ?= int80
ifneq ($(filter-out int80 sysenter,$(SYSCALL)),)
$(error SYSCALL=$(SYSCALL): allowed: int80, sysenter)
endif
USER_SUFFIX := $(filter-out -int80,-$(SYSCALL))

IMAGE ?= $(BUILD)/root-$(BLOCK)$(USER_SUFFIX).img
# What is built: IMAGE= says where only to `make image`; all else takes that file as it is.
ROOT_IMG := $(if $(filter image,$(MAKECMDGOALS)),$(IMAGE),$(BUILD)/root-$(BLOCK)$(USER_SUFFIX).img)
HOST  ?= auto
USER_HOST ?= $(BUILD)/user-host

# Small before fast: text is what a 2 MB machine has to hold.
USER_CFLAGS := -std=gnu11 -march=i486 -Os -g -ffreestanding -nostdinc -D_GNU_SOURCE \
	-isystem kernel/user/include -isystem $(shell $(KCC) -print-file-name=include) \
	-Ikernel/user/bin -Wall -Wextra $(WERROR) -Wstrict-prototypes \
	-fno-pic -fno-pie -fno-stack-protector -fno-omit-frame-pointer -fno-strict-aliasing \
	-fno-asynchronous-unwind-tables -fno-common -fcf-protection=none \
	-fno-tree-loop-distribute-patterns -fno-delete-null-pointer-checks \
	-DSYSCALL_$(SYSCALL) -ffunction-sections -fdata-sections -mno-sse -mno-mmx -mpreferred-stack-boundary=2
USER_LDFLAGS := -m elf_i386 -nostdlib -static -no-pie --build-id=none --gc-sections \
	-z max-page-size=4096 -z noexecstack -T kernel/user/user.ld

USER_DIR   := $(BUILD)/user$(USER_SUFFIX)
USER_OBJ   := $(BUILD)/user-obj$(USER_SUFFIX)
USER_LIBC  := $(USER_OBJ)/libc.a
USER_CRT   := $(USER_OBJ)/libc/crt0.o
USER_ARGS  := $(USER_OBJ)/bin/args.o $(USER_OBJ)/bin/paths.o
USER_TOOLS := $(filter-out args paths,$(basename $(notdir $(wildcard kernel/user/bin/*.c))))
USER_WORK  := $(basename $(notdir $(wildcard kernel/user/work/*.c)))
USER_NAMES := $(USER_TOOLS) $(USER_WORK) sh
USER_BINS  := $(addprefix $(USER_DIR)/,$(USER_NAMES))
USER_SH    := $(patsubst kernel/user/%.c,$(USER_OBJ)/%.o,$(wildcard kernel/user/sh/*.c))
USER_LINK   = @mkdir -p $(@D); $(KLD) $(USER_LDFLAGS) -o $@ $(filter %.o,$^) $(USER_LIBC)

# bench has no libc under it: the kernel and nothing else is what it measures.
USER_BENCH := $(USER_DIR)/bench

.PHONY: user user-host image
user: $(USER_BINS) $(USER_BENCH) ## the programs, into build/user

$(USER_OBJ)/%.o: kernel/user/%.c
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(KCC) $(USER_CFLAGS) -MMD -MP -c -o $@ $<

$(USER_OBJ)/%.o: kernel/user/%.S
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(KCC) $(USER_CFLAGS) -c -o $@ $<

$(USER_LIBC): $(patsubst kernel/user/%,$(USER_OBJ)/%.o,$(basename $(filter-out %/crt0.S,\
		$(wildcard kernel/user/libc/*.c kernel/user/libc/*.S))))
	@rm -f $@
	@$(patsubst %ld,%ar,$(KLD)) rcsD $@ $^

$(USER_DIR)/sh: $(USER_CRT) $(USER_SH) $(USER_ARGS) $(USER_LIBC) kernel/user/user.ld
	$(USER_LINK)

$(addprefix $(USER_DIR)/,$(USER_TOOLS)): $(USER_DIR)/%: $(USER_CRT) $(USER_OBJ)/bin/%.o \
		$(USER_ARGS) $(USER_LIBC) kernel/user/user.ld
	$(USER_LINK)

$(addprefix $(USER_DIR)/,$(USER_WORK)): $(USER_DIR)/%: $(USER_CRT) $(USER_OBJ)/work/%.o \
		$(USER_ARGS) $(USER_LIBC) kernel/user/user.ld
	$(USER_LINK)

$(USER_BENCH): $(USER_OBJ)/bench/bench.o kernel/user/user.ld
	@mkdir -p $(@D)
	@$(KLD) $(USER_LDFLAGS) -o $@ $<

user-host: user ## the programs for this host (HOST=m32|native)
	@HOSTCC="$(HOSTCC)" sh kernel/user/host.sh $(HOST) $(USER_DIR) $(USER_HOST) $(USER_NAMES)

image: $(ROOT_IMG) $(BUILD)/swap.img ## the root file system (BLOCK=1024|2048|4096), a swap area

# Each run has a swap area of its own (SWAP=); this one is for who starts QEMU by hand.
SWAP_BYTES := 16777216

$(BUILD)/swap.img: monitor/machines/swaparea.py
	@mkdir -p $(@D)
	@$(PYTHON) -B $< $@ $(SWAP_BYTES)

# (tests/guest/guest.mk adds the guest tests.)
$(ROOT_IMG): $(USER_BINS) $(USER_BENCH) $(BUILD)/klaava.lines $(wildcard lessons/*/lesson.md) \
		$(wildcard kernel/*.[ch] kernel/*/*.[ch]) kernel/user/mkimage.sh
	@STRIP="$(patsubst %ld,%strip,$(KLD))" sh kernel/user/mkimage.sh $@ $(BLOCK) $(BUILD) $(USER_SUFFIX)

-include $(wildcard $(USER_OBJ)/*/*.d)
