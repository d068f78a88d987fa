#!/usr/bin/env python3
"""bench.py - instruction counts of `bench`, beside those committed in tests/bench.baseline.

	bench.py show        the table (make bench)
	bench.py baseline    take today's counts as the baseline (make bench-baseline)

One count is one instruction (MACHINE=count), so a count changes only with the
kernel's code and with the compiler that made it: the baseline names its compiler,
and another one's counts are shown, not judged.  A change of more than 2 % fails the
test (system/test_bench.py) until the baseline says that it is meant.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASELINE = ROOT / "tests/bench.baseline"
OBJECT = ROOT / "build/obj-gs/kernel/boot/main.c.o"
LAUNCHER = ROOT / "monitor/machines/qemu.py"
MOST = 0.02
UPDATE = "if it is meant: `make bench-baseline`, and say why in the commit"
HEADER = """\
# Instructions an operation: `bench -k` with MACHINE=count, 1 CPU, 1 KB blocks, PDA=gs.
# Written by `make bench-baseline`; compared by tests/system/test_bench.py.
"""


def compiler():
	"""The kernel's compiler and its major version, as its objects name it."""
	says = subprocess.run(["readelf", "-p", ".comment", OBJECT], capture_output=True, text=True,
	                      check=True).stdout
	return "gcc " + re.search(r"GCC: .*?(\d+)\.\d+\.\d+", says).group(1)


def measure():
	"""{name: ticks}, in bench's order."""
	env = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR")}
	env.update(MON="bench -k", MACHINE="count", TIMEOUT="120")
	out = subprocess.run([sys.executable, "-B", LAUNCHER, "batch"], env=env, cwd=ROOT, check=True,
	                     stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
	records = (dict(word.split("=") for word in line.split()) for line in out.splitlines())
	return {r["name"]: int(r["ticks"]) for r in records}


def baseline():
	"""({name: ticks}, compiler) as committed."""
	pairs = [line.split(None, 1) for line in BASELINE.read_text().splitlines()
	         if line and not line.startswith("#")]
	made_by = dict(pairs).get("compiler", "unknown")
	return {name: int(ticks) for name, ticks in pairs if name != "compiler"}, made_by


def change(now, then):
	return (now - then) / then


def show():
	then, _ = baseline()
	print(f"{'':<12}{'instructions':>14}{'baseline':>10}{'change':>9}")
	for name, now in measure().items():
		old = then.get(name)
		print(f"{name:<12}{now:>14,}" + (f"{old:>10,}{change(now, old):>+9.1%}" if old else ""))


def write():
	lines = [f"{name:<12}{ticks:>8}\n" for name, ticks in measure().items()]
	BASELINE.write_text(HEADER + f"compiler    {compiler()}\n" + "".join(lines))


if __name__ == "__main__":
	{"show": show, "baseline": write}[sys.argv[1]]()
