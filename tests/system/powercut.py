#!/usr/bin/env python3
"""powercut.py - the power is cut under a machine that writes: what is lost?

	powercut.py [--prefixes N] [--kills N] [--seed N] [--set 'name=value ...'] [--work FOLDER]

`scribble` writes on a disk of which every write is recorded (blklog.py), and tells what it has
done and what it may rely on.  Then the disk is put together as it was behind a write chosen by
chance, repaired, and compared with what had been told by then.

The one idea: nothing here depends on time.  Behind each of its lines scribble waits until we have
noted how long the record is, so what a line says holds from that write on, and what it announces
begins behind it.  (How much cache.flush may lose is a matter of time: it is the machine's own,
which stands in each line.)
"""

import argparse
import mmap
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, namedtuple
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "monitor/machines"))
sys.path.insert(0, str(HERE))

import options
from blklog import Record
from ext2 import Ext2
from machine import Machine
from terminal import Session

FOLDER = "s"	# what scribble makes to work in
ROOM = 2500 << 10	# bytes of the disk
SLACK = 2000	# milliseconds that a flush may take, and that the flusher may come late
TOOLS = "/sbin:/usr/sbin:/usr/bin:/bin"

# --- what scribble says -------------------------------------------------------------

# What a file may be found to be: not there; `size` bytes of text `seed`; any file that begins
# with so many of them.
ABSENT = None
Text = namedtuple("Text", "size seed")
Begins = namedtuple("Begins", "size seed")
ANY = "anything"

Line = namedtuple("Line", "time what names text position")


def parse(line, position):
	"""A line of scribble's."""
	match = re.fullmatch(r"scribble: (\d+) (\w+)(?: (\S+))?(?: (\S+))?(?: (\S+))?", line)
	time, what, *rest = match.groups()
	text = None
	if what in ("made", "fsynced"):
		text = Text(int(rest[1]), int(rest[2]))
	return Line(int(time), what, [r for r in rest if r], text, position)


class Promises:
	"""What may be found on the disk, line after line.

	possible[name]: the set of what a file may be found to be; current[name]: what it is once
	all is written; since[name]: when it became so, in scribble's time, absent if all is written.
	safe: texts that were on the disk when their file began to be renamed: one of the names has
	it, whenever the machine dies (cache.order=on)."""

	def __init__(self, flush):
		self.limit = flush * 1000 + SLACK if flush else None	# None: never by itself
		self.possible, self.current, self.since = {}, {}, {}
		self.safe = {}
		self.unfinished = []	# names whose change was announced: it is done by the next line
		self.aged = 0	# how often the flusher was relied on

	def settle(self, name):
		self.possible[name] = {self.current[name]}
		self.since.pop(name, None)

	def settled_text(self, name):
		only = self.possible.get(name, set())
		return next(iter(only)) if len(only) == 1 and isinstance(next(iter(only)), Text) else None

	def goes(self, name):
		"""What the name stands for now is about to be no more."""
		text = self.current.get(name)
		self.safe.pop(text, None)
		for other, may in self.possible.items():
			if text and text in may and other != name:
				may.add(ANY)	# a name it had before, which the disk may still have

	def time_passes(self, now):
		for name in self.unfinished:
			self.since[name] = now
		self.unfinished = []
		if self.limit is None:
			return
		for name, since in list(self.since.items()):
			if now - since >= self.limit and name in self.current:
				self.settle(name)
				self.aged += 1

	def take(self, line):
		self.time_passes(line.time)
		getattr(self, line.what)(line)

	def made(self, line):
		name = line.names[0]
		self.current[name] = line.text
		self.possible.setdefault(name, {ANY})
		self.since[name] = line.time
		self.time_passes(line.time)

	def fsynced(self, line):
		self.current[line.names[0]] = line.text
		self.settle(line.names[0])

	def synced(self, line):
		for name in list(self.since):
			if name in self.current:
				self.settle(name)

	def changing(self, line):
		name, kept = line.names[0], int(line.names[1])
		before = self.possible.get(name, set())
		only = next(iter(before)) if len(before) == 1 else ANY
		if kept and isinstance(only, (Text, Begins)):
			self.possible[name] = {Begins(min(kept, only.size), only.seed)}
		else:
			self.possible[name] = {ANY}
		self.goes(name)
		self.current.pop(name, None)
		self.since.pop(name, None)

	def removing(self, line):
		name = line.names[0]
		self.possible[name] = self.possible[name] | {ABSENT}
		self.goes(name)
		self.current[name] = ABSENT
		self.unfinished.append(name)

	def renaming(self, line):
		old, new = line.names
		if old == new:
			return	# which changes nothing
		self.goes(new)
		text = self.current[old]
		if text in self.safe:
			self.safe[text].add(new)
		elif self.settled_text(old):
			self.safe[text] = {old, new}
		self.possible[new] = self.possible.get(new, {ABSENT}) | self.possible[old]
		self.possible[old] = self.possible[old] | {ABSENT}
		self.current[new], self.current[old] = text, ABSENT
		self.unfinished += [old, new]

	def end(self, line):
		pass


# The bytes of a text lie in a table of all rows of 256 that there can be: scribble's text_of().
ROWS = [bytes((first + 7 * i) & 255 for i in range(256)) for first in range(256)]


def text_of(size, seed):
	rows = (ROWS[(seed * 131 + 13 * row) & 255] for row in range(-(-size // 256)))
	return b"".join(rows)[:size]


def is_it(found, wanted):
	"""Is the file's bytes (None: it is not there) what it may be?"""
	if wanted == ANY:
		return True
	if wanted is ABSENT or found is None:
		return found is wanted
	if isinstance(wanted, Text):
		return found == text_of(*wanted)
	return found[:wanted.size] == text_of(*wanted)


def broken_promises(promises, found):
	"""Of what was promised, what is not so: two lists.  The first is about files that were on
	the disk, and that nobody was changing, moving or removing; the second about those.  found(name):
	the bytes of the file, or None."""
	at_rest, in_work = [], []
	for name, may in promises.possible.items():
		if any(is_it(found(name), wanted) for wanted in may):
			continue
		said = f"{name}: {describe(found(name))}, not {' or '.join(map(str, may))}"
		(at_rest if promises.settled_text(name) else in_work).append(said)
	for text, names in promises.safe.items():
		if not any(is_it(found(name), text) for name in names):
			in_work.append(f"{text} is not in any of {sorted(names)}")
	return at_rest, in_work


def describe(found):
	return "not there" if found is None else f"{len(found)} bytes"

# --- a run --------------------------------------------------------------------------


def make_disk(folder, block=1024, programs=("init", "scribble")):
	"""A small root disk with room to write in; its path."""
	stage, disk, script = folder / "stage", folder / "clean.img", folder / "script"
	(stage / "bin").mkdir(parents=True)
	(stage / "dev").mkdir()
	for program in programs:
		subprocess.run(["strip", "--strip-debug", "-o", stage / "bin" / program,
		                options.ROOT / "build/user" / program], check=True)
	script.write_text("cd dev\nmknod console c 5 1\nmknod null c 1 3\n")
	for command in (["mke2fs", "-q", "-F", "-t", "ext2", "-O", "none,filetype,sparse_super", "-b", str(block),
	                 "-I", "128", "-N", "256", "-m", "0", "-d", stage, disk, f"{ROOM // 1024}k"],
	                ["debugfs", "-w", "-f", script, disk], ["e2fsck", "-fn", disk]):
		subprocess.run(command, check=True, capture_output=True, env={"PATH": TOOLS})
	return disk


class Writer:
	"""A machine in which scribble runs; its lines are heard and answered one by one."""

	def __init__(self, disk, settings, record=None, keep=None):
		env = {"IMAGE": str(disk), "SET": settings}
		if record:
			env["RECORD"] = str(record)
		if keep:
			env["KEEP"] = str(keep)
		self.record = record
		self.machine = Machine(options.read("run", {**env, "TLB": "off", "SWAP": "off"}), "serial")
		self.lines = []

	def __enter__(self):
		self.machine.__enter__()
		Session(self.machine).until_prompt(60)
		return self

	def __exit__(self, *unused):
		self.machine.__exit__(*unused)

	def scribble(self, seed, operations, until=None, rest=0):
		"""Let it write; stop before the answer to line number `until`; and somewhere in the
		middle let it rest for so many seconds."""
		channel = self.machine.channels["console"]
		channel.settimeout(60)
		channel.sendall(f"run scribble -w {seed} {operations} /{FOLDER}\r".encode())
		heard = b""
		while True:
			while b"\n" not in heard:
				data = channel.recv(65536)
				if not data:
					raise RuntimeError("the machine ended")
				heard += data
			line, _, heard = heard.partition(b"\n")
			line = line.decode("latin-1").strip()
			if not line.startswith("scribble: "):
				continue
			if not re.match(r"scribble: \d+ ", line):
				raise RuntimeError(line)
			size = self.record.stat().st_size if self.record else 0
			self.lines.append(parse(line, size))
			if len(self.lines) == until:
				return
			if len(self.lines) == operations // 2:
				time.sleep(rest)
			channel.sendall(b"\r")
			if self.lines[-1].what == "end":
				return


def value_of(settings, name, default):
	values = [word.split("=")[1] for word in settings.split() if word.startswith(f"{name}=")]
	return values[-1] if values else default


def runs(blocks):
	"""[first, end) of each run of neighbours."""
	found = []
	for block in sorted(blocks):
		if found and found[-1][1] == block:
			found[-1][1] += 1
		else:
			found.append([block, block + 1])
	return found


class Judge:
	"""Repairs disks and compares them with what was promised."""

	def __init__(self, disk, settings, folder):
		self.disk, self.folder = disk, folder
		self.ordered = value_of(settings, "cache.order", "on") == "on"
		self.flush = int(value_of(settings, "cache.flush", "5"))
		if value_of(settings, "cache.write", "back") == "through":
			self.flush = None
		self.counts = Counter()
		self.wrong = []
		self.clean = Ext2(disk.read_bytes())
		self.others = self.clean.files()
		self.runs = runs(block for ino in self.others.values() for block in self.clean.blocks(ino))

	def promises(self):
		p = Promises(self.flush or 0)
		if self.flush is None:	# written through: what is done is on the disk
			p.limit = 0
		return p

	def fsck(self, image, *how):
		"""Status, the disk afterwards, what was said; image None: the disk of the last time."""
		path = self.folder / "crashed.img"
		if image:
			path.write_bytes(image)
		done = subprocess.run(["e2fsck", *how, path], capture_output=True, text=True, env={"PATH": TOOLS},
		                      stdin=subprocess.DEVNULL)
		with open(path, "rb") as f:
			return done.returncode, mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ), done.stdout

	def repair(self, image, what):
		"""The disk as e2fsck leaves it, without asking if it can."""
		status, repaired, said = self.fsck(image, "-f", "-p")
		self.counts["disks"] += 1
		if status > 1:
			self.counts["asked"] += 1
			if self.ordered:
				self.wrong.append(f"{what}: e2fsck -p: status {status}: {said}")
			status, repaired, said = self.fsck(image, "-f", "-y")
			if status > 1 or self.fsck(None, "-f", "-n")[0]:
				self.wrong.append(f"{what}: e2fsck -y: status {status}: {said}")
		elif status == 1:
			self.counts["repaired"] += 1
			if Ext2(image).is_clean:
				self.wrong.append(f"{what}: marked as clean, and is not: {said}")
		return repaired

	def judge(self, image, promises, what):
		"""A disk that a crash left, when so much had been promised."""
		fs = Ext2(self.repair(bytes(image), what))
		files = fs.files()
		content = {}

		def found(name):
			path = f"{FOLDER}/{name}"
			if path not in files:
				return None
			if path not in content:
				content[path] = fs.read(files[path])
			return content[path]

		self.counts["promises"] += len(promises.possible)
		self.counts["fsynced"] += sum(promises.settled_text(name) is not None for name in promises.possible)
		at_rest, in_work = broken_promises(promises, found)
		self.counts["in work"] += len(in_work)
		self.wrong += [f"{what}: {b}" for b in at_rest + (in_work if self.ordered else [])]
		self.wrong += [f"{what}: {b}" for b in self.broken_others(fs, files)]

	def broken_others(self, fs, files):
		"""Of the files that nobody wrote to, those that are not what they were."""
		size = fs.block_size
		for name, ino in self.others.items():
			if files.get(name) != ino or fs.inode(ino) != self.clean.inode(ino):
				yield f"{name} was not written to, and is another file now"
		for first, end in self.runs:
			if fs.image[first * size:end * size] != self.clean.image[first * size:end * size]:
				yield f"a block of {first} to {end - 1} is not what it was"

	def replay(self, record, lines, prefixes):
		promises, lines = self.promises(), list(lines)
		for prefix, image in record.replay(self.disk.read_bytes(), sorted(prefixes)):
			while lines and record.before(lines[0].position) <= prefix:
				promises.take(lines.pop(0))
			self.judge(image, promises, f"write {prefix}")
		self.counts["aged"] = promises.aged


def summary(judge):
	c = judge.counts
	return (f"{c['disks']} crashes: {c['disks'] - c['asked']} disks that e2fsck -p repaired or found in "
	        f"order, {c['asked']} where it would have had to ask; {c['fsynced']} files at rest, "
	        f"{c['in work']} others lost or mixed up; {len(judge.wrong)} promises broken")


def crash_by_record(disk, settings, folder, seed, operations, count):
	"""Record a run, and look at `count` moments of it; the Judge."""
	record_path = folder / "record"
	with Writer(disk, settings, record=record_path) as writer:
		judge = Judge(disk, settings, folder)
		# so long that all that was written by then must be on the disk
		writer.scribble(seed, operations, rest=judge.flush + SLACK / 1000 if judge.flush else 0)
		lines = writer.lines
	record = Record(record_path)
	rng = random.Random(seed)
	moments = range(len(record) + 1)
	judge.replay(record, lines, moments if count >= len(moments) else rng.sample(moments, count))
	judge.writes = len(record)
	return judge


def crash_by_kill(disk, settings, folder, seed, operations, count):
	"""Kill so many machines at work; the Judge."""
	judge = Judge(disk, settings, folder)
	rng = random.Random(seed)
	for n in range(count):
		kept = folder / "kept.img"
		kept.unlink(missing_ok=True)
		with Writer(disk, settings, keep=kept) as writer:
			writer.scribble(seed + n, operations, until=rng.randrange(2, operations))
			channel = writer.machine.channels["console"]
			channel.sendall(b"\r")
			# Somewhere in what it does now, which is told by no line any more.
			writer.machine.wait(rng.random() * 0.03)
			writer.machine.process.kill()
			writer.machine.process.wait()
		promises = judge.promises()
		for line in writer.lines:
			promises.take(line)
		judge.judge(kept.read_bytes(), promises, f"kill {n}")
	return judge


def main():
	parser = argparse.ArgumentParser(description="What does a crash leave of a disk?")
	parser.add_argument("--prefixes", type=int, default=100, help="crashes of a recorded run")
	parser.add_argument("--kills", type=int, default=0, help="machines that are killed")
	parser.add_argument("--operations", type=int, default=300, help="of scribble, in a run")
	parser.add_argument("--seed", type=int, default=1)
	parser.add_argument("--set", default="cache.flush=1", help="tunables")
	parser.add_argument("--block", type=int, default=1024, help="bytes of a block of the disk")
	o = parser.parse_args()
	status = 0
	with tempfile.TemporaryDirectory(prefix="klaava-crash-") as name:
		folder = Path(name)
		disk = make_disk(folder, o.block)
		for how, count in ((crash_by_record, o.prefixes), (crash_by_kill, o.kills)):
			if not count:
				continue
			judge = how(disk, o.set, folder, o.seed, o.operations, count)
			print(f"{o.set}: {summary(judge)}")
			for wrong in judge.wrong[:20]:
				print(f"  {wrong}")
			status |= bool(judge.wrong)
	return status


if __name__ == "__main__":
	sys.exit(main())
