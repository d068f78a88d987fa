"""`make gdb`: QEMU frozen, GDB attached with symbols, both end together."""

import os
import sys

import pexpect
import pytest

from conftest import LAUNCHER, ROOT, clean_environment, launch


# they share build/gdb-console, so one worker runs them all
pytestmark = pytest.mark.xdist_group("gdb")


def qemu_children():
	"""Folders of running machines, by the launcher's naming."""
	found = set()
	for pid in filter(str.isdigit, os.listdir("/proc")):
		try:
			folder = os.readlink(f"/proc/{pid}/cwd")
		except OSError:
			continue
		if os.path.basename(folder).startswith("klaava-"):
			found.add(folder)
	return found


def test_gdb_stops_at_the_first_c_function_with_symbols_and_ends_the_machine(tmp_path):
	env = clean_environment({"TMPDIR": tmp_path, "TERM": "dumb"})
	gdb = pexpect.spawn(sys.executable, ["-B", str(LAUNCHER), "gdb"], env=env, timeout=60,
	                    cwd=str(ROOT), encoding="utf-8")
	gdb.expect_exact("Klaava, stopped where its C code begins")
	gdb.expect_exact("(gdb) ")
	assert any(str(tmp_path) in folder for folder in qemu_children())
	gdb.sendline("info symbol $eip")
	gdb.expect(r"kernel_main.* in section \.text")
	gdb.expect_exact("(gdb) ")
	gdb.sendline("break cr3_load")
	gdb.expect("Breakpoint .* at 0xc")
	gdb.sendline("continue")
	gdb.expect("Breakpoint .*cr3_load")
	gdb.sendline("backtrace")
	gdb.expect(r"in \w+ .* at kernel/")
	gdb.sendline("quit")
	gdb.expect(pexpect.EOF)
	gdb.close()
	assert gdb.exitstatus == 0
	assert not any(str(tmp_path) in folder for folder in qemu_children())
	assert os.listdir(tmp_path) == []


def test_make_console_is_the_console_of_the_machine_under_gdb():
	env = clean_environment({"TERM": "dumb"})
	gdb = pexpect.spawn(sys.executable, ["-B", str(LAUNCHER), "gdb"], env=env, timeout=60,
	                    cwd=str(ROOT), encoding="utf-8")
	gdb.expect_exact("(gdb) ")
	console = pexpect.spawn(sys.executable, ["-B", str(LAUNCHER), "console"], env=env, timeout=30,
	                        cwd=str(ROOT), encoding="utf-8")
	console.expect_exact("Ctrl-\\ leaves it")
	gdb.sendline("continue")
	console.expect_exact("klaava> ")
	console.send("echo over here\r")
	console.expect(r"[\r\n]over here")
	console.send("\x1c")
	console.expect(pexpect.EOF)
	gdb.sendintr()
	gdb.expect("Program received signal SIGINT")
	gdb.sendline("quit")
	gdb.expect(pexpect.EOF)


def test_console_without_a_machine_under_gdb_says_so():
	(ROOT / "build/gdb-console").unlink(missing_ok=True)
	run = launch("console")
	assert run.status == 5
	assert "no `make gdb` is running" in run.err and run.err.count("\n") == 1
