"""Copied at once or at the first write, read at once or at the first use, shared or not: either way
every process has memory of its own, and what it costs is what the tunables say."""

import subprocess

import pytest

from conftest import ROOT, batch, good_batch, records

COPY = ["cow", "eager"]
PAGES = 32	# of forkcopy's own
TEXT = 35	# pages of bulky that nobody may write
USED = 16


def by_pid(out):
	"""{pid: its areas}, from the answers of several `space PID -k`."""
	spaces = {}
	for r in records(out):
		if "base" in r:
			spaces[r["pid"]] = areas = []
		elif "kind" in r:
			areas.append(r)
	return spaces


def looking_at(programs, looks="", **variables):
	"""Start programs, and while they are there look at the areas of all processes of that name:
	first who they are, then the same again, with what there is to see."""
	name = programs[0].split()[0]
	start = "; ".join(f"run {p} &" for p in programs) + "; run sleep 1"
	run = lambda look: good_batch(f"{start}; {look}", MACHINE="count", **variables)
	pids = [r["pid"] for r in records(run("ps -k")) if r.get("name") == name]
	out = run("; ".join(f"space {pid} -k" for pid in pids) + looks)
	return [by_pid(out)[pid] for pid in pids], out


def area(areas, **keys):
	found, = [a for a in areas if all(a[k] == v for k, v in keys.items())]
	return found


def text_of(areas):
	return area(areas, kind="file", rights="r-x")


def mem(out):
	return [r for r in records(out) if "frames" in r and "free" in r]


# --- fork ---------------------------------------------------------------------------------

@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("model", ["private", "shared"])
def test_neither_process_sees_what_the_other_writes_whoever_copies_when(cpus, model):
	def said(copy):
		return good_batch("run /tests/fork_cow; run forkcopy 64 16 48 6 1; run forkcopy 64 48 16 6 1; "
		                  "run forktree 3; run forkcopy 64 exec 64 6; run forkcopy 64 vfork 8 6",
		                  CPUS=cpus, TIMEOUT=120, SET=f"fork.copy={copy} space.model={model}")
	assert "NO" not in said("cow")
	assert said("eager") == said("cow")


@pytest.mark.parametrize("copy, shared", [("cow", PAGES), ("eager", 0)])
@pytest.mark.parametrize("model", ["private", "shared"])
def test_a_child_shares_its_pages_until_they_are_written_or_has_its_own_at_once(copy, shared, model):
	family, _ = looking_at([f"forkcopy {PAGES} 0 0 1 3"], SET=f"fork.copy={copy} space.model={model}")
	assert len(family) == 2
	for areas in family:
		own = area(areas, kind="zero", pages=PAGES)
		assert (own["resident"], own["shared"]) == (PAGES, shared)
		text = text_of(areas)
		assert text["resident"] == text["shared"] > 0	# nobody may write there: always one for both


@pytest.mark.parametrize("writes", [0, PAGES // 2, PAGES])
def test_written_pages_and_no_others_are_copied(writes):
	family, _ = looking_at([f"forkcopy {PAGES} {writes} 0 1 3"], SET="fork.copy=cow")
	assert [area(areas, kind="zero", pages=PAGES)["shared"] for areas in family] == [PAGES - writes] * 2


def faults_of_forks(copy, forks):
	"""Of all processes: while a program forks so often, each child writes to all it has, and the
	parent, too."""
	out = good_batch(f"run true; cpu -k; run forkcopy {PAGES} {PAGES} {PAGES} {forks}; cpu -k",
	                 MACHINE="count", SET=f"fork.copy={copy}")
	before, after = (r["faults"] for r in records(out) if "apic" in r)
	return after - before


def test_an_eager_copy_is_never_faulted_for():
	assert faults_of_forks("eager", 9) == faults_of_forks("eager", 1)


def test_a_lazy_copy_costs_a_fault_for_each_page_and_process_that_writes():
	assert (faults_of_forks("cow", 9) - faults_of_forks("cow", 1)) / 8 >= 2 * PAGES


@pytest.mark.parametrize("cpus", [1, 4])
def test_an_eager_fork_that_does_not_fit_is_refused_and_the_parent_goes_on(cpus):
	big = "run forkcopy 600 0 600 1"
	look = "run true; mem -k"
	tight = {"MEM": "4M", "SWAP": "off", "CPUS": cpus, "MACHINE": "count"}
	good_batch(big, SET="fork.copy=cow", **tight)
	run = batch(f"{big}; {look}; {big}; {look}; run forkcopy 200 0 200 1",
	            SET="fork.copy=eager idle.space=eager", **tight)
	assert run.out.count("forkcopy: fork: Cannot allocate memory") == 2
	assert "out of memory" not in run.out
	assert "forkcopy: 200 pages, 1 forks" in run.out
	before, after = mem(run.out)
	assert before == after


# --- exec ---------------------------------------------------------------------------------

@pytest.mark.parametrize("model", ["private", "shared"])
def test_eager_exec_reads_all_that_the_file_has_and_demand_what_is_used(model):
	def files(load):
		programs, out = looking_at(["bulky 1 3"], SET=f"exec.load={load} space.model={model}")
		faults, = [r["faults"] for r in records(out) if "base" in r]
		return sum(a["pages"] for a in programs[0] if a["kind"] == "file"), \
			sum(a["resident"] for a in programs[0] if a["kind"] == "file"), faults
	pages, resident, faults = files("eager")
	assert resident == pages == TEXT + 1
	pages, resident, more_faults = files("demand")
	assert resident < pages // 4
	assert more_faults == faults + resident	# each of them came by one


@pytest.fixture
def hole(tmp_path):
	"""A root disk on which a page of bulky cannot be read that `bulky 0` does not use."""
	path = tmp_path / "root.img"
	path.write_bytes((ROOT / "build/root-1024.img").read_bytes())
	subprocess.run(["debugfs", "-w", "-R", "set_inode_field /bin/bulky block[8] 9999999", str(path)],
	               check=True, capture_output=True)
	return path


def test_an_eager_exec_that_cannot_read_fails_and_the_old_program_goes_on(hole):
	def said(load):
		look = "run true; mem -k"
		return batch(f"run bulky 0; run sh -c 'bulky 0; echo status $?; echo old program'; {look}; "
		             f"run bulky 0; {look}", IMAGE=hole, SET=f"exec.load={load}", MACHINE="count").out
	assert said("demand").count("bulky: 0 of 32 pages used") == 3
	out = said("eager")
	assert "pages used" not in out
	assert "bulky: Input/output error" in out or "I/O error" in out
	assert "old program" in out
	before, after = mem(out)
	assert before == after


@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("model", ["private", "shared"])
def test_programs_do_the_same_however_they_were_loaded(cpus, model):
	def said(tunables):
		return good_batch("run /tests/exec_args; run /tests/vfork_exec; run /tests/text_own; "
		                  "run /tests/stack_growth; run forkexec 20; run bulky 32",
		                  CPUS=cpus, TIMEOUT=120, SET=f"space.model={model} {tunables}")
	assert said("exec.load=eager") == said("exec.load=demand text.share=off") \
		== said("exec.load=eager text.share=off fork.copy=eager") != ""


# --- text ---------------------------------------------------------------------------------

@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("model", ["private", "shared"])
@pytest.mark.parametrize("load", ["demand", "eager"])
def test_programs_share_their_text_or_have_it_for_themselves(model, cpus, load):
	def user_frames(share):
		n = 4
		programs, out = looking_at([f"bulky {USED} 4"] * n, "; mem -k", CPUS=cpus,
		                           SET=f"text.share={share} space.model={model} exec.load={load}")
		assert len(programs) == n
		resident = {text_of(areas)["resident"] for areas in programs}
		assert len(resident) == 1 and USED < min(resident) <= TEXT
		assert {text_of(areas)["shared"] for areas in programs} == (resident if share == "on" else {0})
		# data, or what was private from the beginning, is nobody else's
		assert {a["shared"] for areas in programs for a in areas if a["rights"] != "r-x"} == {0}
		return mem(out)[-1]["user"], resident.pop()
	shared, pages = user_frames("on")
	private, _ = user_frames("off")
	assert private - shared == 3 * pages


@pytest.mark.parametrize("cpus", [1, 4])
def test_shared_text_outlives_who_read_it(cpus):
	out = good_batch(f"run bulky {USED} 1 &; run bulky {USED} 3 &; run sleep 2; run bulky {USED}; run sleep 2",
	                 MACHINE="count", CPUS=cpus)
	assert out.count(f"bulky: {USED} of 32 pages used") == 3


def test_two_programs_that_are_read_from_the_disk_at_the_same_time_share_too():
	programs, _ = looking_at([f"bulky {USED} 9", f"bulky {USED} 9", "sleep 5"], SET="text.share=on disk.rpm=3300")
	assert [text_of(areas)["shared"] for areas in programs] == [text_of(programs[0])["resident"]] * 2


@pytest.mark.parametrize("share", ["on", "off"])
@pytest.mark.parametrize("model", ["private", "shared"])
def test_text_that_was_made_writable_is_copied_at_the_write(share, model):
	out = good_batch("run /tests/text_own", SET=f"text.share={share} space.model={model}")
	assert "parent still sees: as linked, as linked" in out and "NO" not in out
	assert "writer still sees: written, written, too" in out


@pytest.mark.slow
@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("tunables", ["fork.copy=eager exec.load=eager", "text.share=off",
                                      "space.model=shared fork.copy=eager exec.load=eager text.share=off"])
def test_all_frames_come_back(cpus, tunables):
	work = "run forkexec 100; run forkcopy 64 32 64 20; run bulky 32; run /tests/text_own"
	out = good_batch(f"{work}; {work}; run true; mem -k; {work}; run forkexec 500; run true; mem -k",
	                 MACHINE="count", CPUS=cpus, TIMEOUT=300, SET=f"idle.space=eager {tunables}")
	before, after = mem(out)
	assert before == after
