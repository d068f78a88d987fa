"""table-overhead - what page tables cost in memory (claim A3).

So many processes hold a few pages each and sleep (kernel/user/work/hold.c); meanwhile `ptmem` is
asked.  The same pages close together, where they share a table, and 4 MB apart, where each needs
one of its own.  Tables are kept in memory (swap.tables=off), so that all of them are counted; pages
may go to the disk where memory is too small for both.

A third scheme is computed from the same runs, since this kernel has it not: one that maps all of
memory and the devices in every process with tables of that process's own, as small teaching kernels
do.  Here the directories' kernel entries point to the same tables.
"""

from measure import Cell, chosen, table, the, values
from holds import records

MACHINE = "386-16"
MEMORY = (2, 4, 8, 16)	# MB
PROCESSES = (1, 2, 4, 8, 16)
MODELS = ("private", "shared")
LAYOUTS = {"dense": 1, "sparse": 1024}	# the stride, in pages
PAGES = 8	# that each process holds, beside code, data and stack

TABLE_SPAN = 4	# MB that a page table maps
DEVICE_TABLES = 1	# both interrupt controllers of a processor lie in the same 4 MB
A3_MEMORY, A3_PROCESSES, A3_PAGES, A3_PERCENT = 2, 8, 24, 10


def cells(reduced):
	for mb in (A3_MEMORY, 16) if reduced else MEMORY:
		for layout in LAYOUTS:
			for n in (1, A3_PROCESSES) if reduced else PROCESSES:
				for model in MODELS:
					yield holding(mb, layout, n, model)


def holding(mb, layout, n, model):
	keys = {"machine": MACHINE, "mb": mb, "layout": layout, "processes": n, "model": model}
	commands = [f"run hold {n} {PAGES} {LAYOUTS[layout]}", "ptmem -k", "mem -k"]
	return Cell(keys, commands, MEM=f"{mb}M", TLB="off", SET=f"space.model={model} swap.tables=off")


def row(cell, answers):
	of_processes = [r for r in records(answers[1]) if r.get("name") == "hold"]
	total = next(r for r in records(answers[1]) if r.get("row") == "total")
	memory = next(r for r in records(answers[2]) if "frames" in r)
	add = lambda key: sum(int(r[key]) for r in of_processes)
	assert len(of_processes) == cell.keys["processes"]
	return {"tables": add("tables"), "dir": add("dir"), "entries": add("entries"), "rss": add("rss"),
	        "swapped": add("swapped"), "all_tables": int(total["tables"]),
	        "frames_user": int(total["frames_user"]), "frames_free": int(memory["free"])}


# --- what the counts say -----------------------------------------------------------------

def mapping_all(private):
	"""Tables, in frames, if each process also had its own of all memory and the devices."""
	return private["tables"] + private["processes"] * (-(-private["mb"] // TABLE_SPAN) + DEVICE_TABLES)


def percent(row, frames):
	return 100 * frames / row["frames_user"]


def used(row):
	"""Of the entries of its tables, how many percent are used."""
	return 100 * row["entries"] / ((row["tables"] - row["dir"]) * 1024)


def costs_table(rows, layout):
	columns = [("MB", 4, 0), ("pro-\ncesses", 7, 0), ("pages", 6, 0), ("on\ndisk", 6, 0),
	           ("entries\nused %", 8, 1), ("private:\ntables", 10, 0), ("\n%", 6, 1),
	           ("shared:\ntables", 9, 0), ("\n%", 6, 1), ("all mapped:\ntables", 12, 0), ("\n%", 6, 1)]
	out = []
	mine = chosen(rows, layout=layout)
	for mb in values(mine, "mb"):
		for n in values(mine, "processes"):
			private, shared = (the(mine, mb=mb, processes=n, model=m) for m in MODELS)
			every = mapping_all(private)
			out.append([str(mb) if n == 1 else "", n, private["rss"] + private["swapped"],
			            private["swapped"], used(private), private["tables"],
			            percent(private, private["tables"]), shared["tables"],
			            percent(shared, shared["tables"]), every, percent(private, every)])
	return table(columns, out)


def verdict(rows):
	"""The claim's figures beside those of this kernel."""
	r = the(rows, mb=A3_MEMORY, processes=A3_PROCESSES, layout="dense", model="private")
	return (f"A3: at least 3 pages of tables a process; 8 to 9 processes in {A3_MEMORY} MB hold "
	        f"{A3_PAGES},\nabout {A3_PERCENT} % of user memory.\n"
	        f"Here {A3_PROCESSES} processes hold {r['tables']}, "
	        f"{percent(r, r['tables']):.1f} %; with init, the ninth, {r['all_tables']}, "
	        f"{percent(r, r['all_tables']):.1f} %,\nof {r['frames_user']} frames that are not the "
	        "kernel's.")


def report(rows):
	return "\n\n".join([
		"TABLE-OVERHEAD: what page tables cost in memory (A3)",
		f"Each process holds {PAGES} pages beside its program's, close together:\n"
		+ costs_table(rows, "dense"),
		"The same, 4 MB apart:\n" + costs_table(rows, "sparse"),
		"tables: frames of directories and tables.  %: of all frames that are not the\n"
		"kernel's.  all mapped, computed: as private, and in each process a table for\n"
		f"every {TABLE_SPAN} MB of memory, and {DEVICE_TABLES} for devices.  on disk: of the pages, "
		"where they\ndid not fit beside the tables (private).",
		verdict(rows)])
