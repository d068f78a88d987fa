"""measure.py - what experiments are written in: cells, counts, tables.

An experiment asks one question of many machines.  Each combination of machine and
tunables is a cell: one batch run, its commands, what they printed.

The one idea is how a cell counts.  A workload has a beginning and an end (programs are
loaded, processes made and buried), which are not what is asked about.  So it is run
in two lengths, and what is counted is what the longer run took more than the shorter:
exactly the difference in length, in the steady state, and nothing else.  A run before
both is not counted: the first after boot finds the disk's blocks not cached yet.
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "monitor/machines"))

from holds import records
from profiles import Profile

WIDTH = 80
LOAD_EVENTS = 256	# as many as the kernel keeps


class Cell:
	"""One run.  keys: what tells it from the others, {name: value}, the first columns of the
	CSV.  commands: for the monitor.  build: one of the experiment's BUILDS, or "".
	keeps: what became of the root disk is a file, `disk`, while row() looks at the answers.
	variables: Make's, as for `make batch`; MACHINE is keys["machine"]."""

	def __init__(self, keys, commands, build="", keeps=False, **variables):
		self.keys = keys
		self.commands = commands
		self.build = build
		self.keeps = keeps
		self.disk = None
		self.variables = {"MACHINE": keys["machine"], "TIMEOUT": "300", **variables}

	def __str__(self):
		return " ".join(str(value) for value in self.keys.values())


# --- counting ------------------------------------------------------------------------

COUNTERS = ["tlb stats -k", "cr3 -k"]
OF_TLB = ("references", "misses", "miss_first", "miss_replaced", "miss_flush", "flushes",
          "page_flushes", "wp_writes", "instructions")
OF_CR3 = ("loads", "avoided", "switches", "switch", "idle", "flush")


def in_two_lengths(short, long):
	"""The commands that count `long` less `short`; steady() reads their answers."""
	return [short, *COUNTERS, f"time -k {short}", *COUNTERS, f"time -k {long}", *COUNTERS,
	        f"cr3 log {LOAD_EVENTS} -k"]


def counted(tlb, cr3):
	"""The counts at one moment, over all processors."""
	of_cpus = [r for r in records(tlb) if r.get("cpu") != "all"]
	counts = {key: sum(int(r[key]) for r in of_cpus) for key in OF_TLB}
	total = next(r for r in records(cr3) if r.get("cpu") == "all")
	counts.update({("loads_" if key in ("switch", "idle", "flush") else "") + key: int(total[key])
	               for key in OF_CR3})
	return counts


def elapsed(answer):
	"""Nanoseconds of modelled time, from the answer of `time -k`."""
	return next(int(r["ns"]) for r in records(answer) if "ns" in r)


def steady(answers):
	"""What the longer run took more than the shorter: every counter and `ns`.  Beside it, of the
	loads at switches among the last events: how many, their flush misses, the most of one."""
	before, between, after = (counted(*answers[i:i + 2]) for i in (1, 4, 7))
	counts = {key: after[key] - 2 * between[key] + before[key] for key in after}
	counts["ns"] = elapsed(answers[6]) - elapsed(answers[3])
	log = [int(r["misses"]) for r in records(answers[9])
	       if r.get("loaded") == "1" and r["reason"] in ("switch", "idle")]
	counts.update(last_loads=len(log), last_misses=sum(log), last_most=max(log, default=0))
	return counts


def built(cell, answer):
	"""The checksum of what a run of `build` says it built."""
	said = re.search(r"^build: .*checksum ([0-9a-f]{8})$", answer, re.M)
	if not said:
		raise AssertionError(f"{cell}: {answer.strip()}")
	return said[1]


# --- tables --------------------------------------------------------------------------

def minutes(seconds, star=False):
	"""minutes:seconds, with one digit behind the point, and perhaps a star."""
	tenths = round(10 * seconds)
	return f"{tenths // 600}:{tenths // 10 % 60:02}.{tenths % 10}{'*' if star else ''}"



def table(columns, rows):
	"""Rows as text, in columns of (heading, width, digits behind the point); a heading may
	have several lines.  The first column is on the left, the others on the right."""
	lines = [heading.split("\n") for heading, _, _ in columns]
	height = max(map(len, lines))
	grid = [[""] * (height - len(h)) + h for h in lines]
	out = [line(columns, [g[i] for g in grid]) for i in range(height)]
	for row in rows:
		out.append(line(columns, [v if isinstance(v, str) else f"{round(v, digits) + 0:.{digits}f}"
		                          for v, (_, _, digits) in zip(row, columns)]))
	return "\n".join(out)


def line(columns, words):
	text = "".join(w.ljust(width) if i == 0 else w.rjust(width)
	               for i, (w, (_, width, _)) in enumerate(zip(words, columns))).rstrip()
	assert len(text) <= WIDTH, text
	return text


def machine_line(profile):
	"""A machine in one line, for above its table."""
	return (f"{profile.name}: TLB {profile.tlb}, {float(profile.mhz):g} MHz, "
	        f"{float(profile.cpi):g} CPI, a miss {profile.miss_low} to {profile.miss_high} cycles")


def chosen(rows, **keys):
	"""The rows with these values."""
	return [r for r in rows if all(r[k] == v for k, v in keys.items())]


def the(rows, **keys):
	"""The one row with these values."""
	row, = chosen(rows, **keys)
	return row


def values(rows, key):
	"""The different values of a key, in order of appearance."""
	return list(dict.fromkeys(r[key] for r in rows))
