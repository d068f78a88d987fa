"""table-swap - what comes back when a sleeping process runs again (claim A4).

Processes hold pages and sleep (kernel/user/work/hold.c) until another has taken all memory and
gone.  Then they are woken one after the other, and each touches its pages: once with page tables
that had to stay in memory, once with tables that went to the disk after their pages.  The same
pages close together, where they share a table, and 4 MB apart, where each has one of its own.
"""

from measure import Cell, chosen, elapsed, machine_line, table, the, values
from holds import records
from profiles import Profile

MACHINE = "386-40"
MEMORY = "2M"
PAGES = 16	# that each process holds, beside code, data and stack
PROCESSES = (2, 4, 8)
LAYOUTS = {"dense": 1, "sparse": 1024}	# the stride, in pages
SIDES = ("off", "on")
PRESSURE = 600	# pages: more than there are frames


def cells(reduced):
	for layout in LAYOUTS:
		for n in (4,) if reduced else PROCESSES:
			for side in SIDES:
				yield sleeping(layout, n, side)


def sleeping(layout, n, side):
	"""`hold` is woken three times: a read of the first may go on into the second, so what is timed
	against the first is the third."""
	keys = {"machine": MACHINE, "layout": layout, "processes": n, "tables": side}
	ask = ["swap -k", "cpu -k"]
	commands = [f"run hold {n} {PAGES} {LAYOUTS[layout]}", "mem -k", f"run sweep {PRESSURE}", "ptmem -k",
	            "mem -k", *ask, "time -k fg hold", *ask, "fg hold", "time -k fg hold"]
	return Cell(keys, commands, MEM=MEMORY, TLB="off", SET=f"space.model=private swap.tables={side}")


def one(answer, key):
	return next(r for r in records(answer) if key in r)


def row(cell, answers):
	holding = [r for r in records(answers[3]) if r.get("name") == "hold"]
	before, after = one(answers[5], "data_in"), one(answers[8], "data_in")
	faults = [sum(int(r["faults"]) for r in records(a) if r.get("cpu") != "all")
	          for a in (answers[6], answers[9])]
	if not all(", 0 of" in answers[i] for i in (7, 10, 11)):
		raise AssertionError(f"{cell}: {answers[7]}")
	counts = {key: int(after[key]) - int(before[key]) for key in ("data_in", "table_in", "reads")}
	return {"frames_held": sum(int(r["tables"]) for r in holding),
	        "on_disk": sum(int(r["tables_swapped"]) for r in holding),
	        "pages_on_disk": sum(int(r["swapped"]) for r in holding),
	        "free": int(one(answers[4], "frames")["free"]),
	        "faults": faults[1] - faults[0], **counts,
	        "ns": elapsed(answers[7]), "ns_warm": elapsed(answers[11])}


# --- what the counts say -----------------------------------------------------------------

def waking(rows, layout):
	"""A row for each number of processes and side."""
	columns = [("pro-\ncesses", 8, 0), ("tables\nmay go", 8, 0), ("frames\nof tables", 11, 0),
	           ("tables\non disk", 9, 0), ("faults", 8, 0), ("read:\npages", 8, 0), ("\ntables", 8, 0),
	           ("requests", 10, 0), ("ms a\nprocess", 9, 1)]
	out = []
	for r in chosen(rows, layout=layout):
		out.append([r["processes"], r["tables"], r["frames_held"], r["on_disk"], r["faults"], r["data_in"],
		            r["table_in"], r["reads"], waited(r) / r["processes"] / 1e6])
	return table(columns, [[str(v) if i < 2 else v for i, v in enumerate(line)] for line in out])


def waited(row):
	"""Nanoseconds for the disk: beyond what waking them takes when nothing is there."""
	return row["ns"] - row["ns_warm"]


def price(rows, layout):
	n = max(values(rows, "processes"))
	off, on = (the(rows, layout=layout, processes=n, tables=side) for side in SIDES)
	gained, later = off["frames_held"] - on["frames_held"], waited(on) - waited(off)
	return (f"{layout}: {n} asleep gave back {gained} frames more; to come back took each "
	        f"{later / n / 1e6:.1f} ms\nmore, {later / 1e6 / gained:.1f} ms a frame")


def report(rows):
	parts = ["TABLE-SWAP: what comes back when a sleeping process runs again (A4)",
	         f"{machine_line(Profile(MACHINE))},\n{MEMORY}B of memory; each process holds {PAGES} pages"]
	for layout, text in (("dense", "close together"), ("sparse", "4 MB apart")):
		parts.append(f"The pages {text}; asleep, then woken in turn:\n" + waking(rows, layout))
	parts.append("frames of tables: directories and tables of those asleep that are in memory.\n"
	             "ms a process: modelled time to wake one and touch all its pages, beyond what\n"
	             "that takes when nothing is on the disk.")
	parts.append("A4: if table pages are paged out, they must come back the moment the process\nruns.\n"
	             + "\n".join(price(rows, layout) for layout in LAYOUTS))
	return "\n\n".join(parts)
