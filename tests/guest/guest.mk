# Guest tests: small ring-3 programs that print the same on Klaava and on Linux.
#
#   make guest            builds them, with Klaava's own libc, into build/guest/
#   make test-guest-host  runs them on this host (directly, or through qemu-i386)
#
# build/guest/manifest lists them, one a line: what runs them need know nothing else.

GUEST_NAMES    := $(basename $(notdir $(wildcard tests/guest/*.c)))
GUEST_BINS     := $(addprefix $(BUILD)/guest$(USER_SUFFIX)/,$(GUEST_NAMES))
GUEST_MANIFEST := $(BUILD)/guest$(USER_SUFFIX)/manifest
GUEST_OBJ      := $(BUILD)/guest-obj$(USER_SUFFIX)

.PHONY: guest test-guest-host
guest: $(GUEST_BINS) $(GUEST_MANIFEST) ## the guest tests, into build/guest

$(GUEST_OBJ)/%.o: tests/guest/%.c
	@mkdir -p $(@D)
	$(call say,CC $<)
	$(Q)$(KCC) $(USER_CFLAGS) -MMD -MP -c -o $@ $<

$(GUEST_BINS): $(BUILD)/guest$(USER_SUFFIX)/%: $(USER_CRT) $(GUEST_OBJ)/%.o $(USER_LIBC) kernel/user/user.ld
	$(USER_LINK)

$(GUEST_MANIFEST): tests/guest/guest.mk $(wildcard tests/guest/*.c)
	@mkdir -p $(@D)
	@printf '%s\n' $(GUEST_NAMES) > $@

$(ROOT_IMG): $(GUEST_BINS) $(GUEST_MANIFEST) tests/guest/mkdata.sh tests/guest/script.sh

test-guest-host: guest user-host ## programs and guest tests, run on this host
	@$(PYTEST) tests/system/test_host_programs.py

-include $(wildcard $(GUEST_OBJ)/*.d)
