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


def free_at_boot(log, **variables):
	"""(KB in all, KB free) as the kernel said before it had done anything with them."""
	good_batch("echo hello", LOG=log, **variables)
	return re.search(r"memory: (\d+) KB, (\d+) KB free", log.read_text()).groups()


@pytest.mark.parametrize("mem", ["2M", "4M"])
@pytest.mark.parametrize("root", ["ide", "ram"])
def test_what_is_not_memory_takes_no_memory(root, mem, tmp_path):
	"""Neither an area to swap to nor the RAM disk's image costs the machine a frame."""
	larger = tmp_path / "larger.img"
	larger.write_bytes((ROOT / "build/root-1024.img").read_bytes() + bytes(1 << 20))
	found = {free_at_boot(tmp_path / "log", ROOT=root, MEM=mem, **more)
	         for more in ({"SWAP": "off"}, {"SWAP": "64K"}, {"SWAP": "64M"},
	                      {"SWAP": "16M", "IMAGE": larger})}
	assert len(found) == 1


@pytest.mark.parametrize("swap", ["off", "16M"])
@pytest.mark.parametrize("machine", [{"ROOT": "ide"}, {"MACHINE": "386-16"}])
def test_2_mb_hold_eight_processes(machine, swap):
	out = good_batch("; ".join(8 * ["run sleep 20 &"]) + "; run echo and a ninth; ps -k",
	                 MEM="2M", SWAP=swap, **machine)
	assert "and a ninth" in out
	assert [r.get("name") for r in records(out)].count("sleep") == 8


@pytest.mark.parametrize("variables, log", [
	({"SET": "swap=800M", "ROOT": "ram"}, "swap: 819200 KB do not fit behind the RAM disk: no swap"),
	({"SET": "swap=800M mem=0", "ROOT": "ram"}, "swap: 819200 KB do not fit"),
	({"SET": "swap=4M", "ROOT": "ide", "SWAP": "off"}, "swap= is for a RAM disk, and there is none"),
])
def test_swap_that_cannot_be_is_said_and_done_without(variables, log, tmp_path):
	assert "alive" in good_batch("run echo alive", LOG=tmp_path / "log", **variables)
	assert log in (tmp_path / "log").read_text()


@pytest.mark.parametrize("word", ["swap=6K", "swap=", "swap=4X", "swap=2000M"])
def test_a_swap_word_that_means_nothing_is_refused(word):
	run = batch("run echo alive", ROOT="ram", SET=word if word[-1] != "=" else word + "0x")
	assert run.status == 5 and "swap=" in run.err


@pytest.mark.parametrize("more", ["", "mem=0"])	# 0: all there is, the disk stays in it
def test_swap_behind_the_ram_disk_shares_no_memory_with_programs(more, tmp_path):
	out = good_batch("run pattern 2 12 2; run wc /boot/klaava.lines; mem -k; disk -k",
	                 MEM="4M", ROOT="ram", SET=more, LOG=tmp_path / "log")
	assert "swap: 16384 KB on ram0" in (tmp_path / "log").read_text()
	assert int(re.search(r"name=ram0 .* written=(\d+)", out)[1]) > 1000


def test_reboot_takes_a_choice_along_once(terminal):
	t = terminal()
	t.command("reboot sched.hz=50 space.model=shared")
	shown = t.command("show -k s")
	assert "name=sched.hz value=50" in shown and "name=space.model value=shared" in shown
	t.command("reboot")
	assert "name=sched.hz value=100" in t.command("show -k s")


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
