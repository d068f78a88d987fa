"""Processes, what interrupts them, and the terminal they talk to."""

import re
import struct
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT, batch, good_batch, records

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(scope="session")
def rough(tmp_path_factory):
	"""A root disk on which /bin/rough treats the processor roughly."""
	folder = tmp_path_factory.mktemp("rough")
	subprocess.run(
		["gcc", "-m32", "-nostdlib", "-static", "-no-pie",
		 "-Wl,-Ttext=0x400000,--build-id=none,-z,max-page-size=4096,-z,noexecstack",
		 str(FIXTURES / "rough.S"), "-o", str(folder / "rough")], check=True)
	return with_program(folder, folder / "rough")


def with_program(folder, program):
	"""A copy of the root disk with a program more in /bin."""
	disk = folder / "root.img"
	disk.write_bytes((ROOT / "build/root-1024.img").read_bytes())
	for request in (f"write {program} /bin/{program.name}",
	                f"set_inode_field /bin/{program.name} mode 0100755"):
		subprocess.run(["debugfs", "-w", "-R", request, str(disk)], check=True, capture_output=True)
	return disk


# A letter of rough.S, and what is said when the program dies of it; None: it lives.
ROUGH = {
	"a": None, "b": None, "c": None, "d": "single step", "e": "privileged", "f": "privileged",
	"g": "privileged", "h": "privileged", "i": "privileged", "j": "privileged", "k": None, "l": None,
	"m": "kernel memory", "n": "return from a signal handler", "o": "return from a signal handler",
	"p": "privileged", "q": "privileged", "r": None, "s": "null dereference|nothing is mapped",
	"t": "breakpoint", "u": "virtual-8086|privileged", "v": None, "w": "kernel memory|nothing is mapped",
	"x": "single step", "y": None, "z": None,
}


@pytest.mark.parametrize("cpus, model", [(1, "private"), (4, "shared")])
def test_rough_use_of_the_processor_hurts_nobody_else(rough, cpus, model):
	mon = "; ".join(f"echo @{letter}; run rough {letter}" for letter in ROUGH)
	run = batch(f"{mon}; echo @end; run echo alive", IMAGE=rough, CPUS=cpus, SET=f"space.model={model}")
	said = dict(re.findall(r"@(\w+)\n(.*?)(?=@|\Z)", run.out, flags=re.S))
	for letter, words in ROUGH.items():
		if words is None:
			assert said[letter] == "done\n", letter
		else:
			died = rf"rough\[\d+\]: .*({words}).*,\s+eip 0x[0-9a-f]{{8}}: killed by SIG"
			assert re.search(died, said[letter]), letter
			assert "done" not in said[letter], letter
	assert said["end"] == "alive\n"
	assert max(map(len, run.out.splitlines())) <= 80


def test_calls_that_do_not_exist_are_counted(rough):
	out = good_batch("run rough l; syscalls -k", IMAGE=rough)
	counts = [r for r in records(out) if r.get("nr") == 449]
	assert counts and counts[0]["calls"] == 1


def test_a_program_too_big_for_a_window_is_refused_with_a_reason(terminal, tmp_path):
	data = bytearray((ROOT / "build/user/true").read_bytes())
	struct.pack_into("<I", data, 52 + 20, 0x04000000) # p_memsz of the first segment
	program = tmp_path / "huge"
	program.write_bytes(data)
	# The console and the log are one in an interactive run.
	console = terminal(IMAGE=with_program(tmp_path, program), SET="space.model=shared")
	said = console.command("run huge")
	assert "huge: does not fit the 64 MB window of a shared space" in said
	assert "exec format error" in said


def test_init_survives_whatever_is_sent_to_it():
	out = good_batch("run sh -c 'kill -9 1; kill 1; kill -2 1'; ps -k")
	assert [r["name"] for r in records(out) if r.get("pid") == 1] == ["init"]


def test_the_status_of_a_program_is_that_of_run():
	assert batch("run true").status == 0
	assert batch("run false").status == 1
	assert batch("run sh -c 'kill -9 $$'").status == 1


def test_ps_of_a_program_lists_every_task_once_by_ascending_pid():
	out = good_batch("run sh -c 'sleep 5 & sleep 5 & ps'")
	lines = [line.split() for line in out.splitlines() if re.match(r" *\d+ +\d+ ", line)]
	pids = [int(line[0]) for line in lines]
	names = [line[-1] for line in lines]
	assert pids == sorted(set(pids)) and pids[0] == 1
	assert names.count("sleep") == 2 and {"init", "monitor", "sh", "ps"} <= set(names)


def test_the_terminal_edits_a_line_before_the_program_sees_it(terminal):
	console = terminal()
	console.keys("run cat\r")
	console.see(r"run cat\r\n")
	console.keys("abx\x7fc\r")
	console.see(r"abx\x08 \x08c\r\nabc\r\n")
	console.keys("never mind\x15kept\r")
	console.see(r"[\r\n]kept\r\n")
	console.keys("no newline\x04")
	console.see(r"no newlineno newline")
	console.keys("\r\x04")
	console.prompt()


def test_keys_typed_ahead_are_for_whoever_reads_next(terminal):
	console = terminal()
	console.keys("run cat\rfor cat\r\x04run sleep 1\recho for the ")
	console.see(r"[\r\n]for cat\r\n")
	console.see(r"run sleep 1")
	console.keys("monitor\r")
	console.see(r"[\r\n]for the monitor\r\n")


def test_end_of_input_ends_a_shell_and_not_the_monitor(terminal):
	console = terminal()
	console.keys("run sh\r")
	console.see(r"\$ ")
	console.keys("echo in the shell\r")
	console.see(r"[\r\n]in the shell")
	console.see(r"\$ ")
	console.keys("\x04")
	console.prompt()
	assert "monitor" in console.command("ps")


def test_in_batch_a_program_that_reads_the_terminal_sees_its_end():
	assert good_batch("run cat; run wc; echo on", TIMEOUT=20).endswith("on\n")


@pytest.mark.parametrize("cpus, model, rounds", [
	(1, "private", 100), (4, "shared", 100),
	pytest.param(1, "shared", 2000, marks=pytest.mark.long),
	pytest.param(4, "private", 2000, marks=pytest.mark.long),
])
def test_random_calls_hurt_nobody(cpus, model, rounds):
	out = good_batch(f"run babble {rounds} {rounds + cpus}; run sleep 1; run echo alive; run babble 20; "
	                 "run echo alive", CPUS=cpus, SET=f"space.model={model}", TIMEOUT=300)
	assert re.findall(r"^babble: (\d+) rounds", out, re.M) == [str(rounds), "20"]
	assert re.findall(r"^alive", out, re.M) == ["alive"] * 2


STORM = re.compile(r"storm: (\d+) processes, (\d+) calls, (\d+) words wrong, (\d+) faults missing, (\d+) died")


@pytest.mark.parametrize("model", ["private", "shared"])
@pytest.mark.parametrize("rounds", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_no_cpu_uses_a_translation_that_is_no_longer_true(model, rounds):
	out = good_batch(f"run storm 8 {rounds}; tlb shootdown -k", CPUS=4, SET=f"space.model={model}", TIMEOUT=400)
	processes, calls, *bad = map(int, STORM.search(out).groups())
	# rights taken and given back, unmapped, mapped again: each round
	assert processes == 8 and calls >= 8 * rounds * 4 and bad == [0, 0, 0]
	cpus = [r for r in records(out) if "elsewhere" in r]
	asked, idle, elsewhere = (sum(r[key] for r in cpus) for key in ("sent", "lazy", "elsewhere"))
	assert asked == sum(r["answered"] for r in cpus)
	# Who stands on another directory need not be asked: nobody, where all share one.
	assert elsewhere > 8 * rounds if model == "private" else elsewhere == 0
	assert asked > 8 * rounds if model == "shared" else asked == 0
