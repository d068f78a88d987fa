"""terminal.py - Klaava on this terminal: run, gdb, boot-time.

The guest's console is COM1.  Every key goes to the guest, Ctrl-C and Ctrl-] too,
which is why the terminal is in raw mode and one key is kept back: Ctrl-\\ ends
the emulator at once, whatever state the kernel is in.  A pipe or a file in place
of a terminal is typed as if by a person, who switches the machine off at its end.

Session is the same console for a program instead of a person: the lesson runner
and the tests type commands with it and read up to the next prompt.
"""

import contextlib
import os
import re
import selectors
import shutil
import signal
import statistics
import subprocess
import sys
import termios
import threading
import time
import tty

import rootdisk
from batch import KERNEL_SAYS, PANIC, REFUSED, keep_log, say, tail
from machine import INSTALL_HINT, Machine
from options import ROOT, Refused

QUIT_KEY = b"\x1c"	# Ctrl-\
CTRL_D = b"\x04"
PROMPT = re.compile(rb"(?:^|[\r\n])klaava[^\r\n]{0,16}> $")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][0-9A-B]|\x1b[=>78]")


class RawTerminal:
	"""Put standard input into raw mode, and back whatever happens."""

	def __enter__(self):
		self.saved = termios.tcgetattr(0) if os.isatty(0) else None
		if self.saved:
			tty.setraw(0)

	def __exit__(self, *unused):
		if self.saved:
			termios.tcsetattr(0, termios.TCSAFLUSH, self.saved)


class Script(threading.Thread):
	"""Types what comes from a standard input that is no terminal, but a pipe or a file.

	Nothing before the first prompt: nobody would hear it.  When all is typed and the guest
	falls silent, Ctrl-D tells whatever program reads on that this was all (once in each
	silence), and at the monitor's prompt the machine is switched off."""

	def __init__(self, channel):
		super().__init__(daemon=True)
		self.channel = channel
		self.over = self.told = self.off = False

	def run(self):
		last = b"\n"
		try:
			while typed := os.read(0, 1024):
				self.channel.sendall(typed)
				last = typed[-1:]
			if last not in b"\r\n":
				self.channel.sendall(b"\r")
		except OSError:
			pass	# the machine ended first
		self.over = True

	def heard(self, kept):
		"""The guest said something."""
		self.told = False
		if not self.ident and at_prompt(kept):
			self.start()

	def silence(self, kept):
		"""It says nothing more.  What to type."""
		if self.told or not self.over:
			return b""
		self.told = True
		if not at_prompt(kept):
			return CTRL_D
		self.off = True
		return b"poweroff\r"


def at_prompt(output):
	"""Does `output` end in a prompt of the monitor's?"""
	return PROMPT.search(ESCAPES.sub("", output[-200:].decode("latin-1")).encode("latin-1"))


def type_in(channel, keys):
	"""To the guest, if it is still there: its end is seen where its output is read."""
	with contextlib.suppress(OSError):
		channel.sendall(keys)


def relay(channel, alive, script=None):
	"""Connect this terminal, or what types in its place, with the guest's console until it
	closes, or the user quits (True).  The last output is kept, for a log if the run ends
	badly."""
	kept = bytearray()
	with RawTerminal(), selectors.DefaultSelector() as selector:
		selector.register(channel, selectors.EVENT_READ)
		try:
			if not script:
				selector.register(0, selectors.EVENT_READ)
		except PermissionError:
			pass	# standard input is a plain file: nothing will be typed
		while True:
			living = alive()	# asked first: what it said before its end is still to be read
			ready = selector.select(1 if living else 0)
			if not living and channel not in (key.fileobj for key, _ in ready):
				return False, kept
			if script and living and not ready:
				type_in(channel, script.silence(kept))
			for key, _ in ready:
				if key.fileobj is channel:
					try:
						data = channel.recv(65536)
					except OSError:
						data = b""
					if not data:
						return False, kept
					kept += data
					del kept[:-65536]
					os.write(1, data)
					if script:
						script.heard(kept)
					continue
				typed = os.read(0, 1024)
				if not typed:
					selector.unregister(0)
				elif QUIT_KEY in typed:
					return True, kept
				else:
					type_in(channel, typed)


def screen():
	"""The monitor command that tells the guest how large this terminal is."""
	if not os.isatty(1):
		return ""
	size = os.get_terminal_size(1)
	if size.lines < 4 or size.columns < 40:	# smaller than the monitor believes in
		return ""
	return f"screen {min(size.lines, 500)} {min(size.columns, 500)}; "


def verdict_on(status):
	"""QEMU's exit status as batch's; below PANIC somebody switched the machine off."""
	return 0 if status == 0 else KERNEL_SAYS.get(status, REFUSED)


def run(options):
	"""`make run`.  Status 0 after poweroff or Ctrl-\\, else as in batch."""
	options.mon = f"{screen()}{options.mon}"
	disk = rootdisk.take(options)	# held to the end
	with disk or contextlib.nullcontext(), Machine(options, "serial") as machine:
		say("klaava: starting.  `poweroff` ends it; Ctrl-] returns to the monitor;\n"
		    "Ctrl-\\ ends the emulator at once.")
		console = machine.channels["console"]
		script = None if os.isatty(0) else Script(console)
		quitted, kept = relay(console, lambda: machine.process.poll() is None, script)
		if quitted:
			say("\nklaava: ended by Ctrl-\\")
			return 0
		if script and script.off:
			say("\nklaava: end of the input: the machine is switched off")
		status = machine.wait(5)
		verdict = verdict_on(status)
		if verdict < PANIC:
			return 0
		if verdict == PANIC:
			say("klaava: ended after a kernel panic")
		else:
			say(f"klaava: QEMU ended with status {status}: {machine.error_text()}")
		keep_log(kept, "run")
		return verdict


def gdb(options, arguments):
	"""`make gdb`: QEMU frozen before its first instruction, GDB attached to it."""
	debugger = shutil.which("gdb")
	if not debugger:
		raise Refused(f"gdb: not found; {INSTALL_HINT}")
	with Machine(options, "gdb") as machine:
		say("klaava: frozen, GDB attached.  Its console: `make console` in another terminal.")
		session = ROOT / "build/gdb-console"
		session.parent.mkdir(exist_ok=True)
		session.unlink(missing_ok=True)
		session.symlink_to(machine.tty_path)
		# Ctrl-C is for GDB to stop the guest with
		signal.signal(signal.SIGINT, signal.SIG_IGN)
		try:
			return subprocess.call(
				[debugger, "-nx", "-q", "-iex", "set confirm off",
				 "-ex", f"target remote {machine.gdb_path}",
				 "-x", str(ROOT / "gdbscripts/klaava.gdb"), *arguments, str(options.kernel)],
				preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
		finally:
			session.unlink(missing_ok=True)


def console():
	"""`make console`: this terminal becomes the console of a running `make gdb`."""
	import socket
	path = ROOT / "build/gdb-console"
	channel = socket.socket(socket.AF_UNIX)
	try:
		channel.connect(os.path.realpath(path))
	except OSError:
		raise Refused("console: no `make gdb` is running in this tree") from None
	say("klaava: console of the machine under GDB; Ctrl-\\ leaves it.")
	with channel:
		relay(channel, lambda: True)
	return 0


class Ended(TimeoutError):
	"""The machine ended where a prompt should have come."""


class Session:
	"""A live Klaava at its prompt, typed at by a program."""

	def __init__(self, machine):
		self.machine = machine
		self.first_byte = None
		self.received = b""

	def until_prompt(self, seconds):
		"""Read up to the next prompt; what came before it, without escapes.
		Raises TimeoutError with the tail of what did come."""
		channel = self.machine.channels["console"]
		until = time.monotonic() + seconds
		got = b""
		while not PROMPT.search(ESCAPES.sub("", got.decode("latin-1")).encode("latin-1")):
			channel.settimeout(max(until - time.monotonic(), 0.001))
			try:
				data = channel.recv(65536)
			except OSError:
				raise TimeoutError(f"no prompt after {seconds} s:\n{tail(got)}") from None
			if not data:
				raise Ended(f"the machine ended:\n{tail(got)}")
			self.first_byte = self.first_byte or time.monotonic()
			got += data
			self.received = (self.received + data)[-65536:]
		text = ESCAPES.sub("", got.decode(errors="replace")).replace("\r", "")
		return text[:text.rfind("\n") + 1]

	def interrupt(self):
		"""Press Ctrl-C."""
		self.machine.channels["console"].sendall(b"\x03")

	def command(self, line, seconds=60):
		"""Type a command; what it printed, without the echo of the command."""
		self.machine.channels["console"].sendall(line.encode() + b"\r")
		text = self.until_prompt(seconds)
		return text.partition("\n")[2]


def boot_time(options, runs=5):
	"""`make boot-time`: real time from the kernel's first byte to its prompt.

	The kernel's first log line leaves as soon as it has a stack; the firmware
	before it writes nothing to COM1."""
	times = []
	for _ in range(runs):
		with Machine(options, "serial") as machine:
			session = Session(machine)
			session.until_prompt(options.timeout)
			times.append(time.monotonic() - session.first_byte)
	print(f"kernel entry to prompt: {statistics.median(times):.3f} s "
	      f"(median of {runs}; {min(times):.3f} to {max(times):.3f}), CPUS={options.cpus}")
	return 0
