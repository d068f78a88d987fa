"""Static Linux programs, made by the host's own compiler with glibc and with musl, run unmodified.

What they need of us: set_thread_area and a %gs that is theirs, and an answer to all that their
start-up asks for.
"""

import shutil
import subprocess

import pytest

from conftest import ROOT, batch, good_batch

pytestmark = [pytest.mark.slow, pytest.mark.builds]
SOURCE = ROOT / "tests/system/fixtures/libc.c"
FLAGS = ["-m32", "-O2", "-static", "-fno-pie", "-no-pie"]


def run(*command, **how):
	done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True,
	                      text=True, timeout=300, check=False, **how)
	assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
	return done.stdout


def musl(folder):
	"""Debian's musl for i386, unpacked: its compiler wrapper knows only the host's own kind."""
	if not shutil.which("apt-get"):
		pytest.skip("no apt-get: musl for i386 comes out of Debian's archive")
	state = folder / "apt"
	(state / "state/lists/partial").mkdir(parents=True)
	(state / "cache/archives/partial").mkdir(parents=True)
	apt = ["apt-get", "-q", "-o", f"Dir::State={state}/state", "-o", "Dir::State::status=/dev/null",
	       "-o", f"Dir::Cache={state}/cache", "-o", "APT::Architecture=i386",
	       "-o", "APT::Architectures=i386", "-o", "APT::Sandbox::User="]
	run(*apt, "update")
	run(*apt, "download", "musl-dev", cwd=folder)
	package, = folder.glob("musl-dev*.deb")
	run("dpkg-deb", "-x", package, folder / "musl")
	return folder / "musl/usr"


def build(libc, folder):
	program = folder / "program"
	if libc == "glibc":
		run("gcc", *FLAGS, "-o", program, SOURCE)
		return program
	usr = musl(folder)
	include = run("gcc", "-print-file-name=include").strip()
	lib = usr / "lib/i386-linux-musl"
	gcc = run("gcc", "-m32", "-print-libgcc-file-name").strip()
	run("gcc", *FLAGS, "-nostdinc", "-isystem", usr / "include/i386-linux-musl", "-isystem", include,
	    "-nostdlib", "-o", program, lib / "crt1.o", lib / "crti.o", SOURCE, lib / "libc.a", gcc,
	    lib / "crtn.o")
	return program


@pytest.fixture(scope="module", params=["glibc", "musl"])
def program(request, tmp_path_factory):
	"""The library's name, the program, and a disk with it as /program."""
	folder = tmp_path_factory.mktemp("foreign")
	made = build(request.param, folder)
	run("strip", made)
	disk = folder / "disk.img"
	shutil.copyfile(ROOT / "build/root-1024.img", disk)
	run("/sbin/debugfs", "-w", "-R", f"write {made} program", disk)
	return request.param, made, disk


@pytest.mark.parametrize("cpus", [1, 4])
def test_a_static_linux_program_says_what_it_says_on_the_host(program, cpus, host32):
	libc, made, disk = program
	how = [] if host32.how == "directly" else [host32.how]
	host = subprocess.run([*how, str(made), libc], capture_output=True, text=True, timeout=60,
	                      check=False)
	assert host.returncode == 3 and "children said 3" in host.stdout
	said = batch(f"run /program {libc}", IMAGE=disk, CPUS=cpus).out
	assert said.endswith("exit status 3\n")
	assert sorted(said.splitlines()[:-1]) == sorted(host.stdout.splitlines())


def test_several_at_once_keep_their_thread_local_memory_apart(program):
	libc, _, disk = program
	said = good_batch("; ".join([f"run /program {libc} &"] * 4) + "; run sleep 3", IMAGE=disk, CPUS=2,
	                  TIMEOUT=120)
	for i in range(3):
		assert said.count(f"thread-local: child {142 + 1000 * i}, {142 + 1000 * i}") == 4
	assert said.count("thread-local: parent 142, 142") == 4
