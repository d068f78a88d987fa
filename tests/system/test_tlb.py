"""The TLB model beside the machine: what it says of the kernel, and that it can be trusted."""

import mmap
import re
import subprocess

import elf
import pytest

from conftest import KERNEL, ROOT, all_cpus, batch, good_batch, records

POLICIES = ("386", "386:replacement=lru", "386:replacement=plru", "386:replacement=rr",
            "386:replacement=random")
ENTRIES = 32


def stats(out):
	"""Records of `tlb stats -k`, a CPU each, in order."""
	return [r for r in records(out) if "miss_first" in r and r["cpu"] != "all"]


def loads(out):
	"""Records of `cr3 log -k`: loads only."""
	return [r for r in records(out) if "reason" in r and r["loaded"]]


def counted(mon, **variables):
	variables = {"MACHINE": "count", "TLB": "386", **variables}
	return good_batch(mon, **variables)


def assert_sums(row):
	assert row["misses"] == row["miss_first"] + row["miss_replaced"] + row["miss_flush"]
	assert row["hits"] + row["misses"] == row["references"]
	assert row["references"] == row["fetches"] + row["reads"] + row["writes"]
	assert row["instructions"] <= row["fetches"]


@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("tlb", ["386", "486", "pentium", "custom:entries=64,ways=8,global=1"])
def test_the_sums_agree(tlb, cpus):
	rows = stats(counted("run switchers 4 30; run forktree 2; tlb stats -k", TLB=tlb, CPUS=cpus))
	assert [r["cpu"] for r in rows] == list(range(cpus))
	for row in rows:
		assert_sums(row)


@pytest.mark.parametrize("tlb", POLICIES)
def test_private_spaces_pay_for_each_switch_and_never_more_than_the_tlb_holds(tlb):
	out = counted("run switchers 8 25; cr3 log -k; tlb stats -k", TLB=tlb,
	              SET="space.model=private")
	switches = [r for r in loads(out) if r["reason"] == "switch"]
	assert len(switches) > 150
	assert sum(r["misses"] for r in switches) > len(switches)
	assert max(r["misses"] for r in loads(out)) <= ENTRIES


@pytest.mark.parametrize("tlb", POLICIES)
def test_shared_spaces_pay_nothing_for_a_switch(tlb):
	few, many = (counted(f"run switchers 8 {rounds}; cr3 log -k; tlb stats -k", TLB=tlb,
	                     SET="space.model=shared") for rounds in (20, 200))
	assert not [r for r in loads(many) if r["reason"] == "switch"]
	# ten times the switches, the same flushes: those of starting and ending
	assert stats(many)[0]["miss_flush"] <= stats(few)[0]["miss_flush"] + ENTRIES


def test_every_flush_miss_has_a_load_that_answers_for_it():
	out = counted("run switchers 8 10; cr3 log -k; tlb stats -k", SET="space.model=private")
	assert sum(r["misses"] for r in loads(out)) == stats(out)[0]["miss_flush"]


@pytest.mark.parametrize("model", ["private", "shared"])
def test_pages_of_one_set_miss_exactly_when_they_do_not_fit(model):
	"""Round after round, least recently used: four fit, of five each reading misses."""
	for pages, expected in ((4, 0), (5, 5), (7, 7)):
		few, many = (stats(counted(f"run conflict {pages} {rounds}; tlb stats -k",
		                           TLB="custom:entries=32,ways=4,replacement=lru",
		                           SET=f"space.model={model}"))[0]["misses"]
		             for rounds in (1000, 3000))
		assert many - few == 2000 * expected


@pytest.mark.parametrize("cpus", [1, 4])
def test_two_runs_are_the_same_bytes(cpus):
	mon = "run switchers 8 100; tlb stats -k; cr3 -k; cr3 log -k"
	first, second = (counted(mon, CPUS=cpus) for _ in range(2))
	assert first == second


@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("tlb", ["386", "pentium", "custom:entries=16,ways=1",
                                 "custom:entries=2,ways=2,replacement=random"])
def test_short_cuts_see_what_watching_every_instruction_sees(tlb, cpus, monkeypatch):
	"""Blocks are counted when they begin: up to one is ahead at the moment of looking."""
	mon = "run switchers 4 30; run forktree 2; run crash null; run sleep 0.1; tlb stats -k"
	slow = stats(batch(mon, MACHINE="count", TLB=tlb, CPUS=cpus).out)
	monkeypatch.setenv("KLAAVA_TLB_QUICK", "1")
	quick = stats(batch(mon, MACHINE="count", TLB=tlb, CPUS=cpus).out)
	assert len(quick) == len(slow) == cpus
	for a, b in zip(quick, slow):
		for key in ("reads", "writes", "flushes", "page_flushes"):
			assert a[key] == b[key], key
		for key in ("misses", "miss_first", "miss_replaced", "miss_flush", "rewalks"):
			assert abs(a[key] - b[key]) <= 2, key
		assert 0 <= a["fetches"] - b["fetches"] < 64


def test_watching_changes_none_of_the_kernels_own_counts():
	watched, alone = (all_cpus(counted("run switchers 8 50; cr3 -k", TLB=tlb))[0]
	                  for tlb in ("386", "off"))
	assert watched.pop("misses") > 0 == alone.pop("misses")
	assert watched == alone


def test_without_a_model_the_view_says_so():
	run = batch("tlb stats -k", MACHINE="count")
	assert run.status == 1
	assert "No TLB model" in run.out


@pytest.mark.parametrize("tlb, said", [
	("i386", "known: 386, 486, pentium, custom, off"),
	("custom:ways=3", "ways does not divide entries"),
	("custom:entries=24,ways=4", "not a power of two"),
	("386:replacement=best", "known: pointer, plru, lru, rr, random"),
	("custom:size=3", "known: entries, ways"),
])
def test_a_bad_geometry_is_one_clear_line(tlb, said):
	run = batch("echo", TLB=tlb)
	assert run.status == 5
	assert said in run.err
	assert len(run.err.splitlines()) == 1


@pytest.mark.parametrize("cpus", [1, 4])
def test_after_a_reboot_the_model_begins_anew(terminal, cpus):
	t = terminal(TLB="386", CPUS=cpus)
	t.command("run forkexec 500")
	before = stats(t.command("tlb stats -k"))
	t.keys("reboot space.model=shared\r")
	t.prompt()
	after = stats(t.command("tlb stats -k"))
	assert len(after) == len(before) == cpus
	assert 0 < sum(r["misses"] for r in after) < sum(r["misses"] for r in before) / 2
	for row in after:
		assert_sums(row)


def test_a_kernel_without_telemetry_runs_without_the_model(tiny):
	run = batch("", TLB="386", **tiny(0, 0x10))
	assert run.status == 0
	assert run.err.startswith("klaava: no TLB model: ")


def test_the_guest_cannot_tell_whether_a_model_watches():
	commands = "run switchers 8 20; mem -k; ps -k; cr3 log 20 -k"
	watched, alone = (re.sub(r"misses=\d+", "", batch(commands, MACHINE="count", TLB=tlb).out)
	                  for tlb in ("386", "off"))
	assert "loaded=1" in alone
	assert watched == alone


def test_telemetry_of_another_version_is_refused_in_one_line(tiny):
	run = batch("", TLB="386", TIMEOUT=20, **tiny(5))
	assert run.status == 5
	assert len([line for line in run.err.splitlines() if "telemetry is version 99" in line]) == 1


def test_a_missing_ram_file_is_refused_in_one_line(tmp_path):
	run = subprocess.run(
		["qemu-system-i386", "-display", "none", "-S", "-plugin",
		 f"{ROOT}/build/tlb-plugin.so,ram={tmp_path}/none,telemetry=0x1000,tlb=386"],
		check=False, capture_output=True, text=True, timeout=60)
	assert run.returncode != 0
	assert f"TLB model: {tmp_path}/none: No such file or directory" in run.stderr


# --- frames that walks find: telemetry.accessed ------------------------------------------------

# Room for all that a short run needs: entries go by a flush only.
ROOMY = "custom:entries=128,ways=64,replacement=lru"


def told_at():
	"""Physical address of the three words: of the bitmap, how many frames, is it kept?"""
	done = subprocess.run(["gdb", "-batch", "-nx", "-ex", "output (unsigned)&telemetry.accessed",
	                       str(KERNEL)], check=True, capture_output=True, text=True)
	return int(done.stdout) - elf.KERNEL_BASE


def words(text):
	"""What each `xp -k` in the output found, in order: lists of words."""
	found = []
	for r in records(text):
		if "w0" in r:
			found.append([r[key] for key in ("w0", "w1", "w2", "w3") if key in r])
	return found


def test_what_the_kernel_itself_uses_is_not_marked():
	told = f"xp /3 {told_at():x} -k; "
	(bitmap, frames, kept), = words(counted("run true; " + told, MACHINE="386-40"))
	assert bitmap and frames == 16 << 20 >> 12 and kept == 1
	out = counted(f"run true; xp /{frames // 32} {bitmap:x} -k; tlb stats -k", MACHINE="386-40")
	bits = [word >> bit & 1 for row in words(out) for word in row for bit in range(32)]
	marks = [frame for frame in range(frames) if bits[frame]]
	assert 0 < len(marks) < 20 < stats(out)[0]["misses"]
	# such as what it publishes, and the bitmap itself
	assert told_at() >> 12 not in marks and bitmap >> 12 not in marks


def test_without_a_model_nobody_claims_to_keep_marks():
	out = counted(f"run true; xp /3 {told_at():x} -k", TLB="off")
	assert words(out)[0][2] == 0


class Marks:
	"""A stopped machine's bitmap of frames, in its RAM as the host has it."""

	def __init__(self, folder):
		ram, = folder.glob("klaava-*/ram")
		with open(ram, "r+b") as file:
			self.ram = mmap.mmap(file.fileno(), 0)
		self.at, self.frames, kept = memoryview(self.ram).cast("I")[told_at() // 4:][:3]
		assert kept == 1

	def of(self, frame):
		return self.ram[self.at + frame // 8] >> frame % 8 & 1

	def clear(self):
		self.ram[self.at:self.at + self.frames // 8] = bytes(self.frames // 8)


@pytest.mark.parametrize("machine", ["386-40", ""])
def test_a_page_in_use_is_not_marked_again_before_its_entry_is_flushed(terminal, tmp_path, machine):
	"""With a profile each instruction is watched, without one there are short cuts."""
	variables = {"MACHINE": machine} if machine else {}
	t = terminal(TLB=ROOMY, TMPDIR=tmp_path, **variables)
	t.command("run conflict 4 100000000 &")
	t.command("run sleep 0.2")
	pid, = (r["pid"] for r in records(t.command("ps -k")) if r["name"] == "conflict")

	def ticks():
		return next(r["ticks"] for r in records(t.command("ps -k")) if r["pid"] == pid)

	t.command("stop")
	runs = [r for r in records(t.command(f"pt {pid} -k")) if "frame" in r]
	in_use = [r["frame"] >> 12 for r in runs if r["first"] >> 12 & 7 == 4]
	assert len(in_use) == 4
	marks = Marks(tmp_path)
	assert all(marks.of(frame) for frame in in_use)
	marks.clear()
	flushes = stats(t.command("tlb stats -k"))[0]["flushes"]
	seen = ticks()
	t.command("go")
	while ticks() < seen + 20:
		pass
	t.command("stop")
	assert stats(t.command("tlb stats -k"))[0]["flushes"] == flushes
	assert not any(marks.of(frame) for frame in in_use)
	t.command("go")
	t.command("run true")
	t.command("stop")
	assert stats(t.command("tlb stats -k"))[0]["flushes"] > flushes
	assert all(marks.of(frame) for frame in in_use)
	t.command("go")


def test_the_pager_finds_by_the_models_marks_what_it_finds_by_accessed_bits():
	"""Of a process alone, whose every transfer flushes: else the two may well differ."""
	def clock(tlb):
		out = counted("run conflict 800 5; swap -k", MACHINE="386-40", MEM="3M", TLB=tlb,
		              SET="swap.invalidate=off")
		row, = (r for r in records(out) if "scanned" in r)
		return row

	by_marks = clock("386")
	assert by_marks == clock("off")
	assert by_marks["cleared"] > 800 and by_marks["data_in"] > 800
