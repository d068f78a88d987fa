"""A fresh machine: tools are found quickly, installed, or asked for in one line."""

import os
import subprocess
from pathlib import Path

import pytest

from conftest import ROOT

TOOLS = ROOT / "monitor/machines/tools.sh"
# what tools.sh itself is made of
BASIC = ("sh", "cat", "sort", "tr", "mkdir", "dirname", "touch", "sed", "head", "grep", "rm", "chmod",
         "mktemp")


@pytest.fixture
def machine(tmp_path):
	"""A machine with only the basic programs, an apt-get that only writes down what it is
	asked (and brings what it installs), and a user."""
	def made(user=0, sudo=False, apt=True):
		bin_ = tmp_path / "bin"
		bin_.mkdir()
		for name in BASIC:
			os.symlink(subprocess.check_output(["which", name], text=True).strip(), bin_ / name)
		program(bin_ / "id", f"echo {user}")
		if apt:
			program(bin_ / "apt-get", f'echo "$@" >>{tmp_path}/apt\ncase $1 in install)\n' + "".join(
				f'printf "#!/bin/sh\\n" >{bin_}/{c}; chmod +x {bin_}/{c}\n' for c in
				("make", "ld", "python3", "qemu-system-i386", "mke2fs", "debugfs", "i686-linux-gnu-gcc"))
				+ ";; esac")
		if sudo:
			program(bin_ / "sudo", 'shift; "$@"')
		return bin_
	return made


def program(path, text):
	path.write_text(f"#!/bin/sh\n{text}\n")
	path.chmod(0o755)


def install(bin_, tmp_path):
	# the real tools.sh looks in the sbin folders too: those of this machine must not count
	script = tmp_path / "tools.sh"
	script.write_text(TOOLS.read_text().replace(":/usr/sbin:/sbin", ""))
	return subprocess.run(["/bin/sh", script, "install", tmp_path / "stamp", "run"], capture_output=True,
	                      text=True, env={"PATH": str(bin_), "PYTHON": "python3"})


def test_what_is_missing_is_installed_as_root(machine, tmp_path):
	run = install(machine(), tmp_path)
	assert run.returncode == 0, run.stderr
	asked = (tmp_path / "apt").read_text().splitlines()
	assert asked[0] == "update"
	assert asked[1].startswith("install -y --no-install-recommends")
	assert {"gcc-multilib", "qemu-system-x86", "e2fsprogs", "python3"} <= set(asked[1].split())
	assert (tmp_path / "stamp").exists()


def test_what_is_missing_is_installed_through_sudo(machine, tmp_path):
	run = install(machine(user=1000, sudo=True), tmp_path)
	assert run.returncode == 0, run.stderr
	assert (tmp_path / "apt").exists()


@pytest.mark.parametrize("have", [dict(user=1000), dict(apt=False)])
def test_who_may_not_install_is_told_the_one_command(machine, tmp_path, have):
	run = install(machine(**have), tmp_path)
	assert run.returncode == 5
	commands = [line for line in run.stderr.splitlines() if "apt-get install" in line]
	assert len(commands) == 1 and "qemu-system-x86" in commands[0]
	assert not (tmp_path / "apt").exists()


def test_a_complete_machine_is_left_alone(machine, tmp_path):
	bin_ = machine()
	assert install(bin_, tmp_path).returncode == 0
	(tmp_path / "apt").unlink()
	run = install(bin_, tmp_path)
	assert run.returncode == 0 and run.stderr == ""
	assert not (tmp_path / "apt").exists()


def test_doctor_names_what_breaks_without_a_missing_tool(machine, tmp_path):
	bin_ = machine()
	run = subprocess.run(["/bin/sh", TOOLS, "doctor"], capture_output=True, text=True,
	                     env={"PATH": str(bin_), "PYTHON": "/usr/bin/python3"})
	assert run.returncode == 1
	row = next(line for line in run.stdout.splitlines() if line.startswith("qemu-system-i386"))
	assert "MISSING" in row and "nothing runs" in row


@pytest.mark.parametrize("kernel", ["true", "false"])
@pytest.mark.parametrize("level", ["run", "test"])
def test_an_emulator_is_asked_for_by_tests_where_the_kernel_runs_no_32_bit_programs(
		machine, tmp_path, level, kernel):
	script = tmp_path / "tools.sh"
	start = "\ncase $1 in\ninstall)"
	text = TOOLS.read_text()
	assert text.count(start) == 1
	script.write_text(text.replace(start, f"\nkernel_runs_32bit() {{ {kernel}; }}{start}")
	                  .replace(":/usr/sbin:/sbin", ""))
	def tools(*words):
		return subprocess.run(["/bin/sh", script, *words], capture_output=True, text=True,
		                      env={"PATH": str(bin_), "PYTHON": "python3"})
	bin_ = machine()
	tools("install", tmp_path / "stamp", level)
	asked = (tmp_path / "apt").read_text().split()
	assert ("qemu-user" in asked) == (level == "test" and kernel == "false")
	row = [line for line in tools("doctor").stdout.splitlines() if line.startswith("qemu-i386")]
	assert bool(row) == (kernel == "false")
	assert all("MISSING" in r and "package qemu-user" in r for r in row)
	assert tools("host32").stdout == ("directly\n" if kernel == "true" else "no\n")


def test_the_answer_about_32_bit_programs_is_the_kernels(built):
	try:
		directly = subprocess.run([ROOT / "build/user/true"], check=False).returncode == 0
	except OSError:
		directly = False
	run = subprocess.run(["/bin/sh", TOOLS, "host32"], capture_output=True, text=True, check=True)
	if not Path("/proc/sys/fs/binfmt_misc/qemu-i386").exists():
		assert (run.stdout == "directly\n") == directly
