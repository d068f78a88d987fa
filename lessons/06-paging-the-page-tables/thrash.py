"""thrash - the same work in less and less memory: where is the cliff? (claims A3, A4)

A ring of processes hands a token round; who has it writes to all its pages
(kernel/user/work/switchers.c), so that each round wants every page of every process.  The
work is fixed: what differs with memory is how long it takes.  Somewhere the pages of all, and
their tables, do not fit any more: the cliff.  Beside the ring, or not, others sleep that hold
memory, too, and tables; those can go to the disk for good (swap.tables=on).
"""

from holds import records
from measure import Cell, chosen, elapsed, table, the, values

MACHINE = "386-40"
PROCESSES, PAGES = 16, 24	# of the ring
SLEEPERS = 16
SHORT, LONG = 2, 6	# rounds
TURNS = (LONG - SHORT) * PROCESSES	# that are counted
STEP = 64	# KB
MEMORY = range(2624, 3265, STEP)
REDUCED = (2560, 3264)
MODELS = ("private", "shared")
TABLES = ("on", "off")
BESIDE = ("alone", "sleepers")


def cells(reduced):
	for beside in BESIDE:
		for kb in REDUCED if reduced else MEMORY:
			for model in MODELS[:1] if reduced else MODELS:
				for tables in TABLES:
					yield ring(beside, kb, model, tables)


def ring(beside, kb, model, tables):
	keys = {"machine": MACHINE, "beside": beside, "kb": kb, "model": model, "tables": tables}
	run = lambda rounds: f"run switchers {PROCESSES} {rounds} {PAGES}"
	commands = [f"run hold {SLEEPERS} 1" if beside == "sleepers" else "echo nobody", run(SHORT), "swap -k",
	            "time -k " + run(SHORT), "swap -k", "time -k " + run(LONG), "swap -k", "ptmem -k"]
	return Cell(keys, commands, MEM=f"{kb}K", TLB="off",
	            SET=f"space.model={model} swap.tables={tables}")


def row(cell, answers):
	counts = [next(r for r in records(answers[i]) if "slots" in r) for i in (2, 4, 6)]
	longer = lambda key: int(counts[2][key]) - 2 * int(counts[1][key]) + int(counts[0][key])
	asleep = [r for r in records(answers[7]) if r.get("name") == "hold"]
	return {"turns": TURNS, "ns": elapsed(answers[5]) - elapsed(answers[3]),
	        **{key: longer(key) for key in ("data_in", "table_in", "reads", "writes")},
	        "asleep_tables": sum(int(r["tables_swapped"]) for r in asleep)}


# --- what the counts say -----------------------------------------------------------------

def times_table(rows):
	"""Milliseconds a turn."""
	variants = [(b, m, t) for b in BESIDE for m in values(rows, "model") for t in TABLES]
	columns = [("memory,\nKB", 8, 0)]
	for beside, model, tables in variants:
		first = (model, tables) == (values(rows, "model")[0], TABLES[0])
		columns.append((f"{beside if first else ''}\n{model}\n{tables}", 9, 2))
	out = []
	for kb in values(rows, "kb"):
		mine = [the(rows, kb=kb, beside=b, model=m, tables=t) for b, m, t in variants]
		out.append([kb, *(r["ns"] / 1e6 / TURNS for r in mine)])
	return table(columns, out)


def foot(rows, **keys):
	"""The least memory with which nothing comes from the disk; None: in no run."""
	fits = [r["kb"] for r in chosen(rows, **keys) if r["data_in"] + r["table_in"] == 0]
	return min(fits, default=None)


def cliffs(rows):
	lines = ["The least of these with which a round needs no disk:"]
	for beside in BESIDE:
		for model in values(rows, "model"):
			on, off = (foot(rows, beside=beside, model=model, tables=t) for t in TABLES)
			lines.append(f"  {beside:<9} {model:<8} tables on {on} KB, off {off} KB{moved(on, off)}")
	most = max(r["asleep_tables"] for r in rows)
	return "\n".join([*lines, f"Of the sleepers' tables {most} were on the disk."])


def moved(on, off):
	return f": moved by {(off - on) // 4} frames" if on and off and on != off else ""


def falls(rows):
	"""How deep it is, and what paging the tables adds at its bottom."""
	low = min(values(rows, "kb"))
	lines = []
	for model in values(rows, "model"):
		on, off = (the(rows, kb=low, beside="alone", model=model, tables=t) for t in TABLES)
		best = min(r["ns"] for r in chosen(rows, beside="alone", model=model))
		lines.append(f"  {model:<8} {off['ns'] / best:,.0f} times as long as where all fits; with tables on "
		             f"{100 * (on['ns'] / off['ns'] - 1):+.0f} %")
	return f"At {low} KB, alone, a round takes (tables off)\n" + "\n".join(lines)


def report(rows):
	return "\n\n".join([
		"THRASH: the same work in less and less memory (A3, A4)",
		f"{MACHINE}.  A ring of {PROCESSES} processes; a turn writes to {PAGES} pages of one's own.\n"
		f"Milliseconds a turn, alone and beside {SLEEPERS} who sleep, by space.model and\n"
		"swap.tables:\n" + times_table(rows), cliffs(rows), falls(rows)])
