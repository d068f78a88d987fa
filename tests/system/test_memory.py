"""Who has which frame, and that all of them come back."""

import pytest

from conftest import batch, good_batch, records


def mems(out):
	return [r for r in records(out) if "frames" in r and "free" in r]


def test_a_minimal_private_process_has_a_directory_and_two_tables():
	out = good_batch("run sleep 5 &; run sleep 1; ptmem -k", MACHINE="count", SET="space.model=private")
	sleepers = [r for r in records(out) if r.get("name") == "sleep"]
	assert [r["tables"] for r in sleepers] == [3]


def test_ptmem_ends_with_a_total_that_is_the_sum():
	out = good_batch("run sleepers 4 2 &; run sleep 1; ptmem -k", MACHINE="count")
	rows = records(out)
	total = next(r for r in rows if r.get("row") == "total")
	private = [r for r in rows if "rss" in r and r["model"] == "private"]
	assert len(private) >= 5
	assert total["tables"] >= sum(r["tables"] for r in private)
	assert total["frames_user"] > 0


def after_1000(cpus, model, idle):
	"""mem -k before and after 1,000 fork + exec + exit, and the table frames of dead spaces
	that some CPU still borrows at that moment."""
	look = "mem -k; ptmem -k"
	# the first run fills the buffer cache and grows the allocator
	out = good_batch(f"run forkexec 10; run true; echo @; {look}; run forkexec 1000; run true; echo @; {look}",
	                 MACHINE="count", CPUS=cpus, SET=f"space.model={model} idle.space={idle}", TIMEOUT=300)
	for part in out.split("@\n")[1:]:
		dead = [r for r in records(part) if r.get("name") == "(dead)"]
		yield mems(part)[0], sum(r["tables"] for r in dead)


@pytest.mark.slow
@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("model", ["private", "shared"])
def test_frames_come_back_after_1000_fork_exec_exit(cpus, model):
	(before, borrowed), (after, still_borrowed) = after_1000(cpus, model, "eager")
	assert borrowed == still_borrowed == 0
	assert before == after


@pytest.mark.parametrize("cpus", [1, 4])
def test_lazy_processors_keep_nothing_but_the_tables_they_stand_on(cpus):
	(before, borrowed), (after, still_borrowed) = after_1000(cpus, "private", "lazy")
	assert still_borrowed <= 3 * cpus
	assert before["tables"] - borrowed == after["tables"] - still_borrowed
	for key in ("kernel", "user", "cache"):
		assert before[key] == after[key]


def test_frames_come_back_when_a_program_cannot_be_started(tmp_path):
	bad = "run nosuch; run /lessons; run /lessons/01-one-number/lesson.md; run /nosuch/nosuch"
	# the first round fills the caches
	out = batch(f"{bad}; mem -k; {bad}; mem -k", MACHINE="count").out
	before, after = mems(out)
	assert before == after


def test_every_frame_is_accounted_for():
	out = good_batch("run true; mem -k", MACHINE="count")
	m = mems(out)[0]
	assert m["frames"] == sum(m[k] for k in ("free", "kernel", "user", "tables", "cache", "reserved"))


def test_a_fork_bomb_gets_an_error_and_the_monitor_goes_on():
	run = batch("run bomb fork; echo still here; run true; mem -k", MEM="4M", TIMEOUT=120)
	assert "EAGAIN" in run.out or "ENOMEM" in run.out
	assert "still here\n" in run.out


def test_when_memory_is_gone_the_largest_process_dies_with_a_line():
	run = batch("run sleep 100 &; run bomb memory; echo still here; run echo again; ps -k", MEM="4M",
	            TIMEOUT=120)
	assert "out of memory" in run.out.lower() or "killed" in run.out.lower()
	assert "still here\n" in run.out and "again\n" in run.out
	assert any(r.get("name") == "sleep" for r in records(run.out))
