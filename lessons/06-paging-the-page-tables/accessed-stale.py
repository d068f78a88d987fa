"""accessed-stale - a page in use that looks idle (a side effect of 0.97, see the lesson).

Some processes do nothing but use a few pages, over and over, while another asks for fresh ones, each
once (kernel/user/work/hotcold.c), so that the clock goes round and round.  A page that is used
all the time should never go.  Whether it does depends on how the clock asks: clearing ACCESSED in
memory does not clear it in a TLB, and as long as the translation stays there no walk marks the page
again (swap.invalidate=off, as 0.97 did).  Every page that comes back from the disk was taken
away wrongly: the fresh ones are never wanted again.

With off, ACCESSED is read from the TLB model (its walks mark frames), so the processor's own caching
plays no part.

A page in use goes rightly, as far as the hand can tell, if its process has no turn while the hand
goes round.  On one processor that depends on how many fresh pages fit into a turn, which is why
there is a faster machine beside the first: what tells is not that pages go, but that more go with off.
"""

from holds import records
from measure import Cell, chosen, elapsed, machine_line, Profile, table, the, values

MACHINES = ("386-40", "486-33")
PROCESSORS = (1, 2, 4)
HOT = (4, 12, 24, 48)	# pages that each process uses
MODELS = ("private", "shared")
INVALIDATE = ("on", "off")
SHORT, FRESH = 1000, 3000	# fresh pages of the shorter run; those that are counted
MEMORY = 2	# MB


def cells(reduced):
	for machine in MACHINES[:1] if reduced else MACHINES:
		for cpus in PROCESSORS[:2] if reduced else PROCESSORS:
			for hot in HOT[1:2] if reduced else HOT:
				for model in MODELS:
					for invalidate in INVALIDATE:
						yield using(machine, cpus, hot, model, invalidate)


def using(machine, cpus, hot, model, invalidate):
	"""One process to each processor: who asks for fresh pages has one, too."""
	keys = {"machine": machine, "cpus": cpus, "hot": hot, "model": model, "invalidate": invalidate}
	run = lambda fresh: f"run hotcold {max(1, cpus - 1)} {hot} {fresh}"
	look = ["swap -k", "cr3 -k"]
	commands = [run(SHORT), *look, "time -k " + run(SHORT), *look, "time -k " + run(SHORT + FRESH), *look]
	return Cell(keys, commands, CPUS=str(cpus), MEM=f"{MEMORY}M",
	            SET=f"space.model={model} swap.invalidate={invalidate}")


def row(cell, answers):
	swap = [records(answers[i])[0] for i in (1, 4, 7)]
	cr3 = [the(records(answers[i]), cpu="all") for i in (2, 5, 8)]
	longer = lambda of, key: int(of[2][key]) - 2 * int(of[1][key]) + int(of[0][key])
	return {"ns": elapsed(answers[6]) - elapsed(answers[3]),
	        **{key: longer(swap, key) for key in ("data_in", "data_out", "data_dropped", "scanned", "cleared")},
	        **{key: longer(cr3, key) for key in ("loads", "flush", "shootdown")}}


# --- what the counts say -----------------------------------------------------------------

def wrong_table(rows):
	columns = [("proces-\nsors", 8, 0), ("pages\nin use", 7, 0)]
	for model in MODELS:
		columns += [(f"{model}:\nback, on", 11, 0), ("\noff", 5, 0), ("flushes\non", 9, 0), ("\noff", 7, 0)]
	out = []
	for cpus in values(rows, "cpus"):
		for hot in values(rows, "hot"):
			line = [str(cpus) if hot == values(rows, "hot")[0] else "", hot]
			for model in MODELS:
				on, off = (the(rows, cpus=cpus, hot=hot, model=model, invalidate=i) for i in INVALIDATE)
				line += [on["data_in"], off["data_in"], on["flush"] + on["shootdown"], off["flush"] + off["shootdown"]]
			out.append(line)
	return table(columns, out)


def verdict(rows):
	lines = []
	for cpus in values(rows, "cpus"):
		wrong = {(m, i): sum(r["data_in"] for r in chosen(rows, cpus=cpus, model=m, invalidate=i))
		         for m in MODELS for i in INVALIDATE}
		said = ", ".join(f"{m} {wrong[m, 'on']} and {wrong[m, 'off']}" for m in MODELS)
		lines.append(f"  {cpus} processor{'s' if cpus > 1 else ''}: {said}")
	return "In all, with swap.invalidate on and off:\n" + "\n".join(lines)


def report(rows):
	parts = ["ACCESSED-STALE: does a page in use look idle when its TLB entry is left alone?",
	         f"Pages that came back from the disk while {FRESH} fresh ones were asked for, by\n"
	         "space.model and swap.invalidate; flushes of TLBs, on purpose or on request.\n"
	         "Counts are a longer run's less a shorter's."]
	for machine in values(rows, "machine"):
		mine = chosen(rows, machine=machine)
		parts += [machine_line(Profile(machine)) + "\n" + wrong_table(mine), verdict(mine)]
	return "\n\n".join(parts)
