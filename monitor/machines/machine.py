"""machine.py - one QEMU, started, listened to and ended.

A Machine owns a QEMU process, the sockets it talks through and a temporary
folder.  All its channels are socket pairs made before QEMU starts, so two
machines cannot meet on a port or a path, and nothing has to be waited for.

The one idea: what decides a run stays in two places, the Options and the list
of arguments built here.  With a profile, nothing of the outside may reach the
guest: instructions are the clock (-icount), the disk is memory, no UART exists,
the date is fixed.  The machine starts frozen and is let go once the control
channel is open, after which the launcher only listens.  QEMU's own threads take turns.
"""

import ctypes
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import elf
import swaparea
from options import MB, PAGE, SMALLEST_MACHINE, Refused

QEMUS = ("qemu-system-i386", "qemu-system-x86_64")
INSTALL_HINT = "`make install-tools` installs it, `make doctor` says what else is missing"

# A processor with a local APIC, TSC, FXSAVE and SYSENTER and no 64-bit mode;
# named, so that no newer default changes what the kernel finds.
DEFAULT_CPU = "pentium3"

# The loader puts the RAM disk right behind the kernel, which ends below this.
KERNEL_END = 2 * MB

# Room above the RAM disk for the firmware's ACPI tables, which lie at the very
# top of memory, and for the page tables that map the disk.
RAM_DISK_SLACK = MB

PR_SET_PDEATHSIG = 1	# prctl(2), Linux


def find_qemu():
	for name in QEMUS:
		path = shutil.which(name)
		if path:
			return path
	raise Refused(f"{' or '.join(QEMUS)}: not found; {INSTALL_HINT}")


def has_plugins():
	"""Was this QEMU built with them?  Its help has the option only then."""
	help_text = subprocess.run([find_qemu(), "-help"], capture_output=True, text=True).stdout
	return "\n-plugin" in help_text


def round_up(size, unit):
	return (size + unit - 1) // unit * unit


def die_with_parent():
	"""In the child: let QEMU die with the launcher, even if that is killed outright."""
	try:
		ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
	except (OSError, AttributeError):
		pass	# not Linux: QEMU is still ended on every orderly way out


class Machine:
	"""A QEMU under the launcher's control; use it as a context manager.

	mode "batch": console and log leave by ports 0xE9 and 0xE8, a reset freezes
	the machine.  mode "serial": COM1 is the console.  mode "gdb": as serial, with
	a stub on the socket gdb_path, frozen.
	"""

	def __init__(self, options, mode):
		self.options = options
		self.mode = mode
		self.process = None
		self.channels = {}
		self.events = []
		self.unread = b""
		self.folder = Path(tempfile.mkdtemp(prefix="klaava-"))
		self.gdb_path = self.folder / "gdb"
		self.tty_path = self.folder / "tty"

	def __enter__(self):
		try:
			self.start()
		except BaseException:
			self.end()
			raise
		return self

	def __exit__(self, *unused):
		self.end()

	# --- the command line ----------------------------------------------------

	def link_files(self):
		"""Give kernel and disk plain names in the folder QEMU runs in: QEMU's options
		treat commas and blanks in a path specially, and the kernel sees its own."""
		o = self.options
		for source in (o.kernel, o.image):
			if not source.is_file():
				raise Refused(f"{source}: no such file; `make` builds it")
		root = o.image
		if o.keep or o.record:
			root = o.keep or self.folder / "written.img"
			if not root.is_file():
				shutil.copyfile(o.image, root)
		if o.record:
			o.record.write_bytes(b"")
			(self.folder / "record").symlink_to(o.record)
		(self.folder / "klaava.elf").symlink_to(o.kernel)
		(self.folder / "root.img").symlink_to(root)
		with open(self.options.kernel, "rb") as kernel:
			if kernel.read(4) != b"\x7fELF":
				raise Refused(f"{self.options.kernel}: not an ELF file")	# QEMU would boot it as Linux

	def memory(self):
		"""Bytes of RAM the machine needs: MEM, and the disk above it when it is memory.
		The kernel moves the disk there from where the loader put it, maybe not below MEM."""
		o = self.options
		if o.root == "ide":
			return max(o.mem, SMALLEST_MACHINE)
		image = round_up(o.image.stat().st_size, PAGE)
		return round_up(max(o.mem, KERNEL_END + image) + image + o.swap + RAM_DISK_SLACK, MB)

	def swap_drive(self):
		"""An IDE drive to swap to, made anew: what is in it is of no use to another run."""
		o = self.options
		if o.root == "ram" or not o.swap:
			return []
		swaparea.make(self.folder / "swap.img", o.swap)
		return ["-drive", "file=swap.img,format=raw,if=ide,index=2"]

	def root_drive(self):
		"""The IDE drive with the root: written to in place, with a record of each write, or
		into a file that nobody sees again."""
		o = self.options
		if o.record:
			drive = "driver=blklogwrites,file.driver=file,file.filename=root.img," \
				"log.driver=file,log.filename=record"
		else:
			drive = f"file=root.img,format=raw,snapshot={'off' if o.keep else 'on'}"
		return ["-drive", f"{drive},if=ide,index=0"]

	def ram(self):
		"""The guest's RAM as a file in our folder: a program on the host that maps it sees
		what the kernel publishes (kernel/telemetry.h), and the guest does not notice."""
		size = self.memory()
		with open(self.folder / "ram", "wb") as ram:
			ram.truncate(size)
		return ["-object", f"memory-backend-file,id=ram,size={size},mem-path=ram,share=on"]

	def keep_ram_disk(self):
		"""A RAM disk is the guest's memory: what it came to goes into the file of KEEP=."""
		o = self.options
		at = elf.physical(o.kernel, "ramdisk_image")
		if not o.keep or o.root != "ram" or at is None:
			return
		with open(self.folder / "ram", "rb") as ram:
			ram.seek(at)
			start, size = struct.unpack("<II", ram.read(8))
			ram.seek(start)
			if size:
				o.keep.write_bytes(ram.read(size))

	def tlb(self):
		"""The TLB model, a plugin of QEMU's, if one is wanted and QEMU can."""
		o = self.options
		if not o.tlb:
			return []
		at = elf.physical(o.kernel, "telemetry")
		why = (f"{o.plugin}: not built" if not o.plugin.is_file() else
		       f"{o.kernel}: has no telemetry" if at is None else
		       "this QEMU has no plugins" if not has_plugins() else "")
		if why:
			print(f"klaava: no TLB model: {why}", file=sys.stderr, flush=True)
			return []
		(self.folder / "tlb-plugin.so").symlink_to(o.plugin)
		geometry = o.tlb.replace(",", ",,")	# QEMU's way to write a comma
		# a profile's counts repeat to the digit; at the prompt it is speed that counts
		exact = ",exact=on" if o.profile and not os.environ.get("KLAAVA_TLB_QUICK") else ""
		return ["-plugin", f"./tlb-plugin.so,ram=ram,telemetry={at},tlb={geometry}{exact}"]

	def channel(self, name):
		"""A socket pair: our end in self.channels, QEMU's end as a chardev argument."""
		ours, theirs = socket.socketpair()
		self.channels[name] = ours
		self.theirs.append(theirs)
		return ["-chardev", f"socket,id={name},fd={theirs.fileno()}"]

	def arguments(self):
		o = self.options
		model = DEFAULT_CPU
		args = [find_qemu(), "-nodefaults", "-no-user-config", "-display", "none", "-S"]
		if o.profile:
			# an idle batch machine jumps to its next timer; one with a person at it waits
			sleep = "off" if self.mode == "batch" else "on"
			args += ["-accel", "tcg", "-icount", f"shift={o.profile.icount_shift},sleep={sleep}",
			         "-rtc", "base=2026-01-01T00:00:00,clock=vm"]
			model = o.profile.cpu
		else:
			args += ["-accel", f"tcg,thread={'multi' if o.cpus > 1 else 'single'}"]
		args += self.ram() + self.tlb()
		args += ["-machine", "pc,memory-backend=ram", "-cpu", model, "-m", f"{self.memory() // 1024}k",
		         "-smp", f"{o.cpus},sockets={o.cpus}",
		         "-kernel", "klaava.elf", "-append", o.command_line(self.mode == "batch"),
		         "-device", "isa-debug-exit,iobase=0xf4,iosize=4"]
		if o.root == "ram":
			args += ["-initrd", "root.img"]
		else:
			args += self.root_drive()
		args += self.swap_drive()
		args += self.channel("qmp") + ["-mon", "chardev=qmp,mode=control"]
		if self.mode == "batch":
			args += self.channel("console") + ["-device", "isa-debugcon,iobase=0xe9,chardev=console"]
			args += self.channel("log") + ["-device", "isa-debugcon,iobase=0xe8,chardev=log"]
			args += ["-no-reboot", "-no-shutdown"]
		elif self.mode == "serial":
			args += self.channel("console") + ["-serial", "chardev:console"]
		else:
			args += ["-chardev", f"socket,id=tty,path={self.tty_path},server=on,wait=off",
			         "-serial", "chardev:tty",
			         "-chardev", f"socket,id=gdb,path={self.gdb_path},server=on,wait=off",
			         "-gdb", "chardev:gdb"]
		return args

	# --- start and end -------------------------------------------------------

	def environment(self):
		"""QEMU's: where a run must repeat, its threads take turns (turns.c)."""
		o = self.options
		if not o.profile or self.mode != "batch":
			return None
		if not o.turns.is_file():
			raise Refused(f"{o.turns}: no such file; `make` builds it")
		(self.folder / "turns.so").symlink_to(o.turns)
		loaded = "./turns.so " + os.environ.get("LD_PRELOAD", "")
		return {**os.environ, "LD_PRELOAD": loaded.strip()}

	def start(self):
		"""Start QEMU frozen and open the control channel; the guest runs after go()."""
		self.link_files()
		self.theirs = []
		self.errors = open(self.folder / "qemu-errors", "w+b")
		args = self.arguments()
		try:
			self.process = subprocess.Popen(
				args, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=self.errors,
				stderr=self.errors, pass_fds=[s.fileno() for s in self.theirs],
				env=self.environment(),
				start_new_session=True, preexec_fn=die_with_parent)
		finally:
			for end in self.theirs:
				end.close()
		if self.command("qmp_capabilities", seconds=20) is None:
			self.wait(5)
			raise Refused(f"QEMU did not start: {self.error_text() or 'it said nothing'}")
		if self.mode != "gdb":
			self.go()

	def go(self):
		self.command("cont", seconds=20)

	def wait(self, seconds):
		"""QEMU's exit status, or None if it still runs after so many seconds."""
		try:
			return self.process.wait(seconds)
		except subprocess.TimeoutExpired:
			return None

	def error_text(self):
		"""What QEMU itself complained about, without the program's name."""
		self.errors.seek(0)
		text = self.errors.read().decode(errors="replace")
		lines = [line.split(": ", 1)[-1] for line in text.splitlines() if line.strip()]
		return "; ".join(lines)

	def end(self):
		"""Ask QEMU to quit, then insist; close and remove everything.  Never raises."""
		if self.process and self.process.poll() is None:
			try:
				self.channels["qmp"].sendall(b'{"execute":"quit"}\n')
			except OSError:
				pass
			if self.wait(2) is None:
				self.process.kill()
				self.process.wait()
		for ours in self.channels.values():
			ours.close()
		if self.process:
			self.keep_ram_disk()
		shutil.rmtree(self.folder, ignore_errors=True)

	# --- the control channel (QMP) -------------------------------------------

	def command(self, name, arguments=None, seconds=5):
		"""Run one QMP command; its answer, or None when QEMU is gone or silent."""
		request = {"execute": name}
		if arguments:
			request["arguments"] = arguments
		try:
			self.channels["qmp"].sendall(json.dumps(request).encode() + b"\n")
		except OSError:
			return None
		until = time.monotonic() + seconds
		while True:
			left = until - time.monotonic()
			messages = self.read_qmp(max(left, 0)) if left > 0 else None
			if messages is None:
				return None
			for message in messages:
				if "return" in message:
					return message["return"]
				if "error" in message:
					return None

	def read_qmp(self, seconds):
		"""Messages that came within the time; events go to self.events as well.
		None at the end of the channel."""
		qmp = self.channels["qmp"]
		qmp.settimeout(seconds or 0.001)
		try:
			data = qmp.recv(65536)
		except socket.timeout:
			return []
		except OSError:
			return None
		if not data:
			return None
		*lines, self.unread = (self.unread + data).split(b"\n")
		messages = [json.loads(line) for line in lines if line.strip()]
		self.events += [m for m in messages if "event" in m]
		return messages

	def was_reset(self):
		"""Did the guest reset itself, though nobody asked it to (a triple fault)?"""
		return any(e["event"] in ("SHUTDOWN", "RESET") and e.get("data", {}).get("guest")
		           for e in self.events)

	def registers(self):
		"""QEMU's register dump of all processors, less those of floating point."""
		text = self.command("human-monitor-command", {"command-line": "info registers -a"})
		lines = (text or "QEMU gave no registers").splitlines()
		return "\n".join(line for line in lines
		                 if line and not line.startswith(("FCW", "FPR", "XMM"))) + "\n"
