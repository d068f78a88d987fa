"""tlb_reference.py - a second TLB model, written from model.h's rules alone, against the first.

	tlb_reference.py TRACER [REFERENCES]

TRACER is tlb_trace.c's program.  A million random references, over all geometries and policies,
with flushes, remappings, other spaces, large and global pages in between, go to both:
every result, every charge and every entry must agree.

Built unlike model.c on purpose: a set is a list of ways that hold tuples, LRU is a list in
the order of use, the tree of pseudo-LRU is nested lists, what was ever seen is a plain dict.
"""

import array
import random
import subprocess
import sys

FETCH, READ, WRITE, LOAD, LOAD_GLOBAL, PAGE, GLOBALS, REMAP, DUMP = range(9)
HIT, FIRST, REPLACED, FLUSH = range(4)
P, D, G = 0x001, 0x040, 0x100
KERNEL, LARGE = 0xC0000, 0xC0800
NOBODY = 0xFFFFFFFF

GEOMETRIES = (
	# text, parts as (sets, ways), split, large, policy, seed, global
	("386", [(8, 4)], 0, 0, "pointer", 1, 0),
	("486", [(8, 4)], 0, 0, "plru", 1, 0),
	("pentium", [(8, 4), (16, 4), (2, 4)], 1, 1, "plru", 1, 0),
	("386:replacement=lru", [(8, 4)], 0, 0, "lru", 1, 0),
	("386:replacement=rr", [(8, 4)], 0, 0, "rr", 1, 0),
	("386:replacement=random,seed=9", [(8, 4)], 0, 0, "random", 9, 0),
	("custom:entries=64,ways=8,global=1", [(8, 8)], 0, 0, "plru", 1, 1),
	("custom:entries=16,ways=16,replacement=lru,global=1,large=4", [(1, 16), (1, 4)], 0, 1, "lru",
	 1, 1),
	("custom:entries=16,ways=1", [(16, 1)], 0, 0, "plru", 1, 0),
	("custom:entries=12,ways=3,replacement=pointer", [(4, 3)], 0, 0, "pointer", 1, 0),
	("custom:entries=32,ways=4,split=1,large=8,replacement=random,seed=3,global=1",
	 [(8, 4), (8, 4), (2, 4)], 1, 1, "random", 3, 1),
	("custom:entries=128,ways=64", [(2, 64)], 0, 0, "plru", 1, 0),
)


class Dice:
	def __init__(self, seed):
		self.x = seed

	def roll(self, sides):
		self.x ^= self.x << 13 & 0xFFFFFFFF
		self.x ^= self.x >> 17
		self.x ^= self.x << 5 & 0xFFFFFFFF
		return self.x % sides


class Tree:
	"""Pseudo-LRU over ways lo..hi-1: `late` is the half used last, 0 before any use."""

	def __init__(self, lo, hi):
		self.middle = (lo + hi) // 2
		self.only = lo if hi - lo == 1 else None
		self.late = 1
		if self.only is None:
			self.halves = [Tree(lo, self.middle), Tree(self.middle, hi)]

	def use(self, way):
		if self.only is None:
			self.late = int(way >= self.middle)
			self.halves[self.late].use(way)

	def oldest(self):
		return self.only if self.only is not None else self.halves[1 - self.late].oldest()


class Set:
	"""Ways of one set; what they hold are (key, value) pairs or None."""

	def __init__(self, ways, policy, dice):
		self.ways = [None] * ways
		self.policy = policy
		self.dice = dice
		self.pointer = 0
		self.order = []
		self.tree = Tree(0, ways) if policy == "plru" else None

	def way_of(self, key):
		for way, held in enumerate(self.ways):
			if held and held[0] == key:
				return way
		return None

	def use(self, way, filled=False):
		count = len(self.ways)
		if self.policy == "lru":
			if way in self.order:
				self.order.remove(way)
			self.order.append(way)
		elif self.policy == "plru":
			self.tree.use(way)
		elif self.policy == "pointer" and self.pointer == way or self.policy == "rr" and filled:
			self.pointer = (way + 1) % count

	def bring(self, key, value):
		if None in self.ways:
			way = self.ways.index(None)
		elif self.policy == "lru":
			way = self.order[0]
		elif self.policy == "plru":
			way = self.tree.oldest()
		elif self.policy == "random":
			way = self.dice.roll(len(self.ways))
		else:
			way = self.pointer
		self.ways[way] = (key, value)
		self.use(way, True)


class Array:
	def __init__(self, parts, policy, seed):
		dice = Dice(seed)
		self.parts = [[Set(ways, policy, dice) for _ in range(sets)] for sets, ways in parts]

	def set(self, part, large, page):
		sets = self.parts[part]
		return sets[(page >> 10 if large else page) % len(sets)]

	def all(self):
		for part in self.parts:
			for one in part:
				yield from ((one, way) for way in range(len(one.ways)))


class Reference:
	def __init__(self, parts, split, large, policy, seed, has_global):
		self.tlb = Array(parts, policy, seed)
		self.shadow = Array(parts, policy, seed)
		self.data = split
		self.large = split + 1 if large else None
		self.split = split
		self.has_global = has_global
		self.keep = False
		self.space = 0
		self.moved = 0
		self.dirty = set()
		self.seen = {}
		self.counts = dict.fromkeys(("misses", "first", "replaced", "flush", "rewalks", "reads", "hits"), 0)

	def walk(self, page):
		large = page >= LARGE
		frame = page + (self.moved + (self.space << 10) if page < KERNEL else 0) & 0xFFFFF
		d = page in self.dirty or (page % 5 != 0 and not large)
		flags = P | (D if d else 0) | (0 if page % 3 else G)
		return page % 97 != 0, frame, flags, large

	def tag(self, page):
		return 0 if page >= KERNEL else self.space

	def places(self, kind, page):
		"""Where a page may be: (part, is large, key)."""
		yield (0 if kind == FETCH else self.data), False, page
		if self.large is not None and not (self.split and kind == FETCH):
			yield self.large, True, page & ~1023

	def reference(self, kind, linear):
		page = linear >> 12
		places = list(self.places(kind, page))
		result = None
		for part, large, key in places:
			one = self.tlb.set(part, large, key)
			way = one.way_of(key)
			if way is not None:
				result = self.hit(one, way, part, large, key, kind)
				break
		if result is None:
			result = self.miss(places, kind, page)
		if kind == WRITE:
			self.dirty.add(page)
		return result

	def hit(self, one, way, part, large, key, kind):
		one.use(way)
		frame, flags, space = one.ways[way][1]
		if kind == WRITE and not flags & D:
			self.counts["rewalks"] += 1
			self.counts["reads"] += 1 if key >= LARGE else 2
			one.ways[way] = (key, (frame, flags | D, space))
		self.counts["hits"] += 1
		self.touch_shadow(part, large, key, frame)
		return HIT

	def touch_shadow(self, part, large, key, frame):
		"""The entry's mark as it was: None when it was not there, else (flush or None,)."""
		one = self.shadow.set(part, large, key)
		name = (key, self.tag(key))
		way = one.way_of(name)
		if way is not None and one.ways[way][1][0] != frame:
			one.ways[way] = None
			way = None
		if way is None:
			one.bring(name, (frame, None))
			return None
		mark = one.ways[way][1][1]
		one.ways[way] = (name, (frame, None))
		one.use(way)
		return (mark,)

	def miss(self, places, kind, page):
		mapped, frame, flags, large = self.walk(page)
		self.counts["misses"] += 1
		self.counts["reads"] += 1 if large else 2
		if not mapped:
			self.counts["first"] += 1
			return FIRST
		part, in_large, key = places[-1] if large else places[0]
		if in_large:
			frame &= ~1023
		if kind == WRITE:
			flags |= D
		self.tlb.set(part, in_large, key).bring(key, (frame, flags, self.tag(key)))
		was = self.touch_shadow(part, in_large, key, frame)
		known = self.seen.get((self.tag(key), key)) == frame
		self.seen[self.tag(key), key] = frame
		if was and was[0] is not None:
			self.counts["flush"] += 1
			return FLUSH | was[0] << 2
		cause = "replaced" if was or known else "first"
		self.counts[cause] += 1
		return REPLACED if was or known else FIRST

	def flush(self, name, keep):
		for index, part in enumerate(self.tlb.parts):
			for one in part:
				for way, held in enumerate(one.ways):
					if not held or keep and held[1][1] & G:
						continue
					key, (_, _, space) = held
					one.ways[way] = None
					shadow = self.shadow.set(index, index == self.large, key)
					there = shadow.way_of((key, space))
					if there is not None:
						frame, _ = shadow.ways[there][1]
						shadow.ways[there] = ((key, space), (frame, name))

	def drop(self, linear):
		for index in range(len(self.tlb.parts)):
			large = index == self.large
			page = linear >> 12 & ~1023 if large else linear >> 12
			one = self.tlb.set(index, large, page)
			way = one.way_of(page)
			if way is not None:
				one.ways[way] = None
			one = self.shadow.set(index, large, page)
			way = one.way_of((page, self.tag(page)))
			if way is not None:
				one.ways[way] = None
			self.seen.pop((self.tag(page), page), None)

	def do(self, op, a, b):
		"""What the tracer says to this operation, as words."""
		if op <= WRITE:
			return (self.reference(op, a),)
		if op == LOAD:
			self.flush(b, self.keep)
			self.space = a
		elif op == LOAD_GLOBAL:
			self.flush(b, False)
		elif op == PAGE:
			self.drop(a)
		elif op == GLOBALS:
			self.keep = bool(a and self.has_global)
		elif op == REMAP:
			self.moved = a
		else:
			return self.dump()
		return ()

	def dump(self):
		words = []
		for one, way in self.tlb.all():
			held = one.ways[way]
			words += (held[0], *held[1]) if held else (NOBODY, 0, 0, 0)
		words += (NOBODY, 0, 0, 0) * (128 - len(words) // 4)
		return words + list(self.counts.values())


def trace(references, dice):
	"""Random operations: a working set that drifts, and rarely something else."""
	ops = array.array("I")
	loads = 0
	bases = [0x400, KERNEL + 0x100, 0xBFFF0, LARGE]
	for n in range(references):
		chance = dice.random()
		if chance < 0.004:
			loads += 1
			ops.extend((LOAD, dice.randrange(1, 4), loads))
		elif chance < 0.0042:
			loads += 1
			ops.extend((LOAD_GLOBAL, 0, loads))
		elif chance < 0.006:
			ops.extend((PAGE, pick(dice, bases), 0))
		elif chance < 0.0062:
			ops.extend((GLOBALS, dice.randrange(2), 0))
		elif chance < 0.0064:
			ops.extend((REMAP, dice.randrange(3), 0))
		elif chance < 0.01:
			bases[dice.randrange(3)] = dice.choice((0x400, 0x10000, KERNEL)) + dice.randrange(200)
		if n % 5000 == 4999:
			ops.extend((DUMP, 0, 0))
		ops.extend((dice.randrange(3), pick(dice, bases), 0))
	ops.extend((DUMP, 0, 0))
	return ops


def pick(dice, bases):
	which = dice.randrange(4)
	spread = 3000 if which == 3 else 14
	return bases[which] + int(spread * dice.random() ** 2) << 12 | dice.randrange(4096)


def compare(tracer, geometry, references, seed):
	text, *shape = geometry
	ops = trace(references, random.Random(seed))
	done = subprocess.run([tracer, text], input=ops.tobytes(), capture_output=True)
	if done.returncode:
		sys.exit(f"tlb_reference: {text}: {done.stderr.decode()}")
	said = array.array("I", done.stdout)
	model, at = Reference(*shape), 0
	for i in range(0, len(ops), 3):
		words = model.do(ops[i], ops[i + 1], ops[i + 2])
		for place, (ours, theirs) in enumerate(zip(words, said[at:at + len(words)])):
			if ours != theirs:
				sys.exit(f"tlb_reference: {text}, seed {seed}: operation {i // 3} "
				         f"{tuple(ops[i:i + 3])}, word {place}: the model says {theirs}, "
				         f"the reference {ours}")
		at += len(words)
	if at != len(said):
		sys.exit(f"tlb_reference: {text}: the model said more than was asked")
	return model.counts


def main(argv):
	total = int(argv[2]) if len(argv) > 2 else 1000000
	each = total // len(GEOMETRIES) + 1
	for seed, geometry in enumerate(GEOMETRIES):
		counts = compare(argv[1], geometry, each, seed)
		if "-v" in argv:
			print(geometry[0], counts)
	print(f"{each * len(GEOMETRIES)} references in {len(GEOMETRIES)} geometries: no difference")


if __name__ == "__main__":
	main(sys.argv)
