# lessons: read by a student at a live machine, checked by a test in batch; their experiments.

N ?= 1
LESSONS     = PYTHONDONTWRITEBYTECODE=1 $(FILES) $(PYTHON) lessons/runner.py
EXPERIMENTS = PYTHONDONTWRITEBYTECODE=1 $(FILES) $(PYTHON) lessons/experiments.py

lesson: kernel image tlb-plugin ## walk through lesson N=1 on a live machine
	@$(LESSONS) show '$(N)'

lessons-test: kernel image tlb-plugin ## does every statement of every lesson hold?
	@$(LESSONS) test

experiment: $(if $(NAME),kernel image tlb-plugin) ## measure: NAME=, a table and a CSV; no NAME: list
	$(call with_status,$(EXPERIMENTS) $(NAME))

experiments: kernel image tlb-plugin ## all of them (REDUCED=1: small matrices; JOBS=: cells at a time)
	$(call with_status,$(EXPERIMENTS) --all)

# Where the kernel of these variables is: for experiments that compare builds.
kernel-name:
	@echo '$(KERNEL)'

.PHONY: lesson lessons-test experiment experiments kernel-name
