# tests: what keeps the promises kept.
#
# make test-fast is for between two edits, make test is what CI runs, make test-long what
# CI does not wait for.
#
# unit/ are cmocka programs for the host, guest/ ring-3 programs that must say the
# same on Klaava and on Linux, system/ boots the whole machine (pytest).

TEST_UNIT_BINS ?=
CFORMAT = $(shell git ls-files '*.c' '*.h' 2>/dev/null || find kernel monitor tests -name '*.[ch]')

# As many workers as processors, when pytest-xdist is there.
PYTEST = PDA=$(PDA) KLAAVA_BUILT=1 $(PYTHON) -B -m pytest -c tests/system/pytest.ini \
	$(shell $(PYTHON) -c 'import xdist' 2>/dev/null && echo '' -n auto --dist loadgroup) \
	$(shell $(PYTHON) -c 'import pytest_timeout' 2>/dev/null && echo --timeout=600)

# What the system tests start: the kernel, the disk, and the programs as Linux runs them.
TESTED := kernel image guest user-host tlb-plugin

test-fast: $(TESTED) size test-unit ## the quick half of test, in less than 2 minutes
	@$(PYTEST) -m 'not slow and not long' -k 'not native' tests/system

test: $(TESTED) format-check size test-unit lessons-test ## all that CI runs
	@$(PYTEST) -m 'not long' tests/system
	@[ $(PDA) != gs ] || $(MAKE) -s test-builds

# What touches the places where the builds differ; `make test PDA=stack` asks everything of one.
# Each build is a configuration of its own: that is why make calls make here.
BUILDS_DIFFER := $(addsuffix .py,$(addprefix tests/system/test_,foreign guest processes smp bad_input \
	cr3 debug))

test-builds: ## a part of test with PDA=stack and with PDA=array
	@for pda in stack array; do \
		echo "PDA=$$pda:" && $(MAKE) -s PDA=$$pda test-build || exit; \
	done

test-build: $(TESTED) size
	@$(PYTEST) -m '(builds or not slow) and not long' $(BUILDS_DIFFER)

test-long: $(TESTED) ## what takes longer than CI should wait
	@$(PYTEST) -m long tests/system

# Crashes by the thousand: each line counts what was seen.
test-crash: kernel user ## 1,000 crashes in each mode of writing, and 20 machines killed
	@for s in 'cache.order=on' 'cache.order=on cache.write=through' 'cache.order=off' \
			'cache.order=off cache.write=through'; do \
		$(PYTHON) -B tests/system/powercut.py --prefixes 1000 --set "$$s cache.flush=1" || exit; \
	done
	@$(PYTHON) -B tests/system/powercut.py --prefixes 0 --kills 20 --set 'cache.order=on cache.flush=1'

# The list grows in files read after this one.
.SECONDEXPANSION:
test-unit: $$(TEST_UNIT_BINS) ## unit tests on the host (cmocka)
	@for t in $(TEST_UNIT_BINS); do echo "$$t"; ./$$t || exit 1; done

size: kernel ## the kernel by section against its limit of 256 KB
	@$(PYTHON) -B tests/size.py $(KERNEL)

bench: kernel image tlb-plugin ## what system calls and faults cost, in instructions
	@$(PYTHON) -B tests/bench.py show

bench-baseline: kernel image tlb-plugin ## take these counts as what the tests compare with
	@$(PYTHON) -B tests/bench.py baseline

format-check: ## is all C laid out as .clang-format says?
	@bad=; for f in $(CFORMAT); do \
		clang-format --dry-run -Werror $$f 2>/dev/null || bad="$$bad $$f"; \
	done; [ -z "$$bad" ] || { echo "clang-format -i$$bad" >&2; exit 1; }

clean: ## remove everything that was built
	rm -rf $(BUILD)

.PHONY: test-fast test test-builds test-build test-long test-crash test-unit size bench bench-baseline format-check clean
