# unit: rooms that also build for the host, under AddressSanitizer and UBSan.
#
# tests/unit/host comes before kernel/ on the include path: its headers stand for those of memory,
# ports and traps.  kernel/lib is compiled as for the kernel, with other names for what the host has too.

UNIT_BUILD  := $(BUILD)/unit
UNIT_SAN    := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
UNIT_CFLAGS := -std=gnu11 -O1 -g -D_GNU_SOURCE -DKLAAVA_HOST -Wall -Wextra $(WERROR) \
	-include sys/types.h $(UNIT_SAN) -Itests/unit/host -Ikernel -Itests/unit -I.
UNIT_LIBFLAGS := -std=gnu11 -O1 -g -ffreestanding -Wall -Wextra $(WERROR) $(UNIT_SAN) -Ikernel -I. \
	$(foreach f,snprintf vsnprintf memset memcpy memmove memcmp strlen strnlen strcmp strncmp \
	strchr strrchr strstr,-D$f=k_$f) \
	$(foreach f,udivmoddi4 udivdi3 umoddi3 divdi3 moddi3,-D__$f=k_$f)

UNIT_WORLD  := $(patsubst %.c,$(UNIT_BUILD)/%.o,$(wildcard tests/unit/host/*.c) \
	$(addprefix kernel/block/, request.c ide.c ramdisk.c disktime.c buffer.c pool.c flush.c \
	order.c) \
	$(addprefix kernel/fs/, ext2_super.c ext2_inode.c ext2_map.c ext2_dir.c ext2_alloc.c \
	ext2_free.c ext2_change.c ext2_cut.c ext2_write.c ext2_names.c inode.c namei.c names.c))
UNIT_LIB    := $(patsubst %,$(UNIT_BUILD)/lib/%.o,string printf div64)

UNIT_TESTS  := test_block test_buffer test_ext2 test_tree test_limits test_fuzz test_crash test_busy
UNIT_MONITOR := $(patsubst %,$(UNIT_BUILD)/monitor/shell/%.o,edit nearest)
TEST_UNIT_BINS += $(UNIT_BUILD)/test_lib $(UNIT_BUILD)/test_monitor $(UNIT_TESTS:%=$(UNIT_BUILD)/%)

$(UNIT_BUILD)/%.o: %.c tests/unit/unit.mk
	@mkdir -p $(@D)
	@$(HOSTCC) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_BUILD)/lib/%.o: kernel/lib/%.c tests/unit/unit.mk
	@mkdir -p $(@D)
	@$(HOSTCC) $(UNIT_LIBFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_TESTS:%=$(UNIT_BUILD)/%): $(UNIT_BUILD)/%: $(UNIT_BUILD)/tests/unit/%.o $(UNIT_WORLD)
$(UNIT_BUILD)/test_lib: $(UNIT_BUILD)/tests/unit/test_lib.o $(UNIT_LIB)
$(UNIT_BUILD)/test_monitor: $(UNIT_BUILD)/tests/unit/test_monitor.o $(UNIT_MONITOR)

$(UNIT_TESTS:%=$(UNIT_BUILD)/%) $(UNIT_BUILD)/test_lib $(UNIT_BUILD)/test_monitor:
	@$(HOSTCC) $(UNIT_SAN) -o $@ $^ -lcmocka -lpthread

# The TLB model needs nothing of the kernel.  tlb_reference runs a second model against it.
UNIT_TLB := $(patsubst %,$(UNIT_BUILD)/monitor/tlb/%.o,model geometry feed guest)
TEST_UNIT_BINS += $(UNIT_BUILD)/test_tlb $(UNIT_BUILD)/tlb_reference

$(UNIT_BUILD)/test_tlb: $(UNIT_BUILD)/tests/unit/test_tlb.o $(UNIT_TLB)
	@$(HOSTCC) $(UNIT_SAN) -o $@ $^ -lcmocka -lpthread

$(UNIT_BUILD)/tlb_trace: $(UNIT_BUILD)/tests/unit/tlb_trace.o $(UNIT_TLB)
	@$(HOSTCC) $(UNIT_SAN) -o $@ $^

$(UNIT_BUILD)/tlb_reference: tests/unit/tlb_reference.py $(UNIT_BUILD)/tlb_trace
	@printf '#!/bin/sh\nexec $(PYTHON) -B tests/unit/tlb_reference.py $(UNIT_BUILD)/tlb_trace\n' >$@
	@chmod +x $@

TEST_UNIT_BINS += $(UNIT_BUILD)/test_turns

# Under no sanitizer: both stand in front of the C library.
$(UNIT_BUILD)/test_turns: tests/unit/test_turns.c monitor/machines/turns.c
	@mkdir -p $(@D)
	@$(HOSTCC) -std=gnu11 -O1 -g -Wall -Wextra $(WERROR) -o $@ $^ -lcmocka -lpthread -ldl

-include $(UNIT_TLB:.o=.d) $(UNIT_BUILD)/tests/unit/test_tlb.d $(UNIT_BUILD)/tests/unit/tlb_trace.d $(UNIT_MONITOR:.o=.d) $(UNIT_WORLD:.o=.d) $(UNIT_LIB:.o=.d) $(UNIT_TESTS:%=$(UNIT_BUILD)/tests/unit/%.d)
