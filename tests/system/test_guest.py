"""Guest tests print the same on Klaava as on Linux, byte for byte, in both address-space models."""

import functools
import re
import subprocess
import time

import pytest

from conftest import PATIENCE, ROOT, batch, without_emulator

GUESTS = sorted(p.stem for p in (ROOT / "tests/guest").glob("*.c"))
SCRIPT = "sh /tests/data/script /tests/data"


@pytest.fixture(scope="session")
def linux(host32, tmp_path_factory):
	"""linux(name) -> what the guest test (or the script) prints on this host."""
	data = tmp_path_factory.mktemp("linux") / "data"
	subprocess.run(["sh", ROOT / "tests/guest/mkdata.sh", data], check=True)
	@functools.cache
	def run(name):
		user = host32.folder("user")
		if name == "script":
			command = [user / "sh", data / "script", data]
		else:
			command = [host32.folder("guest") / name, data]
		def once():	# both streams are the console on Klaava, so here they share a pipe
			return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
			                      timeout=PATIENCE, env={"PATH": str(user)}, check=False).stdout
		said = once()
		if name == "nanosleep_order":	# a busy host may wake them late: believed when said twice
			for _ in range(10):
				again = once()
				if again == said:
					break
				said = again
		return host32.comparable(name, without_emulator(said))
	return run


def without_obituaries(text):
	"""Klaava says on the console whom it killed and why; Linux does not."""
	return re.sub(r"^\w+\[\d+\]: .*(,\n   )?.*: killed by \w+\n", "", text, flags=re.M)


@pytest.mark.parametrize("model", ["private", "shared"])
@pytest.mark.parametrize("name", GUESTS)
def test_guest_program_says_what_it_says_on_linux(host32, linux, name, model):
	# sleepers 10 ms apart: on virtual time a busy host cannot spoil their order
	machine = "count" if name == "nanosleep_order" else ""
	run = batch(f"run /tests/{name}", SET=f"space.model={model}", MACHINE=machine, TIMEOUT=120)
	assert host32.comparable(name, without_obituaries(run.out)) == linux(name)
	assert run.status == 0


@pytest.mark.parametrize("model", ["private", "shared"])
def test_the_shell_does_what_it_does_on_linux(linux, model):
	run = batch(f"run {SCRIPT}", SET=f"space.model={model}", TIMEOUT=120)
	assert (without_obituaries(run.out), run.status) == (linux("script"), 0)


def test_ctrl_c_ends_the_job_and_not_the_shell(terminal):
	console = terminal()
	console.keys("run sh\r")
	console.see(r"\$ ")
	for job in ("spin", "sleep 100 | cat", "sleep 100 && echo never"):
		console.keys(f"echo now; {job}\r")
		console.see(r"[\r\n]now[\r\n]")
		time.sleep(0.3)
		console.keys("\x03")
		console.see(r"\^C\s+\$ ")
		console.keys("echo status $?\r")
		console.see("status 130")
		console.see(r"\$ ")
	console.keys("spin &\r")
	background = console.see(r"\[(\d+)\]").group(1)
	console.see(r"\$ ")
	console.keys("echo now; sleep 100\r")
	console.see(r"[\r\n]now[\r\n]")
	time.sleep(0.3)
	console.keys("\x03")
	console.see(r"\$ ")
	console.keys(f"kill -0 {background} && echo alive; kill {background}; wait\r")
	console.see(r"[\r\n]alive")
	console.see(r"\$ ")
	console.keys("echo hi > /new; cat /new\r")
	console.see(r"[\r\n]hi[\r\n]")
	console.keys("exit 5\r")
	assert "sh: exit status 5" in console.prompt()


def e2fsck(image):
	"""Is the file system on it as it should be?  What e2fsck says if not."""
	done = subprocess.run(["/sbin/e2fsck", "-fn", image], capture_output=True, text=True, check=False)
	state = subprocess.run(["/sbin/dumpe2fs", "-h", image], capture_output=True, text=True, check=True).stdout
	assert done.returncode == 0, done.stdout + done.stderr
	assert re.search(r"^Filesystem state: +clean$", state, re.M), state


# The order of sleepers 10 ms apart is the host's to spoil on a real-time machine; the test of single
# programs has it.
IN_A_ROW = [name for name in GUESTS if name != "nanosleep_order"]


def run_in_a_row(**variables):
	"""All guest programs, one after the other on one machine; what each said."""
	said = {}
	for names in IN_A_ROW[::2], IN_A_ROW[1::2]: # more does not fit the kernel's command line
		commands = "; ".join(f"echo @{name}; run /tests/{name}" for name in names)
		run = batch(commands, TIMEOUT=240, **variables)
		said.update(re.findall(r"^@(\w+)\n(.*?)(?=^@|\Z)", run.out, re.M | re.S))
	return said


def test_after_all_guest_programs_and_the_shell_the_disk_is_in_order(linux, tmp_path):
	disk = tmp_path / "disk.img"
	said = run_in_a_row(KEEP=disk)
	assert set(said) == set(IN_A_ROW) and all(said.values())
	e2fsck(disk)
	run = batch(f"run {SCRIPT}; run ls /tmp", TIMEOUT=120, KEEP=disk)
	assert (without_obituaries(run.out), run.status) == (linux("script"), 0), "and nothing is left in /tmp"
	e2fsck(disk)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["private", "shared"])
@pytest.mark.parametrize("block", [2048, 4096])
def test_guest_programs_in_a_row_on_four_processors_and_other_blocks(host32, linux, block, model, tmp_path):
	made = subprocess.run(["make", "-s", "image", f"BLOCK={block}", f"IMAGE={tmp_path}/root.img"],
	                      cwd=ROOT, check=False, capture_output=True, text=True)
	assert made.returncode == 0, made.stderr
	disk = tmp_path / "disk.img"
	said = run_in_a_row(CPUS=4, SET=f"space.model={model}", IMAGE=tmp_path / "root.img", KEEP=disk)
	e2fsck(disk)
	assert {name: host32.comparable(name, without_obituaries(said.get(name, ""))) for name in IN_A_ROW} == \
		{name: linux(name) for name in IN_A_ROW}
