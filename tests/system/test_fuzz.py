"""Nonsense, by the thousand and the same in every run, never brings the kernel down."""

import random
import struct
import subprocess

import pytest

from conftest import ROOT, batch, good_batch, records

FEW_AND_MANY = [pytest.param(1), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 12))]


def end_is_orderly(run):
	"""Whatever was asked: no panic, no hang, no reset, and the last command ran."""
	assert run.status in (0, 1), run.err
	assert run.out.endswith("the end\n"), run.out[-300:]


COMMANDS = ("set", "show", "ps", "bt", "kill", "syscalls", "mem", "space", "pt", "walk", "ptmem", "swap", "tlb", "cr3",
            "bcache", "drop", "pda", "cpu", "irq", "x", "xp", "regs", "sym", "list", "delete", "run", "fg",
            "time", "lesson", "help", "explain", "history", "screen", "echo", "")
WORDS = ("-k", "0", "1", "2", "3", "-1", "4294967295", "4294967296", "0xffffffff", "0xc0000000", "0xc0100000",
         "0xbfffffff", "0x400000", "0xfee00000", "1-2", "2-1", "0-0xffffffff", "/4", "/99999", "/-1", "log", "probe",
         "all", "w", "rw", "space.model", "private", "sched.slice", "cr3_load", "cr3_load+0x10", "nosuch", "true",
         "echo", "&", "|", "| x", "''", "'", "a" * 60, "%s%n", "=", "==", "cpu", "init", "\\", "*", "~")


def nonsense(rng):
	words = [rng.choice(COMMANDS)] + [rng.choice(WORDS) for _ in range(rng.randrange(4))]
	return " ".join(words)


@pytest.mark.parametrize("seed", FEW_AND_MANY)
def test_no_command_line_brings_the_kernel_down(seed):
	rng = random.Random(seed)
	for cpus in (1, 2):
		lines = []
		while sum(map(len, lines)) + 2 * len(lines) < 1500:
			line = nonsense(rng)
			# an open quote would swallow what follows; these two wait for what never ends
			if line.count("'") % 2 == 0 and not line.startswith(("fg 1", "run init")):
				lines.append(line)
		end_is_orderly(batch("run sleep 1000 &; " + "; ".join(lines) + "; echo the end", CPUS=cpus))


def mutated(rng, program):
	"""A program with some bytes changed, most of them in its headers."""
	data = bytearray(program)
	for _ in range(rng.choice((1, 1, 2, 4, 30))):
		where = rng.randrange(52 + 32 * 4) if rng.random() < 0.8 else rng.randrange(len(data))
		if rng.random() < 0.5:
			data[where] = rng.randrange(256)
		else:
			value = rng.choice((0, 1, 0xfff, 0x1000, 0x7fffffff, 0x80000000, 0xbfffffff, 0xc0000000, 0xffffffff))
			struct.pack_into("<I", data, min(where & ~3, len(data) - 4), value)
	return bytes(data)


@pytest.mark.parametrize("model", ["private", "shared"])
@pytest.mark.parametrize("seed", FEW_AND_MANY)
def test_no_program_file_brings_the_kernel_down(seed, model, tmp_path):
	rng = random.Random(seed)
	program = (ROOT / "build/user/true").read_bytes()
	subprocess.run(["strip", "--strip-debug", "-o", tmp_path / "true", ROOT / "build/user/true"], check=True)
	program = (tmp_path / "true").read_bytes()
	image = tmp_path / "root.img"
	image.write_bytes((ROOT / "build/root-1024.img").read_bytes())
	script = []
	for i in range(25):
		(tmp_path / f"m{i}").write_bytes(mutated(rng, program))
		script += [f"write {tmp_path}/m{i} m{i}", f"set_inode_field m{i} mode 0100755"]
	(tmp_path / "script").write_text("\n".join(script) + "\n")
	subprocess.run(["debugfs", "-w", "-f", tmp_path / "script", image], check=True, capture_output=True)
	# in the background: one that spins or sleeps for ever is no fault of the kernel
	runs = "; ".join(f"run /m{i} &" for i in range(25))
	end_is_orderly(batch(f"{runs}; run sleep 1; mem -k; run true; echo the end", IMAGE=image, MACHINE="count",
	                     SET=f"space.model={model}", TIMEOUT=120))


WRITING = """mkdir /m /m/n; echo one > /m/a; echo two >> /etc/motd; cp /bench/64k /m/b; cp /tests/data/sparse /m/c &
ln /m/a /m/l; ln -s a /m/s; mv /tests/data/text /m/n/t; mv /lessons /m/lessons; touch /tests/data/*; rm -r /tests;
truncate -s 100 /bench/64k; truncate -s 300000 /m/b; cp /m/b /lessons/b; rm /m/lessons/0*/lesson.md; rmdir /m/n;
dd if=/dev/zero of=/m/big bs=1024 count=2000; df; sync; rm -r /m /bench; mkdir /m; wait; sync; ls -l /"""


@pytest.mark.parametrize("seed", FEW_AND_MANY)
def test_no_disk_brings_the_kernel_down(seed, tmp_path):
	rng = random.Random(seed)
	image = tmp_path / "root.img"
	clean = (ROOT / "build/root-1024.img").read_bytes()
	reading = "run ls /; run ls /bin; run ls /tests/data; run wc /lessons/01-one-number/lesson.md; run true; drop"
	writing = f"run sh -c '{' '.join(WRITING.split())}'"
	for _ in range(6):
		data = bytearray(clean)
		for _ in range(rng.choice((1, 3, 20, 200))):
			# the metadata of a small disk lies in its first tenth
			where = rng.randrange(1024, len(data) // 10)
			data[where] = rng.randrange(256)
		image.write_bytes(data)
		end_is_orderly(batch(f"{reading}; {writing}; lesson 1 | x; bcache; echo the end", IMAGE=image, TIMEOUT=60))


@pytest.mark.long
@pytest.mark.parametrize("cpus", [1, 2, 4, 8])
def test_twenty_runs_under_a_profile_are_the_same_bytes(cpus):
	mon = "run switchers 8 50; run forktree 4; run sleepers 4 1; ps -k; cr3 -k; cr3 log -k; mem -k; pda -k; irq -k"
	runs = {good_batch(mon, MACHINE="count", CPUS=cpus) for _ in range(20)}
	assert len(runs) == 1


@pytest.mark.long
@pytest.mark.parametrize("model", ["private", "shared"])
@pytest.mark.parametrize("mem", ["4M", "16M"])
def test_frames_come_back_after_bombs_and_forks_on_all_processors(model, mem):
	work = "run bomb fork; run bomb memory; run forkexec 200; run forktree 6; run switchers 16 200"
	run = batch(f"{work}; run true; mem -k; {work}; run true; mem -k; echo the end", CPUS=4, MEM=mem,
	            SET=f"space.model={model} idle.space=eager", TIMEOUT=500)
	end_is_orderly(run)
	before, after = (r for r in records(run.out) if "frames" in r)
	for key in ("free", "user", "tables"):
		assert before[key] == after[key] or key == "free", (before, after)
