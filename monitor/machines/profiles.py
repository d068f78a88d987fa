"""profiles.py - a computer of the past, as a few numbers (NAME.profile beside this file).

A profile fixes what decides a run besides kernel, disk and commands: how long an
instruction takes, what the TLB looks like and what a miss costs, what the kernel may use
of the processor, memory.

The one idea is modelled time: instructions x CPI / MHz, and nothing else.  The emulator
can only count in powers of two: with icount_shift=N each instruction takes 2^N virtual
nanoseconds, and the PIT, the chip that the kernel calibrates all its clocks by, runs in
those.  So the kernel is told (clock.pit) at what frequency the PIT runs as seen in
modelled time:

	1,193,182 Hz x 2^N ns / (CPI / MHz)

and every clock of the kernel's, its ticks, sleeps and time of day, is then in modelled
time (to about 1 in 10,000, what a calibration against the PIT can tell).  Only who asks
QEMU itself for its virtual time has to convert: ns_virtual below.  TLB misses do not slow
this clock: a report adds misses x cost / MHz, at the low and the high cost.  The disk does:
its arm and its plate take their time (kernel/block/disktime.c), while others may run.
"""

import re
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
PIT_HZ = 1193182	# Intel 8254, in every PC


class Refused(Exception):
	"""An option that makes no sense, or a tool that is missing: one line for the user."""


def positive(text):
	value = Fraction(text) if re.fullmatch(r"\d+(\.\d+)?", text) else 0
	if value <= 0:
		raise ValueError("a number above 0")
	return value


def whole(text):
	if not text.isdigit():
		raise ValueError("a whole number")
	return int(text)


def on_off(text):
	if text not in ("on", "off"):
		raise ValueError("on or off")
	return text


# key: its check, its default (None: must be given), what it is
KEYS = {
	"mhz": (positive, None, "clock of the processor"),
	"cpi": (positive, None, "clocks an instruction takes, on average"),
	"icount_shift": (whole, None, "virtual nanoseconds an instruction takes, as a power of 2"),
	"cpu": (str, "pentium3", "QEMU's processor model"),
	"tlb": (str, "off", "geometry of the TLB model, as TLB="),
	"miss_low": (whole, "0", "cycles a TLB miss costs, at least"),
	"miss_high": (whole, "0", "and at most"),
	"invlpg": (on_off, "on", "may the kernel drop single pages?"),
	"wp": (on_off, "on", "may the kernel rely on CR0.WP?"),
	"sysenter": (on_off, "on", "may programs call by SYSENTER?"),
	"global": (on_off, "off", "are the kernel's pages global?"),
	"disk_rpm": (whole, "0", "turns a minute of the disk; 0: it answers at once"),
	"disk_seek_min": (whole, "4000", "microseconds to the next cylinder"),
	"disk_seek_max": (whole, "27000", "and from the first to the last"),
	"disk_cylinders": (whole, "750", "cylinders of the disk"),
	"disk_heads": (whole, "4", "its surfaces"),
	"disk_sectors": (whole, "53", "sectors of a track"),
	"mem": (str, "16M", "memory, as MEM="),
	"cpus": (str, "1", "processors, as CPUS="),
}

# keys that are the kernel's to heed, and their tunables
TUNABLES = {"invlpg": "cpu.invlpg", "wp": "cpu.wp", "sysenter": "cpu.sysenter", "global": "page.global"}
DISK = {key: key.replace("_", ".", 1) for key in KEYS if key.startswith("disk_")}


def machines():
	"""Names of the known profiles."""
	return sorted(p.stem for p in HERE.glob("*.profile"))


class Profile:
	"""A machine: each of KEYS is an attribute, checked."""

	def __init__(self, name):
		if name not in machines():
			raise Refused(f"MACHINE={name}: unknown; known: {', '.join(machines())}")
		self.name = name
		given = self.parse((HERE / f"{name}.profile").read_text())
		for key, (check, default, _) in KEYS.items():
			text, line = given.get(key, (default, 0))
			if text is None:
				raise Refused(f"{name}.profile: has no {key}")
			try:
				setattr(self, key, check(text))
			except ValueError as allowed:
				raise Refused(f"{name}.profile:{line}: {key} = {text}: allowed: {allowed}") from None
		self.check_shift()

	def parse(self, text):
		"""Lines of `key = value`, # starts a comment; {key: (value, line)}."""
		given = {}
		for number, line in enumerate(text.splitlines(), 1):
			line = line.split("#")[0].strip()
			if not line:
				continue
			key, equals, value = (part.strip() for part in line.partition("="))
			if not equals or key not in KEYS:
				raise Refused(f"{self.name}.profile:{number}: `{line}`: allowed keys: "
				              f"{', '.join(KEYS)}")
			given[key] = value, number
		return given

	def check_shift(self):
		"""Is icount_shift the one that comes nearest, that is, off by less than a factor
		of the square root of 2?"""
		if not Fraction(1, 2) <= (self.ns_virtual / self.ns) ** 2 <= 2:
			raise Refused(f"{self.name}.profile: icount_shift = {self.icount_shift}: "
			              f"{self.ns_virtual} ns is not the nearest to cpi / mhz = {float(self.ns):g} ns")

	@property
	def ns(self):
		"""Nanoseconds an instruction takes in modelled time."""
		return 1000 * self.cpi / self.mhz

	@property
	def ns_virtual(self):
		"""The same in the emulator's virtual time."""
		return 1 << self.icount_shift

	def kernel_words(self):
		"""What the kernel has to know, as words of its command line."""
		heeded = {**TUNABLES, **(DISK if self.disk_rpm else {})}
		words = [f"{tunable}={getattr(self, key)}" for key, tunable in heeded.items()]
		pit = round(PIT_HZ * self.ns_virtual / self.ns)
		return words + ([f"clock.pit={pit}"] if pit != PIT_HZ else [])
