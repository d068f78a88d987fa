"""batch.py - boot, run MON's commands, say how it ended.

Standard output carries exactly what the commands printed, as it comes.  What
else there is to say (a panic's report, a triple fault's registers, the tail of
the log) goes to standard error, and the exit status tells it apart:

	0  all commands succeeded	3  time ran out
	1  a command failed		4  the machine reset: a triple fault
	2  kernel panic			5  a tool is missing, or options refused

The one idea: success is only what the kernel itself said is success, by a value
of its own on the exit port; whatever else ends QEMU is some kind of failure.
"""

import os
import selectors
import sys
import time
from datetime import datetime

from machine import Machine
from options import ROOT

OK, FAILED, PANIC, TIMEOUT, RESET, REFUSED = range(6)

# What the kernel writes to the isa-debug-exit port, as QEMU's (value << 1) | 1.
KERNEL_SAYS = {0x10 << 1 | 1: OK, 0x11 << 1 | 1: FAILED, 0x12 << 1 | 1: PANIC,
               0x13 << 1 | 1: REFUSED}

LOGS = ROOT / "build/logs"
LOGS_KEPT = 50
TAIL_LINES = 25
PANIC_MARK = "panic: "
REFUSAL_MARK = "command line: "


def say(text):
	print(text, file=sys.stderr, flush=True)


def keep_log(log, mode):
	"""Write a failed run's log under build/logs, drop the oldest ones, say where."""
	LOGS.mkdir(parents=True, exist_ok=True)
	path = LOGS / f"{mode}-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.log"
	path.write_bytes(log)
	for old in sorted(LOGS.glob("*.log"), key=lambda p: p.stat().st_mtime)[:-LOGS_KEPT]:
		old.unlink(missing_ok=True)
	say(f"klaava: kernel log kept in {os.path.relpath(path)}")


def tail(log):
	return "\n".join(log.decode(errors="replace").splitlines()[-TAIL_LINES:])


def panic_report(log):
	"""The log from the line that starts the last panic's report, else its tail."""
	lines = log.decode(errors="replace").splitlines()
	starts = [i for i, line in enumerate(lines) if line.startswith(PANIC_MARK)]
	return "\n".join(lines[starts[-1]:]) if starts else tail(log)


def refusal(log):
	"""The kernel's line about a word on its command line (MEM, SET) that it will not have."""
	lines = log.decode(errors="replace").splitlines()
	return next((line for line in lines if line.startswith(REFUSAL_MARK)), "")


class Batch:
	"""One batch run; run() returns the launcher's exit status."""

	def __init__(self, machine, out):
		self.machine = machine
		self.out = out
		self.log = bytearray()

	def listen(self):
		"""Copy the guest's output until QEMU ends (None), resets or time runs out."""
		m = self.machine
		until = time.monotonic() + m.options.timeout
		with selectors.DefaultSelector() as selector:
			for name, end in m.channels.items():
				selector.register(end, selectors.EVENT_READ, name)
			while selector.get_map():
				left = until - time.monotonic()
				if left <= 0:
					return TIMEOUT
				for key, _ in selector.select(left):
					if not self.take(key.data):
						selector.unregister(key.fileobj)
				if m.was_reset():
					self.drain()
					return RESET
		return None

	def take(self, name):
		"""Read what channel `name` has; False at its end."""
		if name == "qmp":
			return self.machine.read_qmp(0) is not None
		try:
			data = self.machine.channels[name].recv(65536)
		except OSError:
			data = b""
		if name == "log":
			self.log += data
		elif data:
			self.out.write(data)
			self.out.flush()
		return bool(data)

	def drain(self):
		"""Take what a frozen guest had written before it stopped."""
		for name in ("console", "log"):
			self.machine.channels[name].setblocking(False)
			while self.take(name):
				pass

	def run(self):
		m = self.machine
		ended = self.listen()
		if ended == TIMEOUT:
			say(f"klaava: time ran out: no end after {m.options.timeout:g} s (TIMEOUT=)")
			say("klaava: last lines of the kernel's log:")
			say(tail(self.log) or "(the log is empty)")
		elif ended == RESET:
			say("klaava: the machine reset itself: a triple fault; the last registers:")
			say(m.registers())
		else:
			ended = self.verdict(m.wait(10))
			if ended == OK and not m.options.mon:
				say("klaava: MON= was empty: booted, ran nothing, powered off")
		if m.options.log:
			m.options.log.write_bytes(self.log)
		elif ended >= PANIC and not refusal(self.log):
			keep_log(self.log, "batch")
		return ended

	def verdict(self, status):
		"""What QEMU's own exit status means."""
		if status in KERNEL_SAYS:
			if KERNEL_SAYS[status] == PANIC:
				say("klaava: kernel panic")
				say(panic_report(self.log))
			if KERNEL_SAYS[status] == REFUSED:
				say(f"klaava: {refusal(self.log)}")
			return KERNEL_SAYS[status]
		why = self.machine.error_text()
		if status is not None and status < 0:
			say(f"klaava: QEMU was killed by signal {-status}" + (f": {why}" if why else ""))
		else:
			say(f"klaava: QEMU ended with status {status}, which the kernel did not ask for"
			    + (f": {why}" if why else ""))
		return REFUSED


def run(options):
	"""`make batch`."""
	with Machine(options, "batch") as machine:
		try:
			return Batch(machine, sys.stdout.buffer).run()
		except BrokenPipeError:
			# the reader of our output went away; leave no second error at exit
			os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
			say("klaava: nobody reads the output any more: run ended")
			return REFUSED
