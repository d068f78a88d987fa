"""fork-copy - copy at once or at the first write, read at once or at the first use?

A process with so many pages forks; the child writes to a part of them, or becomes another
program (kernel/user/work/forkcopy.c), once with fork.copy=cow and once with eager.  Then
copies of a program that uses a part of itself (bulky.c) are started, with exec.load and
text.share either way.
"""

from measure import COUNTERS, Cell, Profile, chosen, counted, elapsed, machine_line, table, the, values
from holds import records

MACHINES = ("386-40", "486-33")
PAGES = (16, 64, 256, 1024)
QUARTERS = (0, 1, 2, 3, 4)	# of its pages that a child writes to, or the parent after it
EXECS = ("exec", "vfork")
FORKS = 16	# that are counted, in each cell
WARM = 2	# forks of the shorter run
COPY = ("cow", "eager")
LOAD = ("demand", "eager")
SHARE = ("on", "off")
SHOWN = 64	# pages, of the tables about the parent and about memory
ALIVE = 4	# children at a time, of the table about memory
BULK = 32	# pages of bulky
USED = (1, 8, 16, 32)
PROGRAMS = (1, 2, 4, 8)
USED_BY_EACH = 16	# pages, where several run


def cells(reduced):
	for machine in MACHINES[:1] if reduced else MACHINES:
		for copy in COPY:
			for pages in (SHOWN,) if reduced else PAGES:
				for quarters in (0, 2, 4) if reduced else QUARTERS:
					yield forking(machine, copy, pages, str(pages * quarters // 4), 0)
				for child in EXECS:
					yield forking(machine, copy, pages, child, 0)
			for quarters in (4,) if reduced else QUARTERS[1:]:
				yield forking(machine, copy, SHOWN, "0", SHOWN * quarters // 4)
	for copy in COPY:
		for quarters in (0, 4) if reduced else QUARTERS:
			yield living(copy, SHOWN * quarters // 4)
	for load in LOAD:
		for used in (1, 32) if reduced else USED:
			yield loading(load, used)
		for share in SHARE:
			for n in (1, 4) if reduced else PROGRAMS:
				yield running(load, share, n)


# --- cells -------------------------------------------------------------------------------

def forking(machine, copy, pages, child, parent):
	keys = {"machine": machine, "work": "fork", "copy": copy, "pages": pages, "child": child,
	        "parent": parent}
	count = [*COUNTERS, "cpu -k"]
	short, long = (f"run forkcopy {pages} {child} {parent} {n}" for n in (WARM, WARM + FORKS))
	commands = [short, *count, f"time -k {short}", *count, f"time -k {long}", *count]
	return Cell(keys, commands, MEM="16M", SET=f"fork.copy={copy}")


def living(copy, writes):
	"""The frames of children that are there at the same time."""
	keys = {"machine": MACHINES[0], "work": "live", "copy": copy, "pages": SHOWN, "child": str(writes),
	        "parent": 0}
	run = f"run forkcopy {SHOWN} {writes} 0"
	commands = [f"{run} 0 2 &; run sleep 1; mem -k; run sleep 3",
	            f"{run} {ALIVE} 5 &; run sleep 3; mem -k; run sleep 3"]
	return Cell(keys, commands, MEM="16M", SET=f"fork.copy={copy}")


def loading(load, used):
	"""A program whose blocks are not in the cache, and then are."""
	keys = {"machine": MACHINES[0], "work": "load", "load": load, "used": used}
	run = f"time -k run bulky {used}"
	commands = ["run true; drop", "cpu -k; bcache -k", run, "cpu -k; bcache -k", run, "cpu -k; bcache -k"]
	return Cell(keys, commands, MEM="16M", SET=f"exec.load={load}")


def running(load, share, n):
	"""Programs that are there at the same time."""
	keys = {"machine": MACHINES[0], "work": "share", "load": load, "share": share, "n": n}
	start = "; ".join([f"run bulky {USED_BY_EACH} 9 &"] * n)
	commands = ["run true; drop; mem -k; bcache -k", f"{start}; run sleep 5; mem -k; bcache -k",
	            f"run bulky {USED_BY_EACH}", f"time -k run bulky {USED_BY_EACH}"]
	return Cell(keys, commands, MEM="16M", SET=f"exec.load={load} text.share={share}")


# --- rows --------------------------------------------------------------------------------

def row(cell, answers):
	return {"fork": forked, "live": lived, "load": loaded, "share": ran}[cell.keys["work"]](answers)


def faults(answer):
	return sum(r["faults"] for r in numbers(answer, "apic"))


def numbers(answer, key):
	"""The records that have this key, with their numbers as such."""
	return [{k: int(v) if v.isdigit() else v for k, v in r.items()} for r in records(answer) if key in r]


def forked(answers):
	"""What the longer run took more than the shorter: FORKS forks and all that follows them."""
	moments = [{**counted(*answers[i:i + 2]), "faults": faults(answers[i + 2])} for i in (1, 5, 9)]
	before, between, after = moments
	counts = {key: after[key] - 2 * between[key] + before[key] for key in after}
	return {**counts, "ns": elapsed(answers[8]) - elapsed(answers[4])}


def lived(answers):
	alone, all_of_them = (numbers(a, "frames")[0] for a in answers)
	return {key: all_of_them[key] - alone[key] for key in ("user", "tables")}


def loaded(answers):
	moments = [{"faults": faults(a), "reads": numbers(a, "buffers")[0]["reads"]} for a in answers[1::2]]
	counts = {"cold_ns": elapsed(answers[2]), "warm_ns": elapsed(answers[4])}
	for key in ("faults", "reads"):
		counts[f"cold_{key}"] = moments[1][key] - moments[0][key]
		counts[f"warm_{key}"] = moments[2][key] - moments[1][key]
	return counts


def ran(answers):
	frames = [numbers(a, "frames")[0]["user"] for a in answers[:2]]
	cache = [numbers(a, "buffers")[0] for a in answers[:2]]
	return {"user": frames[1] - frames[0], "more_ns": elapsed(answers[3]),
	        **{key: cache[1][key] - cache[0][key] for key in ("hits", "misses", "reads")}}


# --- what the counts say -----------------------------------------------------------------

def per_fork(row, key="instructions"):
	return row[key] / FORKS


def cycles(row, p, miss):
	return per_fork(row) * float(p.cpi) + per_fork(row, "misses") * miss


def pairs(rows, machine, **keys):
	"""The cow row and the eager row of the same work, in order."""
	for cow in chosen(rows, machine=machine, work="fork", copy="cow", **keys):
		yield cow, the(rows, machine=machine, work="fork", copy="eager",
		               **{k: cow[k] for k in ("pages", "child", "parent")})


def percent(n, pages):
	"""A part of the pages, or what a child does instead of writing."""
	return f"{100 * int(n) // pages} %" if str(n).isdigit() else n


def cost_columns(*first):
	columns = [(name, 9, 0) for name in first]
	for copy in COPY:
		columns += [(f"{copy}:\ninstr.", 11, 0), ("\nfaults", 7, 0), ("\nmisses", 7, 0)]
	return columns + [("eager/cow,\ntime", 11, 2)]


def costs(cow, eager, p):
	return [*(per_fork(r, k) for r in (cow, eager) for k in ("instructions", "faults", "misses")),
	        cycles(eager, p, p.miss_low) / cycles(cow, p, p.miss_low)]


def child_table(rows, p):
	out = [[str(cow["pages"]), percent(cow["child"], cow["pages"]), *costs(cow, eager, p)]
	       for cow, eager in pairs(rows, p.name, parent=0) if cow["child"] != "vfork"]
	vfork = [per_fork(r) for r in chosen(rows, machine=p.name, work="fork", child="vfork")]
	return (table(cost_columns("pages", "child\nwrites"), out) + f"\nvfork instead of fork, then exec: "
	        f"{min(vfork):.0f} to {max(vfork):.0f} instructions, whatever the size")


def parent_table(rows, p):
	out = [[percent(cow["parent"], SHOWN), *costs(cow, eager, p)]
	       for cow, eager in pairs(rows, p.name, pages=SHOWN, child="0")]
	return table(cost_columns("parent\nwrites"), out)


def break_even(points):
	"""Where the line through (part written, cow less eager) goes through 0, in percent; text."""
	for (x0, y0), (x1, y1) in zip(points, points[1:]):
		if y0 < 0 <= y1:
			return f"{100 * (x0 - y0 * (x1 - x0) / (y1 - y0)):.0f} %"
	return "never" if points[-1][1] < 0 else "always"


def even_table(rows, p):
	"""From which part of its pages on that a child writes to eager is the cheaper one."""
	columns = [("pages", 9, 0), ("in instructions", 17, 0),
	           *((f"in cycles, {c} a miss", 22, 0) for c in (p.miss_low, p.miss_high))]
	prices = [per_fork, *(lambda r, c=c: cycles(r, p, c) for c in (p.miss_low, p.miss_high))]
	out = []
	for pages in values(chosen(rows, machine=p.name, work="fork"), "pages"):
		mine = [pair for pair in pairs(rows, p.name, pages=pages, parent=0) if pair[0]["child"].isdigit()]
		out.append([str(pages), *(break_even([(int(cow["child"]) / pages, price(cow) - price(eager))
		                                      for cow, eager in mine]) for price in prices)])
	return table(columns, out)


def frames_table(rows):
	columns = [("child\nwrites", 9, 0), *((f"frames,\n{copy}", 10, 2) for copy in COPY)]
	mine = chosen(rows, work="live")
	return table(columns, [[percent(child, SHOWN),
	                        *(the(mine, copy=copy, child=child)["user"] / ALIVE for copy in COPY)]
	                       for child in values(mine, "child")])


def load_table(rows):
	columns = [("pages\nused", 8, 0)]
	for load in LOAD:
		columns += [(f"{load}:\nfaults", 9, 0), ("blocks\nread", 8, 0), ("ms from\nthe disk", 10, 1),
		            ("ms from\nmemory", 9, 2)]
	mine = chosen(rows, work="load")
	out = []
	for used in values(mine, "used"):
		both = [the(mine, used=used, load=load) for load in LOAD]
		out.append([str(used), *(v for r in both for v in (r["warm_faults"], r["cold_reads"],
		                                                   r["cold_ns"] / 1e6, r["warm_ns"] / 1e6))])
	return table(columns, out)


def share_table(rows):
	columns = [("programs", 10, 0), ("exec.load", 10, 0)]
	for share in SHARE:
		columns += [(f"share {share}:\nframes", 11, 0), ("blocks\nread", 8, 0), ("one more,\nms", 11, 2)]
	mine = chosen(rows, work="share")
	out = []
	for load in LOAD:
		for n in values(mine, "n"):
			both = [the(mine, n=n, load=load, share=share) for share in SHARE]
			out.append([str(n), load, *(v for r in both for v in (r["user"], r["reads"], r["more_ns"] / 1e6))])
	return table(columns, out)


def report(rows):
	parts = ["FORK-COPY: who copies a page, who reads it, and when"]
	for machine in values(rows, "machine"):
		p = Profile(machine)
		if not chosen(rows, machine=machine, work="fork"):
			continue
		parts += [f"--- {machine_line(p)} ---",
		          "A fork, its child and the end of it; of the parent's pages the child writes to:\n"
		          + child_table(rows, p),
		          "Eager is the cheaper one if the child writes to more than:\n" + even_table(rows, p),
		          f"The child writes to nothing, the parent (of {SHOWN} pages) does when it is gone:\n"
		          + parent_table(rows, p)]
	parts += [f"--- memory, {MACHINES[0]} ---",
	          f"Frames for each of {ALIVE} children of a process of {SHOWN} pages:\n" + frames_table(rows),
	          f"A program of {BULK} pages of constants, of which a run uses:\n" + load_table(rows),
	          f"Several of them at a time, each using {USED_BY_EACH}:\n" + share_table(rows)]
	return "\n\n".join(parts)
