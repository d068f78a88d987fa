"""first-run - is the first run after boot slower, and does the design of the kernel show? (A6, A7)

The machine of the claim, and `build` on it: after boot, then again, and again.  For each design of
the kernel (one page directory or many, what an idle processor does) a row, in the layout of the
claim's table: minutes and seconds of each run, the first one with a star.  What the star is made of
stands below: blocks that came from the disk, and how long the processor waited for them.

`build` is no compiler: kernel/user/work/build.c says what it is.  Its parameters are fixed.
"""

import re

from holds import records
from measure import Cell, Profile, built, elapsed, machine_line, minutes, table

MACHINE = "386-40"
MEMORY = "16M"
MODELS = ("shared", "private")
IDLE = ("lazy", "eager")
RUNS = 3	# the first after boot
REDUCED_FILES = 4

# Claim A7: versions, their page directories, and their runs; a star for one after boot.
CLAIMED = (
	("0.96c", "one for all", "9:33 to 9:35"),
	("0.97", "one for all", "9:41, 10:21*"),
	("0.97.pl1", "one for all", "9:32, 9:45, 10:10*"),
	("0.97.pl2", "one each", "9:25 to 9:41, 10:11*, 10:36*"),
)


def cells(reduced):
	designs = [(m, i) for m in MODELS for i in IDLE]
	for model, idle in designs[::3] if reduced else designs:
		keys = {"machine": MACHINE, "model": model, "idle": idle}
		work = f"time -k run build {REDUCED_FILES}" if reduced else "time -k run build"
		ask = ["bcache -k", "disk -k", "tlb stats -k"]
		yield Cell(keys, ask + [work, *ask] * RUNS, MEM=MEMORY, TIMEOUT="900",
		           SET=f"space.model={model} idle.space={idle}")


OF_CACHE = ("hits", "misses", "reads", "readahead", "writes")
OF_DISK = ("ns_seek", "ns_turn", "ns_move")


def counts(bcache, disk, tlb):
	cache = next(r for r in records(bcache) if "buffers" in r)
	model = next(r for r in records(disk) if r.get("name") == "model")
	mine = next(r for r in records(tlb) if r.get("cpu") == "all")
	return {**{f"cache_{key}": int(cache[key]) for key in OF_CACHE},
	        **{key: int(model[key]) for key in OF_DISK}, "tlb_misses": int(mine["misses"]), "flush_misses": int(mine["miss_flush"]),
	        "instructions": int(mine["instructions"])}


def row(cell, answers):
	out = {}
	for run in range(1, RUNS + 1):
		at = 4 * (run - 1)
		before, after = counts(*answers[at:at + 3]), counts(*answers[at + 4:at + 7])
		out[f"ns_{run}"] = elapsed(answers[at + 3])
		out[f"sum_{run}"] = built(cell, answers[at + 3])
		out.update({f"{key}_{run}": after[key] - before[key] for key in after})
	return out


# --- what the counts say -----------------------------------------------------------------

P = Profile(MACHINE)


def design_of(row):
	return f"{row['model']}, {row['idle']}"


def seconds(row, run, cost=0):
	"""Of a run: modelled time, with `cost` cycles for each TLB miss."""
	return row[f"ns_{run}"] / 1e9 + row[f"tlb_misses_{run}"] * cost / float(P.mhz) / 1e6


def waiting(row, run):
	"""Seconds of a run in which no instruction ran: all there is to wait for is the disk."""
	return max(0.0, (row[f"ns_{run}"] - row[f"instructions_{run}"] * float(P.ns)) / 1e9)


def busy(row, run):
	"""Seconds that the disk took; it may be writing while the processor works."""
	return sum(row[f"{key}_{run}"] for key in OF_DISK) / 1e9


def star(row, cost=0):
	"""Seconds that the first run takes more than those after it, and the percentage."""
	later = sum(seconds(row, run, cost) for run in range(2, RUNS + 1)) / (RUNS - 1)
	return seconds(row, 1, cost) - later, 100 * (seconds(row, 1, cost) / later - 1)


def times_table(rows):
	"""A row a design, its runs without and with the misses' cost."""
	costs = (0, P.miss_low, P.miss_high)
	above = ["modelled time", *(f"misses at {c} cycles" for c in costs[1:])]
	heading = " " * 14 + "".join(f"{text:>{7 * RUNS + 1}}" for text in above)
	columns = [("design", 14, 0), *(("first*", 8, 0) if run == 1 else ("again", 7, 0)
	                                for _ in costs for run in range(1, RUNS + 1))]
	out = [[design_of(r), *(minutes(seconds(r, run, cost), run == 1)
	                        for cost in costs for run in range(1, RUNS + 1))] for r in rows]
	return heading + "\n" + table(columns, out)


def causes_table(rows):
	columns = [("design", 14, 0), ("run", 8, 0), ("look-ups", 10, 0), ("hits %", 8, 1),
	           ("blocks\nread", 8, 0), ("ahead", 7, 0), ("written", 9, 0), ("disk\nbusy, s", 8, 2),
	           ("waited,\ns", 8, 2)]
	out = []
	for r in rows:
		for run in range(1, RUNS + 1):
			looked = r[f"cache_hits_{run}"] + r[f"cache_misses_{run}"]
			out.append([design_of(r) if run == 1 else "", "first*" if run == 1 else "again",
			            looked, 100 * r[f"cache_hits_{run}"] / max(1, looked), r[f"cache_reads_{run}"],
			            r[f"cache_readahead_{run}"], r[f"cache_writes_{run}"], busy(r, run), waiting(r, run)])
	return table(columns, out)


def claims():
	"""The table of the claim, and the star of each version that has one."""
	out = []
	for version, directories, runs in CLAIMED:
		told = [(60 * int(m) + int(s), star) for m, s, star in re.findall(r"(\d+):(\d+)(\*?)", runs)]
		first, later = ([s for s, star in told if bool(star) == starred] for starred in (True, False))
		mean = lambda times: sum(times) / len(times)
		out.append([version, directories, runs,
		            f"{100 * (mean(first) / mean(later) - 1):.1f} %" if first else "none told"])
	return table([("version", 11, 0), ("directories", 14, 0), ("runs", 32, 0), ("star", 12, 0)], out)


def stars(rows):
	lines = []
	for r in rows:
		more, percent = star(r)
		wait = waiting(r, 1) - sum(waiting(r, run) for run in range(2, RUNS + 1)) / (RUNS - 1)
		lines.append(f"  {design_of(r):<17}{more:5.1f} s, {percent:4.1f} %; of it waiting for the disk {wait:5.1f} s")
	return "\n".join(lines)


def design(rows):
	"""How far apart the designs are, in runs that are not the first."""
	lines = []
	for cost in (0, P.miss_low, P.miss_high):
		again = [seconds(r, RUNS, cost) for r in rows]
		lines.append(f"  misses at {cost:>2} cycles: {max(again) - min(again):6.2f} s, "
		             f"{100 * (max(again) / min(again) - 1):5.2f} %")
	return "\n".join(lines)


def idling(rows):
	"""What it saves that an idle processor keeps its directory: where there is most to wait for, and
	where there is least."""
	lines = []
	for model in MODELS:
		sides = {r["idle"]: r for r in rows if r["model"] == model}
		if len(sides) == len(IDLE):
			first, last = (1000 * (seconds(sides["eager"], run, P.miss_high) -
			                       seconds(sides["lazy"], run, P.miss_high)) for run in (1, RUNS))
			lines.append(f"  {model:<8}{round(first):7} ms of the first run,{round(last):5} ms of the last")
	if lines:
		lines.append(f"A turn of the disk is {60000 / P.disk_rpm:.0f} ms: whether one is missed is a matter of chance.")
	return "\n".join(lines) or "  not compared in this small matrix"


def report(rows):
	sums = {r[f"sum_{run}"] for r in rows for run in range(1, RUNS + 1)}
	assert len(sums) == 1, f"not all runs built the same: {sums}"
	return "\n\n".join([
		"FIRST-RUN: `build` after boot (*), then again and again (A6, A7)",
		f"{machine_line(P)},\n{MEMORY}B of memory; minutes:seconds\n\n" + times_table(rows),
		"What was claimed (A7: 386/40, 16 MB, the compiling of a kernel; not measured\nhere):\n\n" + claims(),
		"Where the star comes from (busy: the disk; waited: no instruction ran):\n\n" + causes_table(rows),
		"The star: the first run, compared with those after it:\n" + stars(rows),
		"The designs: the slowest last run, compared with the fastest:\n" + design(rows),
		f"A6: doubtful that lazy idling helps.  At {P.miss_high} cycles a miss it saves\n" + idling(rows),
		f"Every run built the same: checksum {sums.pop()}."])
