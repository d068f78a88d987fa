"""idle-cr3 - does it pay that an idle processor keeps its directory? (claims A5, A6)

The same workloads with idle.space eager (an idle processor loads the kernel's own directory,
and the next process's after that) and lazy (it stays on what it finds): from a process
that mostly sleeps to a ring that never idles.  Lazy needs a comparison at every switch; what that
takes is told by two builds of the kernel, with it and without.
"""

from measure import (Cell, Profile, chosen, in_two_lengths, machine_line, steady, table, the,
                     values)

BUILDS = {"always": {"CR3": "always"}}	# no comparison: CR3 is loaded at each switch

MACHINES = ("386-40", "486-33", "pentium-90")
GLOBAL = ("off", "on")
IDLE = ("eager", "lazy")
# name, its short run, its long run
WORKLOADS = (
	("1 sleeper", "sleepers 1 1", "sleepers 1 9"),
	("4 sleepers", "sleepers 4 1", "sleepers 4 9"),
	("16 sleepers", "sleepers 16 1", "sleepers 16 9"),
	("ring of 8", "switchers 8 10 4", "switchers 8 410 4"),
)
YIELDS = 3200	# that are counted, of one process or of two


def cells(reduced):
	for machine in MACHINES[:1] if reduced else MACHINES:
		for build in ("", "always"):
			for n in (1, 2):
				yield yielding(machine, build, n)
		for workload in (WORKLOADS[1], WORKLOADS[3]) if reduced else WORKLOADS:
			for pages in GLOBAL[:1] if reduced else GLOBAL:
				for idle in IDLE:
					yield idling(machine, workload, pages, idle)


def idling(machine, workload, pages, idle):
	name, short, long = workload
	keys = {"machine": machine, "work": name, "global": pages, "idle": idle, "build": "compared"}
	tlb = Profile(machine).tlb + (":global=1" if pages == "on" else "")
	return Cell(keys, in_two_lengths("run " + short, "run " + long), MEM="16M", TLB=tlb,
	            SET=f"idle.space={idle} page.global={pages}")


def yielding(machine, build, n):
	keys = {"machine": machine, "work": f"{n} yielding", "global": "off", "idle": "eager",
	        "build": build or "compared"}
	commands = in_two_lengths(f"run yielders {n} 100", f"run yielders {n} {100 + YIELDS // n}")
	return Cell(keys, commands, build, MEM="16M", SET="idle.space=eager")


def row(cell, answers):
	return steady(answers)


# --- what the counts say -----------------------------------------------------------------

def switch_itself(rows, machine, build):
	"""Instructions of a switch: what yielding to another takes more than yielding to nobody."""
	alone, two = (the(rows, machine=machine, build=build, work=f"{n} yielding") for n in (1, 2))
	return (two["instructions"] - alone["instructions"]) / YIELDS


def test_costs(rows, machine):
	"""Instructions of the comparison, at each switch."""
	return switch_itself(rows, machine, "compared") - switch_itself(rows, machine, "always")


def a_second(row, key):
	return row[key] * 1e9 / row["ns"]


def pairs(rows, machine):
	"""(workload, global, the eager row, the lazy row), in order."""
	mine = [r for r in chosen(rows, machine=machine) if "yielding" not in r["work"]]
	for work in values(mine, "work"):
		for pages in values(mine, "global"):
			yield (work, pages, *(the(mine, work=work, idle=i, **{"global": pages}) for i in IDLE))


def idle_percent(row, p):
	return 100 * max(0.0, 1 - row["instructions"] * float(p.ns) / row["ns"])


def counts_table(rows, p):
	columns = [("", 13, 0), ("global\npages", 7, 0), ("switches\na second", 10, 0), ("idle\n%", 7, 0),
	           ("loads/s\neager", 9, 0), ("\nlazy", 8, 0), ("flush misses/s\neager", 16, 0),
	           ("\nlazy", 8, 0)]
	out = []
	for work, pages, eager, lazy in pairs(rows, p.name):
		out.append([work, pages, a_second(lazy, "switches"), idle_percent(lazy, p),
		            *(a_second(r, "loads") for r in (eager, lazy)),
		            *(a_second(r, "miss_flush") for r in (eager, lazy))])
	return table(columns, out)


def less(eager, lazy, key):
	"""How much less of something lazy needs in a second.  Compared a switch, since who sleeps
	wakes now earlier, now later, and two runs rarely make equally many of them."""
	return (eager[key] / eager["switches"] - lazy[key] / lazy["switches"]) * a_second(lazy, "switches")


def saved(eager, lazy, p, cost):
	"""Cycles a second that lazy saves: misses, and instructions."""
	return less(eager, lazy, "misses") * cost + less(eager, lazy, "instructions") * float(p.cpi)


def pays_table(rows, p):
	costs = (p.miss_low, p.miss_high)
	test = test_costs(rows, p.name) * float(p.cpi)
	columns = [("", 13, 0), ("global\npages", 7, 0), ("saved/s:\nmisses", 9, 0), ("\ninstr.", 8, 0),
	           *((f"cycles\nat {c}", 9, 0) for c in costs), ("the test,\ncycles/s", 10, 0),
	           *((f"even\nat {c}", 7, 0) for c in costs)]
	out = []
	for work, pages, eager, lazy in pairs(rows, p.name):
		switches = a_second(lazy, "switches")
		gains = [saved(eager, lazy, p, c) for c in costs]
		out.append([work, pages, *(less(eager, lazy, k) for k in ("misses", "instructions")),
		            *gains, switches * test, *(g / switches / float(p.cpi) for g in gains)])
	return table(columns, out)


def percent_line(rows, p):
	"""The best that lazy does on this machine."""
	gains = [(saved(eager, lazy, p, p.miss_high), work, pages)
	         for work, pages, eager, lazy in pairs(rows, p.name)]
	gain, work, pages = max(gains)
	return (f"The most that lazy saves: {100 * gain / float(p.mhz) / 1e6:.2f} % of the machine\n"
	        f"({work}, global pages {pages}, {p.miss_high} cycles a miss).")


def report(rows):
	parts = ["IDLE-CR3: an idle processor that keeps its directory, or does not (A5, A6)"]
	for machine in values(rows, "machine"):
		p = Profile(machine)
		parts += [f"--- {machine_line(p)} ---", counts_table(rows, p),
		          f"Does it pay?  The test takes {test_costs(rows, machine):.1f} of the "
		          f"{switch_itself(rows, machine, 'compared'):.0f} instructions of each switch;\n"
		          "`even` is how many it might take before it ate what lazy saves:\n"
		          + pays_table(rows, p),
		          percent_line(rows, p)]
	return "\n\n".join(parts)
