"""small-machine - the first run and the next in 2, 4, 8, 16 MB, and the cache's changes (A8)

The same `build`, after boot and again, while memory gets smaller and smaller.  Beside it two changes
that came with the versions of claim A7, and of which the claim suspects one: how large the buffer
cache may get (096c: fixed at boot; dynamic: as much as nobody else wants), and how many buffers of
1 KB a page of 4 KB is used for (2 in 0.97 and 0.97.pl1, 4 before and after; nobody noticed).

Memory may go to the disk, too: the swap area is on.
"""

from holds import records
from measure import Cell, Profile, built, elapsed, machine_line, minutes, table, the, values

MACHINE = "386-40"
MEMORY = (2, 4, 8, 16)	# MB
SIZES = ("dynamic", "096c")
DENSITIES = (4, 2)	# buffers in a page
RUNS = 2	# the first after boot
REDUCED_FILES = 20


def cells(reduced):
	for mb in MEMORY[::3] if reduced else MEMORY:
		for size in SIZES:
			for density in DENSITIES:
				keys = {"machine": MACHINE, "mb": mb, "size": size, "density": density}
				work = f"time -k run build {REDUCED_FILES}" if reduced else "time -k run build"
				ask = ["bcache -k", "swap -k", "mem -k"]
				yield Cell(keys, ask + [work, *ask] * RUNS, MEM=f"{mb}M", TLB="off", TIMEOUT="900",
				           SET=f"cache.size={size} cache.density={density}")


OF_CACHE = ("hits", "misses", "reads", "writes")
OF_SWAP = ("data_in", "data_out", "table_in", "table_out")


def counts(bcache, swap):
	cache = next(r for r in records(bcache) if "buffers" in r)
	paged = next(r for r in records(swap) if "data_in" in r)
	return {**{f"cache_{key}": int(cache[key]) for key in OF_CACHE},
	        **{key: int(paged[key]) for key in OF_SWAP}}


def row(cell, answers):
	out = {}
	for run in range(1, RUNS + 1):
		at = 4 * (run - 1)
		before, after = counts(*answers[at:at + 2]), counts(*answers[at + 4:at + 6])
		out[f"ns_{run}"] = elapsed(answers[at + 3])
		out[f"sum_{run}"] = built(cell, answers[at + 3])
		out.update({f"{key}_{run}": after[key] - before[key] for key in after})
		cache = next(r for r in records(answers[at + 4]) if "buffers" in r)
		memory = next(r for r in records(answers[at + 6]) if "frames" in r)
		out[f"buffers_{run}"] = int(cache["buffers"]) - int(cache["free"])
		out[f"frames_{run}"] = int(memory["cache"])
	return out


# --- what the counts say -----------------------------------------------------------------

VARIANTS = [(size, density) for size in SIZES for density in DENSITIES]


def of_variants(rows, what, width=18):
	"""A row a size of memory, and in it `what` of each variant's row: one text or number a column."""
	columns = [("memory,\nMB", 8, 0)]
	for size, density in VARIANTS:
		columns.append((f"{size if density == DENSITIES[0] else ''}\n{density} a page", width, 1))
	return table(columns, [[str(mb), *(what(the(rows, mb=mb, size=s, density=d)) for s, d in VARIANTS)]
	                       for mb in values(rows, "mb")])


def times(row):
	return f"{minutes(row['ns_1'] / 1e9, True)} {minutes(row['ns_2'] / 1e9)}"


def hit_rate(row):
	looked = row["cache_hits_2"] + row["cache_misses_2"]
	return f"{100 * row['cache_hits_2'] / max(1, looked):.1f} %{row['cache_reads_2']:7}"


def held(row):
	return f"{row['buffers_2']:5} in{row['frames_2']:5}"


def swapped(row):
	return f"{row['data_in_2'] + row['table_in_2']:6}{row['data_out_2'] + row['table_out_2']:7}"


def spread(rows):
	"""How far apart the variants are, at each size of memory, and when it is the first run."""
	lines = []
	for mb in values(rows, "mb"):
		mine = [the(rows, mb=mb, size=s, density=d) for s, d in VARIANTS]
		parts = []
		for run, name in ((1, "first"), (2, "again")):
			taken = [r[f"ns_{run}"] for r in mine]
			worst = mine[taken.index(max(taken))]
			parts.append(f"{name} {100 * (max(taken) / min(taken) - 1):6.1f} % ({worst['size']}, {worst['density']})")
		lines.append(f"  {mb:2} MB: {';  '.join(parts)}")
	return "\n".join(lines)


def report(rows):
	sums = {r[f"sum_{run}"] for r in rows for run in range(1, RUNS + 1)}
	assert len(sums) == 1, f"not all runs built the same: {sums}"
	p = Profile(MACHINE)
	return "\n\n".join([
		"SMALL-MACHINE: `build` where memory is short (A8)",
		f"{machine_line(p)}.\ncache.size, and under it cache.density.",
		"Minutes:seconds, modelled: after boot (*), and again.\n" + of_variants(rows, times),
		"Of the second run: look-ups that the cache had, and blocks it had to read.\n"
		+ of_variants(rows, hit_rate),
		"After it: blocks in the cache, and the frames they lie in.\n" + of_variants(rows, held),
		"And pages that came from the swap area in it, and that went there.\n" + of_variants(rows, swapped),
		"A8: with 16 MB no version differs; if one does, then with 4 or 8, and because\n"
		"of the cache.  Here the slowest variant takes more than the fastest:\n" + spread(rows),
		f"Every run built the same: checksum {sums.pop()}."])
