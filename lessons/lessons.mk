# lessons: read by a student at a live machine, checked by a test in batch.

N ?= 1
LESSONS = PYTHONDONTWRITEBYTECODE=1 $(FILES) $(PYTHON) lessons/runner.py

lesson: kernel image ## walk through lesson N=1 on a live machine
	@$(LESSONS) show '$(N)'

lessons-test: kernel image ## does every statement of every lesson hold?
	@$(LESSONS) test

.PHONY: lesson lessons-test
