# tlb: the TLB model, and QEMU's plugin that feeds it.
#
# The plugin needs no header of QEMU's (monitor/tlb/qemu.h), only its interface's number.

TLB_PLUGIN := $(BUILD)/tlb-plugin.so
TLB_MODEL  := $(addprefix monitor/tlb/, model.c geometry.c feed.c)
TLB_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra $(WERROR) -Wmissing-prototypes -fno-strict-aliasing -I.

# QEMU up to 8.2 has interface 1, 9.0 has 2, 9.1 has 3, later ones take 4.
QEMU_API = $(shell { qemu-system-i386 --version || qemu-system-x86_64 --version; } 2>/dev/null | \
	sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | \
	{ read a b && echo $$(( a < 9 ? 1 : a > 9 || b > 1 ? 4 : b + 2 )) || echo 1; })

tlb-plugin: $(TLB_PLUGIN)

$(TLB_PLUGIN): $(TLB_MODEL) $(addprefix monitor/tlb/, guest.c insn.c trap.c plugin.c) \
	$(wildcard monitor/tlb/*.h) kernel/telemetry.h monitor/tlb/tlb.mk
	@mkdir -p $(@D)
	$(HOSTCC) $(TLB_CFLAGS) -DQEMU_PLUGIN_VERSION=$(QEMU_API) -shared -fPIC \
		-fvisibility=hidden -o $@ $(filter %.c,$^)

bench-plugin: $(BOOT_FILES) ## real time with and without the TLB model
	@$(FILES) $(PYTHON) -B monitor/tlb/bench.py

.PHONY: tlb-plugin bench-plugin
