# unit: rooms that also build for the host, under AddressSanitizer and UBSan.
#
# tests/unit/host comes before kernel/ on the include path: its headers stand for those of memory,
# ports and traps.

UNIT_BUILD  := $(BUILD)/unit
UNIT_CFLAGS := -std=gnu11 -O1 -g -D_GNU_SOURCE -DKLAAVA_HOST -Wall -Wextra $(WERROR) \
	-include sys/types.h -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer -Itests/unit/host -Ikernel -Itests/unit -I.
UNIT_SRCS   := tests/unit/host/host.c tests/unit/host/drive.c tests/unit/host/image.c $(addprefix kernel/block/, request.c ide.c ramdisk.c buffer.c) \
	$(addprefix kernel/fs/, ext2_super.c ext2_inode.c ext2_map.c ext2_dir.c inode.c namei.c)
UNIT_OBJS   := $(UNIT_SRCS:%.c=$(UNIT_BUILD)/%.o)
UNIT_TESTS  := test_block test_buffer test_ext2 test_fuzz

TEST_UNIT_BINS += $(UNIT_TESTS:%=$(UNIT_BUILD)/%)

$(UNIT_BUILD)/%.o: %.c tests/unit/unit.mk
	@mkdir -p $(@D)
	@$(HOSTCC) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

$(UNIT_TESTS:%=$(UNIT_BUILD)/%): $(UNIT_BUILD)/%: $(UNIT_BUILD)/tests/unit/%.o $(UNIT_OBJS)
	@$(HOSTCC) $(UNIT_CFLAGS) -o $@ $^ -lcmocka -lpthread

.SECONDARY: $(UNIT_TESTS:%=$(UNIT_BUILD)/tests/unit/%.o)
-include $(UNIT_OBJS:.o=.d) $(UNIT_TESTS:%=$(UNIT_BUILD)/tests/unit/%.d)
