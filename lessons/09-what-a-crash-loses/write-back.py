"""write-back - when does the disk get what was written, and what does that cost?

`save` (kernel/user/work/save.c) writes the same files anew again and again.  Written through,
each write() waits until the disk has it, and all that leads to it.  Written back, it goes to the
disk when somebody asks, or cache.flush seconds after the first block changed; what was changed
again until then is written once, in one go over the disk.  cache.order=on pays for a disk that
can always be repaired; disk.elevator sorts what waits.  At the end everything is synced, and
that counts.
"""

from holds import records
from measure import Cell, elapsed, table, the

MACHINE = "386-40"
WORK = "8 6 8 100"	# files, times, KB each, ms between two
WAYS = (	# write, flush, order, elevator
	("through", 0, "off", "on"),
	("through", 0, "on", "on"),
	("back", 1, "off", "on"),
	("back", 1, "on", "on"),
	("back", 5, "off", "on"),
	("back", 5, "on", "on"),
	("back", 5, "on", "off"),
	("back", 30, "off", "on"),
	("back", 30, "on", "on"),
	("back", 0, "off", "on"),
	("back", 0, "on", "on"),
)
REDUCED = (1, 5, 10)


def cells(reduced):
	for i, (write, flush, order, elevator) in enumerate(WAYS):
		if not reduced or i in REDUCED:
			yield saving(write, flush, order, elevator)


def saving(write, flush, order, elevator):
	keys = {"machine": MACHINE, "write": write, "flush": flush, "order": order, "elevator": elevator}
	# The first save makes the files and reads what it needs: not counted.
	commands = ["run save 8 1 8 0 keep", "sync", "disk -k", "bcache -k", f"time -k run save {WORK} keep",
	            "time -k sync", "disk -k", "bcache -k"]
	return Cell(keys, commands, TLB="off",
	            SET=f"cache.write={write} cache.flush={flush} cache.order={order} disk.elevator={elevator}")


def row(cell, answers):
	def at(i):
		disk, model = (next(r for r in records(answers[i]) if r.get("name") == n) for n in ("ram0", "model"))
		cache = next(r for r in records(answers[i + 1]) if "buffers" in r)
		return {"requests": int(disk["requests"]), "seeks": int(disk["seeks"]),
		        "blocks": int(cache["writes"]), **{k: int(model[k]) for k in ("ns_seek", "ns_turn", "ns_move")}}
	before, after = at(2), at(6)
	return {"ns": elapsed(answers[4]), "ns_sync": elapsed(answers[5]),
	        **{key: after[key] - before[key] for key in before}}


def report(rows):
	columns = [("cache.\nwrite", 8, 0), ("cache.\nflush", 7, 0), ("cache.\norder", 7, 0), ("ele-\nvator", 6, 0),
	           ("blocks\nwritten", 9, 0), ("\nrequests", 10, 0), ("\nseeks", 7, 0),
	           ("the disk\nworked, s", 11, 2), ("save\ntook, s", 9, 2)]
	lines = []
	for r in rows:
		disk = r["ns_seek"] + r["ns_turn"] + r["ns_move"]
		lines.append([r["write"], str(r["flush"] or "-"), r["order"], r["elevator"], r["blocks"], r["requests"],
		              r["seeks"], disk / 1e9, r["ns"] / 1e9])
	through, back = (the(rows, write=w, flush=f, order="on", elevator="on") for w, f in (("through", 0), ("back", 5)))
	files, times, kb, pause = WORK.split()
	return "\n\n".join([
		"WRITE-BACK: when does the disk get what was written, and what does that cost?",
		f"{MACHINE}.  {files} files of {kb} KB are written {times} times, {pause} ms apart.  flush: seconds\n"
		"until what changed is written, -: not before the sync at the end, which is part\n"
		"of the disk's work, but not of what save took.\n" + table(columns, lines),
		f"Written through, with order, save takes {through['ns'] / back['ns']:.1f} times as long as written back,\n"
		f"and the disk gets {through['blocks'] / back['blocks']:.1f} times as many blocks."])
