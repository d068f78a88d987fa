"""cache-policy - which block goes when the cache is full?

`reread` (kernel/user/work/reread.c) reads one file again and again, and between two times the
next piece of another, which is longer than any cache here.  The first should stay in memory, the
second goes by.  LRU forgets what was used longest ago; FIFO what was read longest ago, used
since or not; CLOCK is FIFO with a bit: what was used since the hand came by stays once more.
"""

from holds import records
from measure import Cell, elapsed, table, the, values

MACHINE = "386-40"
FILE, OTHER = "/bench/64k", "/boot/klaava.lines"
SHORT, LONG = 4, 20	# times
TIMES = LONG - SHORT	# that are counted
PIECE = 16	# KB of the other file between two times
SIZES = (64, 72, 80, 88, 96, 104, 112, 128)	# KB of cache
REDUCED = (64, 88)
POLICIES = ("lru", "clock", "fifo")
AHEAD = 0	# each block is asked for by itself: what is counted is the policy


def cells(reduced):
	for kb in REDUCED if reduced else SIZES:
		for policy in POLICIES:
			yield rereading(kb, policy)


def rereading(kb, policy):
	run = lambda times: f"run reread {FILE} {OTHER} {times} {PIECE}"
	commands = [run(SHORT), "bcache -k", "time -k " + run(SHORT), "bcache -k", "time -k " + run(LONG), "bcache -k"]
	return Cell({"machine": MACHINE, "kb": kb, "policy": policy}, commands, TLB="off",
	            SET=f"cache.size={kb} cache.policy={policy} cache.readahead={AHEAD}")


def row(cell, answers):
	counts = [next(r for r in records(answers[i]) if "buffers" in r) for i in (1, 3, 5)]
	longer = lambda key: int(counts[2][key]) - 2 * int(counts[1][key]) + int(counts[0][key])
	return {"buffers": int(counts[2]["buffers"]), "hits": longer("hits"), "misses": longer("misses"),
	        "reads": longer("reads"), "ns": elapsed(answers[4]) - elapsed(answers[2])}


def report(rows):
	columns = [("cache,\nKB", 7, 0)]
	columns += [(f"{'blocks read a time' if p == POLICIES[0] else ''}\n{p}", 8, 1) for p in POLICIES]
	columns += [(f"{'ms a time' if p == POLICIES[0] else ''}\n{p}", 9, 0) for p in POLICIES]
	lines = []
	for kb in values(rows, "kb"):
		mine = [the(rows, kb=kb, policy=p) for p in POLICIES]
		lines.append([kb, *(r["reads"] / TIMES for r in mine), *(r["ns"] / 1e6 / TIMES for r in mine)])
	return "\n\n".join([
		"CACHE-POLICY: which block goes when the cache is full?",
		f"{MACHINE}.  A file of 64 KB is read again and again; between two times {PIECE} KB of\n"
		f"another that goes by.  Blocks have 1 KB and come one by one (cache.readahead=0).\n" + table(columns, lines)])
