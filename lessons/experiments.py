#!/usr/bin/env python3
"""experiments.py - run an experiment: a matrix of machines and tunables, one table.

	experiments.py NAME ...      run these (REDUCED=1 in the environment: a small matrix)
	experiments.py --all         run all
	experiments.py               list them

An experiment is a file NAME.py in the folder of its lesson, with

	its first line     one line: NAME - what it asks
	BUILDS             kernels other than the usual: {name: Make's variables}; may be missing
	cells(reduced)     the cells of its matrix (measure.py)
	row(cell, answers) what a cell's answers say, {column: whole number}
	report(rows)       the tables, as text of at most 80 columns

Cells run side by side, JOBS at a time (as many as there are processors); every one is a
batch run under a machine profile, a pure function of its inputs, so that two runs of an
experiment print the same bytes.  The table goes to standard output, progress to standard
error, and all counts to build/experiments/NAME.csv.
"""

import csv
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "monitor/machines")]

import options
from profiles import Refused

MARK = "@cell"
RESULTS = ROOT / "build/experiments"
LAUNCHER = ROOT / "monitor/machines/qemu.py"


class Failed(Exception):
	"""A cell that did not run as it should: what it said."""


# --- which there are -----------------------------------------------------------------

def files():
	return {p.stem: p for p in sorted(HERE.glob("[0-9][0-9]-*/*.py"))}


def load(name):
	"""The experiment's module."""
	known = files()
	if name not in known:
		raise Refused(f"NAME={name}: no such experiment; known: {', '.join(known)}")
	spec = importlib.util.spec_from_file_location(name.replace("-", "_"), known[name])
	module = importlib.util.module_from_spec(spec)
	spec.loader.exec_module(module)
	return module


def list_all():
	for name, path in files().items():
		print(f"{load(name).__doc__.splitlines()[0].rstrip('.')}  (lesson {int(path.parent.name[:2])})")
	print("\nmake experiment NAME=... runs one, make experiments all; REDUCED=1: a small matrix")
	return 0


# --- running cells -------------------------------------------------------------------

def kernel_of(experiment, build):
	"""The kernel a cell wants, built if need be; None: the usual one."""
	if not build:
		return None
	words = [f"{k}={v}" for k, v in experiment.BUILDS[build].items()]
	env = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS", "KERNEL"))}
	done = subprocess.run(["make", "-s", "kernel", "kernel-name", *words], cwd=ROOT, env=env,
	                      capture_output=True, text=True)
	if done.returncode:
		raise Failed(f"make kernel {' '.join(words)}: {done.stderr.strip()}")
	return done.stdout.split()[-1]


def run(cell, kernel):
	"""One batch run; the output of each of the cell's commands."""
	mon = "; ".join(f"echo {MARK} {i}; {command}" for i, command in enumerate(cell.commands))
	names = [name for name, _, _ in options.VARIABLES]
	env = {k: v for k, v in os.environ.items() if k not in names or k in ("KERNEL", "IMAGE")}
	env.update(cell.variables, MON=mon, **({"KERNEL": kernel} if kernel else {}))
	done = subprocess.run([sys.executable, "-B", str(LAUNCHER), "batch"], cwd=ROOT, env=env,
	                      stdin=subprocess.DEVNULL, capture_output=True, text=True)
	if done.returncode:
		raise Failed(f"{cell}: ended with status {done.returncode}: "
		             f"{done.stderr.strip() or done.stdout.strip()[-500:]}")
	if "no TLB model" in done.stderr:
		raise Failed(done.stderr.strip())
	return re.split(rf"^{MARK} \d+\n", done.stdout, flags=re.M)[1:]


class Progress:
	"""How far it is, on standard error: in place on a terminal, else a line now and then."""

	def __init__(self, name, total):
		self.name, self.total, self.done, self.began = name, total, 0, time.monotonic()
		self.live = sys.stderr.isatty()

	def one_more(self, cell):
		self.done += 1
		took = time.monotonic() - self.began
		left = took / self.done * (self.total - self.done)
		text = f"{self.name}: {self.done} of {self.total}, about {left:.0f} s left  ({cell})"
		if self.live:
			print(f"\r{text[:78]:<78}", end="", file=sys.stderr, flush=True)
		elif self.done == self.total or self.done * 10 // self.total > (self.done - 1) * 10 // self.total:
			print(text, file=sys.stderr, flush=True)
		if self.live and self.done == self.total:
			print(f"\r{'':<78}\r", end="", file=sys.stderr, flush=True)


def jobs():
	text = os.environ.get("JOBS", "").strip()
	if not text:
		return len(os.sched_getaffinity(0))
	if not re.fullmatch(r"[1-9]\d?", text):
		raise Refused(f"JOBS={text}: allowed: 1 to 99")
	return int(text)


def measure(name, experiment, reduced):
	"""All rows of the experiment, in the order of its cells."""
	cells = list(experiment.cells(reduced))
	kernels = {b: kernel_of(experiment, b) for b in dict.fromkeys(c.build for c in cells)}
	progress = Progress(name, len(cells))

	def one(cell):
		with tempfile.TemporaryDirectory(prefix="klaava-cell-") as folder:
			if cell.keeps:
				cell.disk = Path(folder) / "disk.img"
				cell.variables["KEEP"] = str(cell.disk)
			row = {**cell.keys, **experiment.row(cell, run(cell, kernels[cell.build]))}
		progress.one_more(cell)
		return row
	with ThreadPoolExecutor(jobs()) as pool:
		futures = [pool.submit(one, cell) for cell in cells]
		try:
			return [future.result() for future in futures]
		except BaseException:
			pool.shutdown(cancel_futures=True)
			raise


def write_csv(path, rows):
	"""A column for each key that any row has, in order of appearance."""
	path.parent.mkdir(parents=True, exist_ok=True)
	new = path.with_suffix(".new")
	with open(new, "w", newline="") as file:
		writer = csv.DictWriter(file, list(dict.fromkeys(k for r in rows for k in r)),
		                        lineterminator="\n")
		writer.writeheader()
		writer.writerows(rows)
	new.replace(path)


def is_reduced():
	text = os.environ.get("REDUCED", "").strip()
	if text not in ("", "0", "1"):
		raise Refused(f"REDUCED={text}: allowed: 1")
	return text == "1"


def main(names):
	if not names:
		return list_all()
	try:
		reduced = is_reduced()
		wanted = [(name, load(name)) for name in (files() if names == ["--all"] else names)]
		for name, experiment in wanted:
			rows = measure(name, experiment, reduced)
			path = RESULTS / f"{name}{'-reduced' if reduced else ''}.csv"
			write_csv(path, rows)
			print(experiment.report(rows))
			print(f"\nAll counts: {path.relative_to(ROOT)}\n", flush=True)
	except Refused as reason:
		print(f"klaava: {reason}", file=sys.stderr)
		return 5
	except Failed as reason:
		print(f"klaava: {reason}", file=sys.stderr)
		return 1
	except KeyboardInterrupt:
		print("\nklaava: stopped", file=sys.stderr)
		return 130
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1:]))
