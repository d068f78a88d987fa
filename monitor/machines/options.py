"""options.py - what the user asked for, checked before anything starts.

Make hands its variables (MON, MACHINE, MEM, ...) over in the environment.  Here
each becomes a checked value of one Options object, or one line that says what
is allowed (Refused, exit status 5).  Nothing else reads the environment, so
everything that decides a run can be seen in one place.

The one idea: a run is a function of its Options.  With MACHINE= set it is a
repeatable one, down to the byte; what makes it so is in machine.py.
"""

import ctypes
import os
import re
from pathlib import Path

from profiles import Profile, Refused

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent

PDA_BUILDS = ("gs", "stack", "array")
BLOCK_SIZES = (1024, 2048, 4096)
MOST_CPUS = 8
SMALLEST_MACHINE = 2 * 1024 * 1024	# less does not hold firmware and kernel: mem= leaves it unused
MEM_MB = (1, 768)	# the kernel maps all of it above 0xC0000000
SWAP_KB = (64, 65536)
PAGE = 4096
LONGEST_COMMAND_LINE = 2000	# the kernel keeps 2,048 bytes (kernel/boot/boot.h)
MB = 1 << 20

# name, default, meaning: `make help` prints these; the checks are in read() below (SYSCALL is
# make's own: kernel/user/user.mk)
VARIABLES = (
	("MON", "", "'cmd; cmd': monitor commands to run at boot"),
	("MACHINE", "", "@machines: repeatable runs"),
	("MEM", "16M", "memory the kernel may use, 1M to 768M; or the profile's"),
	("SWAP", "16M", "disk that memory may be swapped to, 64K to 64M; off"),
	("CPUS", "1", "processors, 1 to 8"),
	("ROOT", "ide", "the root disk: ide or ram; a profile implies ram"),
	("SET", "", "'name=value ...': tunables, set at boot"),
	("TLB", "", "off, 386 (make run has it), 486, pentium, custom:KEY=N,..."),
	("TIMEOUT", "60", "seconds until a batch run is given up"),
	("LOG", "", "file that gets the kernel's log of a batch run"),
	("PDA", "gs", "how the kernel reaches per-processor data: gs, stack, array"),
	("SYSCALL", "int80", "how the root disk's programs call: int80, sysenter"),
	("BLOCK", "1024", "block size of the root disk: 1024, 2048, 4096"),
	("KERNEL", "", "the kernel to start, if not the one built here"),
	("IMAGE", "", "the root disk, if not the one built here"),
	("KEEP", "", "file that keeps what is written (first a copy of IMAGE); off"),
	("RECORD", "", "file that gets each write to the root disk (blklogwrites)"),
)


def kernel_built(pda):
	"""Where make puts the kernel of that build (kernel/boot/boot.mk)."""
	return ROOT / f"build/klaava{'' if pda == 'gs' else f'-{pda}'}.elf"


class Options:
	"""A checked set of options; profile is MACHINE's Profile, or None."""

	mon = ""
	machine = ""
	profile = None
	mem = 16 * MB
	swap = 16 * MB	# 0: none
	cpus = 1
	root = "ide"
	tunables = ()
	tlb = ""	# geometry of the TLB model; empty: none
	plugin = None	# QEMU's plugin that is the model
	turns = None	# what QEMU's threads take turns by
	timeout = 60.0
	log = None
	pda = "gs"
	block = 1024
	kernel = None	# read() fills both in
	image = None
	keep = None	# the root disk of this run and the next; None: what is written is forgotten
	disk = None	# what `make run` keeps unless KEEP or IMAGE says otherwise (rootdisk.py)
	record = None

	def command_line(self, batch):
		"""The kernel's command line, without its first word (QEMU adds the file's name)."""
		words = ["batch=1"] if batch else []
		words.append(f"root={self.root}")
		if self.root == "ram" or self.mem < SMALLEST_MACHINE:
			# the machine has more memory than MEM: the disk lies above it
			words.append(f"mem={self.mem // 1024}K")
		if self.root == "ram" and self.swap:
			words.append(f"swap={self.swap // 1024}K")
		if self.profile:
			words += self.profile.kernel_words()
		words += self.tunables	# later words win
		if self.mon:
			quoted = self.mon.replace("\\", "\\\\").replace('"', '\\"')
			words.append(f'mon="{quoted}"')
		line = " ".join(words)
		if len(line) > LONGEST_COMMAND_LINE:
			raise Refused(f"MON and SET: {len(line)} bytes of kernel command line, "
			              f"at most {LONGEST_COMMAND_LINE}")
		return line


def tlb_geometry(value, plugin):
	"""Check a geometry's text.  The model itself judges: only it knows what it can."""
	if value == "off":
		return ""
	if not plugin.is_file():
		return value	# built without plugins: said when the machine starts
	try:
		judge = ctypes.CDLL(str(plugin), mode=os.RTLD_LAZY).klaava_tlb_error
	except (OSError, AttributeError):
		return value	# then QEMU says what is wrong
	judge.restype = ctypes.c_char_p
	wrong = judge(value.encode())
	if wrong:
		known_too = ", off" if b"; known:" in wrong else ""
		raise Refused(f"TLB={value}: {wrong.decode()}{known_too}")
	return value


def one_of(name, value, allowed):
	if value not in [str(a) for a in allowed]:
		raise Refused(f"{name}={value}: allowed: {', '.join(str(a) for a in allowed)}")
	return type(allowed[0])(value)


def size(value):
	"""Bytes of a number with K, M or G behind it, M if none is; -1: it is not one."""
	match = re.fullmatch(r"(\d{1,9})([KkMmGg]?)", value)
	shift = {"K": 10, "": 20, "M": 20, "G": 30}
	return int(match[1]) << shift[match[2].upper()] if match else -1


def memory(value):
	low, high = MEM_MB
	asked = size(value)
	if not low * MB <= asked <= high * MB or asked % PAGE:
		raise Refused(f"MEM={value}: allowed: {low}M to {high}M (a number, then K, M or G)")
	return asked


def swap(value):
	if value == "off":
		return 0
	low, high = SWAP_KB
	asked = size(value)
	if not low * 1024 <= asked <= high * 1024 or asked % PAGE:
		raise Refused(f"SWAP={value}: allowed: {low}K to {high // 1024}M, a multiple of 4K "
		              "(a number, then K or M), or off")
	return asked


def seconds(value):
	try:
		number = float(value)
	except ValueError:
		number = 0.0
	if not 0 < number <= 86400:
		raise Refused(f"TIMEOUT={value}: allowed: seconds, more than 0, at most 86400")
	return number


def tunables(value):
	words = value.split()
	for word in words:
		if not re.fullmatch(r"[A-Za-z][\w.]*=[\w.:,+/-]+", word):
			raise Refused(f"SET: `{word}`: allowed: name=value, several with blanks between")
	return tuple(words)


def writable(name, value):
	path = Path(value).resolve()
	if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
		raise Refused(f"{name}={value}: allowed: a file that can be written")
	return path


def printable(name, value):
	if not re.fullmatch(r"[ -~]*", value):
		raise Refused(f"{name}: allowed: one line of printable ASCII")
	return value


def read(mode="batch", env=None):
	"""Check the environment's variables; an empty one counts as not given."""
	env = os.environ if env is None else env
	given = {name: env[name].strip() for name, _, _ in VARIABLES if env.get(name, "").strip()}
	o = Options()
	o.mon = printable("MON", given.get("MON", ""))
	if "MACHINE" in given:
		o.machine = given["MACHINE"]
		o.profile = Profile(o.machine)
		o.root = "ram"
		given = {"MEM": o.profile.mem, "CPUS": o.profile.cpus, **given}
	if "MEM" in given:
		o.mem = memory(given["MEM"])
	if "SWAP" in given:
		o.swap = swap(given["SWAP"])
	if "CPUS" in given:
		o.cpus = one_of("CPUS", given["CPUS"], range(1, MOST_CPUS + 1))
	if "ROOT" in given:
		o.root = one_of("ROOT", given["ROOT"], ("ram",) if o.profile else ("ide", "ram"))
	if "SET" in given:
		o.tunables = tunables(given["SET"])
	if "TIMEOUT" in given:
		o.timeout = seconds(given["TIMEOUT"])
	if "LOG" in given:
		o.log = writable("LOG", given["LOG"])
	if "PDA" in given:
		o.pda = one_of("PDA", given["PDA"], PDA_BUILDS)
	if "BLOCK" in given:
		o.block = one_of("BLOCK", given["BLOCK"], BLOCK_SIZES)
	o.kernel = Path(given.get("KERNEL", kernel_built(o.pda))).resolve()
	o.image = Path(given.get("IMAGE", ROOT / f"build/root-{o.block}.img")).resolve()
	if "RECORD" in given and o.root == "ram":
		raise Refused(f"RECORD={given['RECORD']}: allowed: with ROOT=ide; nobody sees writes to a RAM disk")
	o.record = writable("RECORD", given["RECORD"]) if "RECORD" in given else None
	if "KEEP" in given:
		o.keep = None if given["KEEP"] == "off" else writable("KEEP", given["KEEP"])
	elif "IMAGE" not in given and o.root == "ide" and not o.record:
		o.disk = ROOT / f"build/disk-{o.block}.img"
	o.plugin = ROOT / "build/tlb-plugin.so"
	o.turns = ROOT / "build/turns.so"
	default = o.profile.tlb if o.profile else "386" if mode == "run" else "off"
	o.tlb = tlb_geometry(given.get("TLB", default), o.plugin)
	o.command_line(batch=True)
	return o
