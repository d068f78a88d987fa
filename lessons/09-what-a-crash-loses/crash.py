"""crash - the plug is pulled while a machine writes: can the disk be repaired, what is lost?

`scribble` (kernel/user/work/scribble.c) makes, changes, renames and removes files without a rest
and says what it did.  At a moment that has nothing to do with it the machine ends (`poweroff
now`), and what its disk has by then is looked at: does `e2fsck -p` repair it, or would it have to
ask what to do?  Then the repaired disk is compared with what scribble had said.
"""

import re
import subprocess
import tempfile
from pathlib import Path

from measure import Cell, chosen, table, values

MACHINE = "386-40"
FOLDER = "s"	# on the disk
FLUSH = 2	# seconds
WAYS = (("back", "on"), ("back", "off"), ("through", "on"), ("through", "off"))
DEATHS = range(3000, 15000, 300)	# milliseconds after scribble began
REDUCED = (5250, 8250)
ENV = {"PATH": "/sbin:/usr/sbin:/usr/bin:/bin", "LC_ALL": "C"}
REPAIRED = 1	# e2fsck's exit status: errors, all corrected


def cells(reduced):
	for write, order in WAYS[:2] if reduced else WAYS:
		for ms in REDUCED if reduced else DEATHS:
			keys = {"machine": MACHINE, "write": write, "order": order, "ms": ms}
			commands = [f"run scribble {ms} 100000 /{FOLDER} &", f"run sleep {ms / 1000:g}", "poweroff now"]
			yield Cell(keys, commands, keeps=True, TLB="off",
			           SET=f"cache.flush={FLUSH} cache.write={write} cache.order={order}")


def e2fsck(disk, how):
	"""Exit status."""
	return subprocess.run(["e2fsck", "-f", how, disk], env=ENV, stdin=subprocess.DEVNULL,
	                      capture_output=True).returncode


def text_of(size, seed):
	"""What scribble writes."""
	return bytes((seed * 131 + (at & 255) * 7 + (at >> 8) * 13) & 255 for at in range(size))


def contents(disk):
	"""{name: bytes} of the files in scribble's folder."""
	with tempfile.TemporaryDirectory(prefix="klaava-files-") as name:
		subprocess.run(["debugfs", "-R", f"rdump /{FOLDER} {name}", disk], env=ENV, capture_output=True)
		there = Path(name) / FOLDER
		return {str(p.relative_to(there)): p.read_bytes() for p in there.rglob("*") if p.is_file()}


def told(answers):
	"""What scribble said last of each file: {name: (time, word, size, seed)}, those only that it
	had written and was not about to change, to rename or to remove."""
	files = {}
	for line in "".join(answers).splitlines():
		found = re.fullmatch(r"scribble: (\d+) (\w+) (\S+)(?: (\S+))?(?: (\d+))?", line)
		if not found:
			continue
		time, word, name, second, third = found.groups()
		files.pop(name, None)
		if word == "renaming":
			files.pop(second, None)
		elif word in ("made", "fsynced"):
			files[name] = int(time), word, int(second), int(third)
	return files


def row(cell, answers):
	asks = e2fsck(cell.disk, "-p") > REPAIRED
	if asks:
		e2fsck(cell.disk, "-y")
	broken = e2fsck(cell.disk, "-n") != 0
	found = contents(cell.disk)
	counts = {"asks": int(asks), "broken": int(broken), "fsynced": 0, "fsynced_lost": 0, "made": 0, "made_lost": 0,
	          "oldest_lost": 0}
	files = told(answers)
	last = max((time for time, *_ in files.values()), default=0)
	for name, (time, word, size, seed) in files.items():
		counts[word] += 1
		if found.get(name) != text_of(size, seed):
			counts[word + "_lost"] += 1
			if word == "made":
				counts["oldest_lost"] = max(counts["oldest_lost"], last - time)
	return counts


def report(rows):
	columns = [("cache.\nwrite", 9, 0), ("cache.\norder", 7, 0), ("times\ndied", 7, 0), ("e2fsck -p\nwould ask", 11, 0),
	           ("files\nfsynced", 9, 0), ("of them\nlost", 9, 0), ("only\nwritten", 9, 0), ("of them\nlost", 9, 0),
	           ("oldest\nlost, s", 9, 1)]
	lines = []
	for write in values(rows, "write"):
		for order in values(rows, "order"):
			mine = chosen(rows, write=write, order=order)
			total = lambda key: sum(r[key] for r in mine)
			lines.append([write, order, len(mine), total("asks"), total("fsynced"), total("fsynced_lost"),
			              total("made"), total("made_lost"), max(r["oldest_lost"] for r in mine) / 1000])
	broken = sum(r["broken"] for r in rows)
	return "\n\n".join([
		"CRASH: the plug is pulled while a machine writes",
		f"{MACHINE}; cache.flush={FLUSH}.  Disks as they were when the machine died, repaired, and\n"
		"compared with what it had said by then:\n" + table(columns, lines),
		f"Disks that even e2fsck -y could not repair: {broken}."])
