# machines: starting Klaava in QEMU, and the tools that takes.

# Debian's python3 is the one that Debian's pytest belongs to.
PYTHON := $(firstword $(wildcard /usr/bin/python3) python3)
export PYTHON
LAUNCHER := $(PYTHON) -B monitor/machines/qemu.py

# A kernel or disk named on the command line is taken as it is, never rebuilt.
given      = $(findstring command line,$(origin $1))
BOOT_FILES := $(if $(call given,KERNEL),,kernel) $(if $(call given,IMAGE),,image) tlb-plugin

# --- tools -----------------------------------------------------------------
# Whatever builds or runs something checks its tools first.  The stamp is an
# included file: when tools were installed make starts over and finds them.

NEED_TOOLS := run batch gdb console boot-time size lesson lessons-test experiment experiments \
	bench bench-baseline test test-fast test-long test-crash test-unit test-guest format-check install-tools
ifneq ($(filter $(NEED_TOOLS),$(MAKECMDGOALS)),)
LEVEL := $(if $(filter-out run batch console boot-time size bench bench-baseline lesson experiment \
	experiments,$(MAKECMDGOALS)),test,run)
include $(BUILD)/tools-$(LEVEL)
$(BUILD)/tools-$(LEVEL): FORCE
	@sh monitor/machines/tools.sh install $@ $(LEVEL)
endif

install-tools: ## install what a fresh Debian lacks (run and test do it too)

doctor: ## every tool: version found, minimum, what breaks without it
	@sh monitor/machines/tools.sh doctor

# --- exit statuses ---------------------------------------------------------
# status.c makes make end with the launcher's status (batch.py lists them).

ifneq ($(filter run batch gdb experiment experiments,$(MAKECMDGOALS)),)
ifneq ($(shell command -v $(HOSTCC)),)
-load $(BUILD)/status.so
endif
endif

$(BUILD)/status.so: monitor/machines/status.c
	@mkdir -p $(@D)
	@$(HOSTCC) -Wall -Wextra -O1 -shared -fPIC $< -o $@

# What QEMU's threads take turns by is built for whoever boots with the other thing QEMU loads.
TURNS := $(BUILD)/turns.so
tlb-plugin: $(TURNS)

$(TURNS): monitor/machines/turns.c
	@mkdir -p $(@D)
	@$(HOSTCC) -std=gnu11 -Wall -Wextra $(WERROR) -O2 -g -shared -fPIC $< -o $@

FILES = KERNEL='$(KERNEL)' IMAGE='$(IMAGE)'

# $(call with_status,COMMAND): run it and leave its status where status.so looks.
define with_status
@$1 || { s=$$?; $(if $(.LOADED),echo $$s >$(BUILD)/status.$$PPID;) exit $$s; }
endef

# $(call launch,MODE): run the launcher.
launch = $(call with_status,$(FILES) $(LAUNCHER) $1)

# --- targets ---------------------------------------------------------------

# Options are checked before anything is built from them.
check-options: tlb-plugin
	@$(LAUNCHER) check

run: check-options $(BOOT_FILES) ## Klaava in this terminal, at the monitor's prompt
	$(call launch,run)

batch: check-options $(BOOT_FILES) ## boot, run MON='cmd; cmd', power off; status 0 to 5
	$(call launch,batch)

gdb: check-options $(BOOT_FILES) ## frozen, with GDB attached and the kernel's symbols
	$(call launch,gdb)

console: ## the console of a running `make gdb`, in another terminal
	@$(LAUNCHER) console

boot-time: check-options $(BOOT_FILES) ## real time from kernel entry to the prompt
	$(call launch,boot-time)

help: ## this list (the default)
	@echo 'make TARGET [VARIABLE=value ...]'
	@echo
	@echo Targets
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | sort -u | \
		while IFS='|' read -r t text; do printf '  %-14s %s\n' "$$t" "$$text"; done
	@echo
	@echo 'Variables (of run, batch, gdb, boot-time)'
	@$(LAUNCHER) help

FORCE:
.PHONY: FORCE install-tools doctor check-options run batch gdb console boot-time help
