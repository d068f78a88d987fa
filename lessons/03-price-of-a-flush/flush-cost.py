"""flush-cost - what the TLB flush at a task switch costs (claims A1, A2).

A ring of N processes hands a token round; who has it touches so many pages of its own.
Each turn is one switch with a known working set (kernel/user/work/switchers.c), once with
a directory for each process, once with one for all.  What the switch itself takes, without
the pipe that led to it, is told by processes that do nothing but yield (yielders.c).
"""

from measure import (Cell, Profile, chosen, in_two_lengths, machine_line, steady, table, the,
                     values)

MACHINES = ("386-16", "386-40", "486-33", "pentium-90")
PROCESSES = (2, 4, 8, 16, 32)
PAGES = (1, 2, 4, 8, 16, 32, 64)
MODELS = ("private", "shared")
TURNS = 1600	# that are counted, in each cell
WARM = 10	# rounds of the shorter run
A2_SWITCHES = 100	# a second, as the claim has it
A2_ENTRIES, A2_CYCLES = 32, 5
SHOWN_RING = 8	# processes, of the table of costs


def cells(reduced):
	machines = ("386-40",) if reduced else MACHINES
	for machine in machines:
		for model in MODELS:
			yield yielding(machine, model, 1)
			yield yielding(machine, model, 2)
			for n in (2, SHOWN_RING) if reduced else PROCESSES:
				for pages in (1, 16) if reduced else PAGES:
					yield ring(machine, model, n, pages)


def ring(machine, model, n, pages):
	keys = {"machine": machine, "work": "switchers", "model": model, "processes": n, "pages": pages}
	commands = in_two_lengths(f"run switchers {n} {WARM} {pages}",
	                          f"run switchers {n} {WARM + TURNS // n} {pages}")
	return Cell(keys, commands, MEM="16M", SET=f"space.model={model}")


def yielding(machine, model, n):
	keys = {"machine": machine, "work": "yielders", "model": model, "processes": n, "pages": 0}
	commands = in_two_lengths(f"run yielders {n} {WARM}", f"run yielders {n} {WARM + TURNS // n}")
	return Cell(keys, commands, MEM="16M", SET=f"space.model={model}")


def row(cell, answers):
	return {"turns": TURNS, **steady(answers)}


# --- what the counts say -----------------------------------------------------------------

def switch_itself(rows, machine, model):
	"""Instructions of a switch: what yielding to another takes more than yielding to nobody."""
	alone, two = (the(rows, machine=machine, work="yielders", model=model, processes=n)
	              for n in (1, 2))
	return (two["instructions"] - alone["instructions"]) / TURNS


def per_turn(row, key="miss_flush"):
	return row[key] / TURNS


def misses_table(rows, machine):
	"""Flush misses a switch, by pages and processes."""
	mine = chosen(rows, machine=machine, work="switchers")
	sizes = values(mine, "processes")
	columns = [("pages", 8, 0)] + [(f"{n}\nprocesses", 11, 2) for n in sizes]
	columns += [("most of\none load", 10, 0)]
	out = []
	for pages in values(mine, "pages"):
		private = chosen(mine, pages=pages, model="private")
		out.append([pages, *map(per_turn, private), max(r["last_most"] for r in private)])
	shared = chosen(mine, model="shared")
	loads, switches, flush = (sum(r[k] for r in shared) for k in ("loads", "switches", "miss_flush"))
	return (table(columns, out) + f"\nshared, all of these: {loads} loads of CR3 in {switches:,} "
	        f"switches, {abs(flush / switches):.1f} misses a switch")


def cost_table(rows, machine):
	"""What those misses cost, in cycles and as part of the machine's time."""
	p = Profile(machine)
	cycles = (p.miss_low, p.miss_high)
	cpi, hz = float(p.cpi), float(p.mhz) * 1e6
	columns = [("pages", 6, 0), ("a turn,\ninstr.", 8, 0), ("misses\nby flush", 9, 2),
	           *((f"cycles\nat {c}", 7, 0) for c in cycles),
	           *((f"% at {A2_SWITCHES}/s\nat {c}", 11, 3) for c in cycles),
	           *((f"% of ring\nat {c}", 10, 1) for c in cycles)]
	out = []
	mine = chosen(rows, machine=machine, work="switchers", model="private")
	for r in chosen(mine, processes=SHOWN_RING):
		flush, turn = per_turn(r), per_turn(r, "instructions")
		out.append([r["pages"], turn, flush, *(flush * c for c in cycles),
		            *(100 * flush * c * A2_SWITCHES / hz for c in cycles),
		            *(100 * flush * c / (turn * cpi + per_turn(r, "misses") * c) for c in cycles)])
	return table(columns, out)


def saved_table(rows, machine):
	"""All misses of both models: not every miss that a flush caused is one more in all."""
	columns = [("pages", 6, 0), ("private:\nby flush", 11, 2), ("\nreplaced", 11, 2), ("\nall", 9, 2),
	           ("shared:\nreplaced", 13, 2), ("\nall", 9, 2), ("private\nmore", 10, 2)]
	out = []
	mine = chosen(rows, machine=machine, work="switchers", processes=SHOWN_RING)
	for pages in values(mine, "pages"):
		private, shared = (the(mine, pages=pages, model=m) for m in MODELS)
		out.append([pages, per_turn(private), per_turn(private, "miss_replaced"),
		            per_turn(private, "misses"), per_turn(shared, "miss_replaced"),
		            per_turn(shared, "misses"), per_turn(private, "misses") - per_turn(shared, "misses")])
	return table(columns, out)


def envelope(rows):
	"""The claim's own calculation beside the worst and the best that was measured."""
	lines = [f"A2: {A2_ENTRIES} entries x {A2_CYCLES} cycles x {A2_SWITCHES} switches a second = "
	         f"{A2_ENTRIES * A2_CYCLES * A2_SWITCHES:,} cycles a second"]
	for machine in values(rows, "machine"):
		p = Profile(machine)
		private = chosen(rows, machine=machine, work="switchers", model="private")
		part = lambda flush, cycles: f"{100 * flush * cycles * A2_SWITCHES / float(p.mhz) / 1e6:.3f} %"
		low, high = min(map(per_turn, private)), max(map(per_turn, private))
		lines.append(f"  {machine:<11} claimed {part(A2_ENTRIES, A2_CYCLES)}; measured {low:.1f} to {high:.1f} "
		             f"misses: {part(low, p.miss_low)} to {part(high, p.miss_high)}")
	return "\n".join(lines)


def report(rows):
	parts = ["FLUSH-COST: what the TLB flush at a task switch costs (A1, A2)"]
	for machine in values(rows, "machine"):
		p = Profile(machine)
		itself = {m: switch_itself(rows, machine, m) for m in MODELS}
		parts += [f"--- {machine_line(p)} ---",
		          "Misses that a flush caused, per switch, private:\n" + misses_table(rows, machine),
		          f"What they cost in a ring of {SHOWN_RING}, beside the switch itself: "
		          f"{itself['private']:.0f} instructions,\n{itself['private'] * float(p.cpi):.0f} cycles "
		          f"(shared: {itself['shared']:.0f}, {itself['shared'] * float(p.cpi):.0f}):\n"
		          + cost_table(rows, machine),
		          f"All misses per switch in a ring of {SHOWN_RING}:\n" + saved_table(rows, machine)]
	return "\n\n".join([*parts, envelope(rows)])
