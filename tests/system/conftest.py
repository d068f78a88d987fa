"""Helpers of the system tests: boot Klaava, read its records.

Every run has its own temporary folder and sockets, so tests may run side by
side (pytest-xdist).  A failing test shows the run's standard error, which names
the log that was kept.
"""

import fcntl
import functools
import os
import re
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pexpect
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "monitor/machines"))
LAUNCHER = ROOT / "monitor/machines/qemu.py"
VARIABLES = ("MON", "MACHINE", "TLB", "MEM", "SWAP", "CPUS", "ROOT", "SET", "TIMEOUT", "LOG", "PDA", "BLOCK",
             "SYSCALL", "KERNEL", "IMAGE", "KEEP", "RECORD")

# Who runs us in the background (nohup, a shell's &) may have these ignored, and the programs that we
# start would inherit that: what a signal does to them is what some tests ask.
for number, usual in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGQUIT, signal.SIG_DFL),
                      (signal.SIGINT, signal.default_int_handler)):
	if signal.getsignal(number) == signal.SIG_IGN:
		signal.signal(number, usual)

# The build under test: `make test PDA=stack` asks everything of that one.
PDA = os.environ.get("PDA") or "gs"
BOOT_PDA = "pda_array" if PDA == "array" else "boot_pda"	# what CPU 0's is called there
KERNEL = ROOT / f"build/klaava{'' if PDA == 'gs' else f'-{PDA}'}.elf"

Run = namedtuple("Run", "status out err")


def clean_environment(variables):
	"""This process's environment with exactly these of Make's variables."""
	env = {k: v for k, v in os.environ.items()
	       if k not in VARIABLES and not k.startswith(("MAKE", "MFLAGS"))}
	env.update({"PDA": PDA, **{name: str(value) for name, value in variables.items()}})
	return env


def launch(mode, **variables):
	"""Run the launcher in `mode`; its exit status and what it wrote, as text."""
	done = subprocess.run([sys.executable, "-B", str(LAUNCHER), mode], cwd=ROOT,
	                      env=clean_environment(variables), stdin=subprocess.DEVNULL,
	                      capture_output=True, timeout=600)
	run = Run(done.returncode, done.stdout.decode(errors="replace"),
	          done.stderr.decode(errors="replace"))
	print(f"--- {mode} {variables}: status {run.status}\n{run.out[-6000:]}\n--- stderr\n{run.err}")
	return run


def batch(mon, **variables):
	"""Boot, run the monitor commands, power off."""
	return launch("batch", MON=mon, **variables)


def good_batch(mon, **variables):
	"""A batch run that must succeed; what it printed."""
	run = batch(mon, **variables)
	assert run.status == 0, f"MON={mon!r} {variables}: status {run.status}\n{run.err}"
	return run.out


def records(text):
	"""The `key=value ...` lines in monitor output as dicts; numbers become ints.  A word
	before them, as in `total tables=3`, is the value of "row"."""
	found = []
	for line in text.splitlines():
		words = line.split()
		if len(words) > 1 and "=" not in words[0]:
			words[0] = "row=" + words[0]
		if words and all("=" in word for word in words):
			found.append({k: number(v) for k, v in (word.split("=", 1) for word in words)})
	return found


def number(text):
	try:
		return int(text, 0)
	except ValueError:
		return text


def all_cpus(text):
	"""The `cpu=all` records of one or more `cr3 -k` in the output, in order."""
	return [r for r in records(text) if r.get("cpu") == "all" and "loads" in r]


def make(*arguments, **variables):
	"""Run make in the tree, as a user would."""
	words = [f"{name}={value}" for name, value in variables.items()]
	done = subprocess.run(["make", "-s", *arguments, *words], cwd=ROOT, env=clean_environment({}),
	                      stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
	run = Run(done.returncode, done.stdout.decode(errors="replace"),
	          done.stderr.decode(errors="replace"))
	print(f"--- make {arguments} {words}: status {run.status}\n{run.out[-6000:]}\n{run.err}")
	return run


class Terminal:
	"""Klaava's console on a pseudo-terminal, as a person has it.

	keys() types, see() waits for text, command() types a line and returns what was
	printed up to the next prompt."""

	PROMPT = r"[\r\n]klaava[^\r\n]{0,16}> "
	ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

	def __init__(self, rows=24, columns=80, **variables):
		variables.setdefault("KEEP", "off")	# no test finds what another wrote
		self.child = pexpect.spawn(sys.executable, ["-B", str(LAUNCHER), "run"], timeout=30,
		                           env=clean_environment(variables), cwd=str(ROOT),
		                           dimensions=(rows, columns), encoding="utf-8",
		                           codec_errors="replace")
		self.child.delaybeforesend = None
		self.child.expect(self.PROMPT)

	def keys(self, text):
		self.child.send(text)

	def see(self, pattern, timeout=15):
		self.child.expect(pattern, timeout=timeout)
		return self.child.match

	def prompt(self, timeout=30):
		self.child.expect(self.PROMPT, timeout=timeout)
		return self.ESCAPES.sub("", self.child.before).replace("\r", "")

	def command(self, line, timeout=30):
		self.keys(line + "\r")
		return self.prompt(timeout).partition("\n")[2]

	def close(self):
		if self.child.isalive():
			self.child.send("\x1c")
			self.child.expect(pexpect.EOF, timeout=10)
		self.child.close(force=True)


@pytest.fixture
def terminal():
	"""terminal(**variables) -> a Terminal, closed at the end of the test."""
	opened = []
	def open_one(**variables):
		opened.append(Terminal(**variables))
		return opened[-1]
	yield open_one
	for one in opened:
		one.close()


def assemble(folder, do, code=0x10):
	"""A tiny kernel of fixtures/tiny.S; its path."""
	kernel = folder / f"tiny-{do}-{code:x}.elf"
	subprocess.run(
		["gcc", "-m32", "-nostdlib", "-static", "-no-pie",
		 "-Wl,-Ttext=0x100000,--build-id=none,-z,max-page-size=4096",
		 f"-Wa,--defsym,DO={do},--defsym,CODE={code}",
		 str(Path(__file__).parent / "fixtures/tiny.S"), "-o", str(kernel)], check=True)
	return kernel


@pytest.fixture(scope="session", autouse=True)
def built():
	"""Kernel and root disk are up to date.  One worker builds, the others wait; under
	`make test` there is nothing to do."""
	if "KLAAVA_BUILT" in os.environ:
		return
	(ROOT / "build").mkdir(exist_ok=True)
	with open(ROOT / "build/pytest.lock", "w") as lock:
		fcntl.flock(lock, fcntl.LOCK_EX)
		run = make("kernel", "image", "guest", "user-host", "tlb-plugin")
		assert run.status == 0, run.err


# Seconds after which a program on this host hangs.  Emulated ones that fork are slow on a busy host.
PATIENCE = 240

# What qemu-i386, a translation of system calls and no Linux, is known to answer otherwise than
# Linux does (seen with version 7.2): nothing is compared there.  A program's name -> the lines,
# as a pattern.
NOT_AS_LINUX = {
	# The size of the structure is not looked at.
	"attributes": r"wrong size: .*",
	# A bad address of the time is not noticed: it sleeps for whatever its own stack holds.
	"efault": r"nanosleep: .*",
	# A whole 4 GB are reserved on the host, so that no call of the host ever meets a hole.
	"map_file": r"mprotect over the hole: .*",
	# Flags and requests are translated one by one, and those it has no word for are dropped, or
	# are a function not implemented.
	"nonblock": r"(bad flags|unknown request): .*",
	"pipes": r"pipe2 with a wrong flag: .*",
	# The old sigsuspend() has its mask in the third argument on this architecture; it takes
	# the first for the mask's address.
	"signal_calls": r"sigsuspend: .*\ncaught: .*",
	# It takes any kind of segment, has another error where all are in use, and one in %gs.
	"thread_area": r"(one more|code|16 bits|after exec: selector).*",
	# The stack is mapped as a whole at the start, and does not grow.
	"stack_growth": r"grow past a mapping: .*",
	# vfork() is fork(): the parent neither waits nor sees what the child writes.
	"vfork_exec": r"(the child wrote|the child could not:|killed while it waited:) .*",
}


class Host32:
	"""How this host runs 32-bit programs, `how`: "directly", or "qemu-i386" where its kernel
	cannot."""

	def __init__(self, how, tmp_path_factory):
		self.how = how
		self.new_folder = tmp_path_factory.mktemp

	@functools.cache
	def folder(self, kind):
		"""Where the programs of build/KIND are, to be started on this host (and to start each
		other)."""
		built = ROOT / "build" / kind
		if self.how == "directly":
			return built
		out = self.new_folder("emulated") / kind
		names = [p.name for p in built.iterdir() if os.access(p, os.X_OK)]
		subprocess.run(["sh", "kernel/user/host.sh", "m32", built, out, *names], cwd=ROOT, check=True)
		return out

	def comparable(self, name, text):
		"""What guest test `name` printed, here or on Klaava, without what cannot be compared."""
		if self.how != "directly" and name in NOT_AS_LINUX:
			text = re.sub(f"^{NOT_AS_LINUX[name]}\n", "", text, flags=re.M)
		return text


def without_emulator(text):
	"""qemu-i386 says on standard error whom a signal killed; Linux does not."""
	return re.sub(r"^qemu: uncaught target signal .*\n", "", text, flags=re.M)


@pytest.fixture(scope="session")
def host32(tmp_path_factory):
	"""This host's Host32; a test that needs one is skipped where there is none."""
	how = subprocess.run(["sh", "monitor/machines/tools.sh", "host32"], cwd=ROOT, check=True,
	                     capture_output=True, text=True).stdout.strip()
	if how == "no":
		pytest.skip("this host's kernel runs no 32-bit programs, and qemu-i386 (package qemu-user) "
		            "is not there: no Linux to compare with")
	return Host32(how, tmp_path_factory)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
	"""tiny(do, code) -> variables that start such a kernel with an empty disk."""
	folder = tmp_path_factory.mktemp("tiny")
	image = folder / "disk, with blanks.img"
	image.write_bytes(b"\0" * (1 << 20))
	def variables(do, code=0x10):
		return {"KERNEL": assemble(folder, do, code), "IMAGE": image}
	return variables
