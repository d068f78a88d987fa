"""bench.py - what the TLB model costs in real time: QEMU's processor seconds with it and without.

Each program runs several times both ways, in turns, so that a busy host slows both
alike; the least of each counts, less what a machine takes that only boots.  Instruction counts are the
same by construction; only the host works more.  TLB= chooses the model, MACHINE= a profile.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = ROOT / "monitor/machines/qemu.py"
ROUNDS = 3
LIMIT = 4.0	# at most so many times slower, or make bench-plugin fails

# name, monitor command
PROGRAMS = (
	("calls, loads, stores", "run calls 21 24"),
	("reading cached files", "run readfile /bin/sh 3000"),
	("fork and exec", "run forkexec 2000"),
)


def seconds(command, tlb):
	"""Processor seconds of a batch run."""
	before = resource.getrusage(resource.RUSAGE_CHILDREN)
	env = {**os.environ, "MON": command, "TLB": tlb, "TIMEOUT": "300"}
	done = subprocess.run([sys.executable, "-B", str(LAUNCHER), "batch"], env=env, cwd=ROOT,
	                      stdin=subprocess.DEVNULL, capture_output=True, text=True)
	if done.returncode:
		sys.exit(f"bench: `{command}` with TLB={tlb}: status {done.returncode}\n{done.stderr}")
	after = resource.getrusage(resource.RUSAGE_CHILDREN)
	return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
	tlb = os.environ.get("TLB") or "386"
	least = {}
	for _ in range(ROUNDS):
		for name, command in (("boot", "echo"), *PROGRAMS):
			for way in ("off", tlb):
				took = seconds(command, way)
				least[name, way] = min(took, least.get((name, way), took))
	worst = 0.0
	print(f"{'program':<24}{'without':>9}{'TLB=' + tlb:>14}   ratio")
	for name, _ in PROGRAMS:
		plain, watched = (least[name, way] - least["boot", way] for way in ("off", tlb))
		worst = max(worst, watched / plain)
		print(f"{name:<24}{plain:>7.2f} s{watched:>12.2f} s{watched / plain:>8.2f}")
	return int(worst > LIMIT)


if __name__ == "__main__":
	sys.exit(main())
