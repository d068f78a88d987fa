"""Booting, ending, and what a user meets first."""

import os
import re

import pexpect
import pytest

from conftest import ROOT, batch, clean_environment, good_batch, make, records


def test_make_run_comes_to_the_prompt_and_poweroff_ends_it():
	child = pexpect.spawn("make", ["-s", "run"], cwd=str(ROOT), env=clean_environment({}), timeout=60)
	child.expect_exact("klaava> ")
	child.send("poweroff\r")
	child.expect(pexpect.EOF)
	child.close()
	assert child.exitstatus == 0


def test_boot_takes_about_half_a_second():
	run = make("boot-time")
	assert run.status == 0
	# the aim is 0.5; this test runs beside others
	assert float(re.search(r"prompt: ([\d.]+) s", run.out)[1]) < 2


@pytest.mark.parametrize("mon, status", [
	("echo hello", 0),
	("run nosuch", 1),
	("panic test", 2),
	("run spin 100", 3),
	("panic triple", 4),
])
def test_make_batch_ends_with_the_status_that_says_how(mon, status):
	run = make("batch", MON=mon, TIMEOUT=5 if status == 3 else 60)
	assert run.status == status
	assert run.out == {0: "hello\n"}.get(status, run.out)


def test_refused_option_is_5_through_make():
	run = make("batch", MACHINE="pdp-11")
	assert run.status == 5
	assert "known: 386-16, 386-40, 486-33, count, pentium-90" in run.err


def test_panic_reports_registers_symbols_and_cr3_events():
	run = batch("run true; panic test")
	assert run.status == 2
	assert re.search(r"eip\W+[0-9a-f]{8}", run.err, re.I)
	assert re.search(r"<?cmd_panic\+0x[0-9a-f]+", run.err)
	assert re.search(r"cr3", run.err, re.I)


def test_a_command_that_failed_does_not_stop_the_next_ones():
	run = batch("nosuchcommand; echo after")
	assert run.status == 1
	assert run.out.splitlines()[-1] == "after"


@pytest.mark.parametrize("root", ["ide", "ram"])
def test_4_mb_boot_and_run_switchers(root):
	out = good_batch("run switchers 8 100; mem -k; ps -k", MEM="4M", ROOT=root)
	mem = next(r for r in records(out) if "frames" in r)
	assert mem["frames"] <= 1024


@pytest.mark.parametrize("root", ["ide", "ram"])
def test_the_least_memory_that_the_launcher_allows_boots(root):
	mem = records(good_batch("run true; mem -k", MEM="1M", ROOT=root))[0]
	assert mem["frames"] <= 256


def test_reboot_takes_a_choice_along_once(terminal):
	t = terminal()
	t.command("reboot sched.hz=50 space.model=shared")
	shown = t.command("show -k")
	assert "name=sched.hz value=50" in shown and "name=space.model value=shared" in shown
	t.command("reboot")
	assert "name=sched.hz value=100" in t.command("show -k")


def test_a_kernel_or_disk_that_is_named_is_never_written(tmp_path):
	for name in ("KERNEL", "IMAGE"):
		mine = tmp_path / name
		mine.write_text("mine")
		os.utime(mine, (0, 0))	# older than anything it could be made of
		make("batch", MON="ps", **{name: mine})
		assert make("kernel", **{name: mine}).status == 0
		assert mine.read_text() == "mine"


@pytest.mark.parametrize("block", [1024, 2048, 4096])
def test_root_of_any_block_size(block):
	assert make("image", BLOCK=block).status == 0
	out = good_batch("run ls /bin; run wc /lessons/01-one-number/lesson.md", BLOCK=block)
	lesson = (ROOT / "lessons/01-one-number/lesson.md").read_bytes()
	assert "switchers" in out
	assert re.search(rf"\b{len(lesson)}\b", out)


def test_the_kernel_is_at_most_256_kb():
	run = make("size")
	assert run.status == 0
	assert re.search(r"^total +\d+  of 262144", run.out, re.M)


def test_help_fits_80_columns_and_lists_targets_and_variables():
	run = make("help")
	assert max(map(len, run.out.splitlines())) <= 80
	for word in ("run", "batch", "gdb", "lesson", "doctor", "test-fast", "MON", "TIMEOUT", "SET"):
		assert re.search(rf"^  {word} ", run.out, re.M), word


def test_doctor_lists_every_tool():
	run = make("doctor")
	assert run.status == 0
	for tool in ("gcc-m32", "qemu-system-i386", "mke2fs", "gdb", "py:pytest"):
		assert tool in run.out


@pytest.mark.long
def test_a_fresh_clone_runs(tmp_path):
	import subprocess
	subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "clone")], check=True)
	done = subprocess.run(["make", "-s", "batch", "MON=echo hello"], cwd=tmp_path / "clone",
	                      env=clean_environment({}), capture_output=True, text=True, timeout=300)
	assert done.returncode == 0, done.stderr
	assert done.stdout == "hello\n"	# nothing of the build
