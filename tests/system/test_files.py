"""What is written on Klaava: the disk as the host finds it, programs that run, the end of the machine."""

import re
import subprocess

import pytest

from conftest import PATIENCE, batch, good_batch


def e2fsck(image):
	"""The state of the file system on it; fails unless e2fsck finds nothing."""
	done = subprocess.run(["/sbin/e2fsck", "-fn", image], capture_output=True, text=True, check=False)
	assert done.returncode == 0, done.stdout + done.stderr
	about = subprocess.run(["/sbin/dumpe2fs", "-h", image], capture_output=True, text=True, check=True).stdout
	return re.search(r"^Filesystem state: +(.*)$", about, re.M)[1]


def debugfs(image, command):
	return subprocess.run(["/sbin/debugfs", "-R", command, image], capture_output=True, check=True).stdout


def test_the_host_reads_what_was_written_and_the_disk_is_in_order(tmp_path):
	disk = tmp_path / "disk.img"
	out = good_batch("run sh -c 'mkdir /d; echo one > /d/f; echo two >> /d/f; ln -s f /d/l; rm /bench/64k';"
	                 "run stat /d/f", KEEP=disk)
	assert e2fsck(disk) == "clean"
	assert debugfs(disk, "cat /d/f") == b"one\ntwo\n"
	assert b'dest: "f"' in debugfs(disk, "stat /d/l")
	written = re.search(r"written (\S+ \S+)", out)[1]
	assert subprocess.run(["date", "-u", "+%Y"], capture_output=True, text=True, check=True).stdout.strip() \
		== written[:4]
	assert good_batch("run cat /d/l; run ls -l /bench", KEEP=disk) == "one\ntwo\n"


def test_who_only_reads_writes_nothing(tmp_path):
	disk = tmp_path / "disk.img"
	good_batch("run true", KEEP=disk)
	before = disk.read_bytes()
	good_batch("run cat /tests/data/text; run ls -l /bin; run sync; sync", KEEP=disk)
	assert disk.read_bytes() == before


def test_a_batch_run_forgets_what_it_writes():
	good_batch("run sh -c 'echo x > /x'; run cat /x")
	assert batch("run cat /x").status == 1


def test_a_running_program_may_not_be_written_to_and_one_being_written_not_started():
	out = batch("run sh -c 'cp /bin/sleep /s; /s 100 & cp /bin/true /s; echo x >> /s; truncate -s 0 /s; rm /s;"
	            " cp /bin/true /s; /s; echo $?; /s >> /s; echo $?; /s; echo $?'").out
	busy = "Text file busy"
	assert out == (f"cp: /s: {busy}\nsh: /s: {busy}\ntruncate: /s: {busy}\n"
	               f"0\nsh: /s: {busy}\n126\n0\n"), "removing it is allowed: its inode lives on"


def test_a_program_that_ended_may_be_written_to_whoever_has_run_it():
	good_batch("run sh -c 'cp /bin/echo /e; /e one | cat; /e two & wait; cp /bin/true /e; /e three'")


def test_sync_says_how_many_blocks_it_wrote():
	first, second = re.findall(r"^(\d+) blocks written$", good_batch("run sh -c 'echo x > /x'; sync; sync",
	                                                                SET="cache.flush=0"), re.M)
	assert int(first) >= 5 and int(second) == 0	# data, directory, inode table, both bitmaps at least


@pytest.mark.parametrize("cpus", [1, 4])
def test_the_machine_ends_in_order_while_processes_write(cpus, tmp_path):
	for seconds in (0.1, 0.3, 0.5):
		disk = tmp_path / f"{seconds}.img"
		good_batch(f"run /tests/append_two &; run /tests/names &; run sleep {seconds}", CPUS=cpus, KEEP=disk)
		assert e2fsck(disk) == "clean"


def test_an_open_file_without_name_at_the_end_is_left_to_e2fsck(tmp_path):
	disk = tmp_path / "disk.img"
	good_batch("run sh -c 'cp /bin/init /i; mv /i /bin/init'", KEEP=disk)	# init runs the old one
	done = subprocess.run(["/sbin/e2fsck", "-p", disk], capture_output=True, text=True, check=False)
	assert done.returncode == 1 and "FIXED" in done.stdout, done.stdout
	assert e2fsck(disk) == "clean"


def test_a_disk_not_left_in_order_is_mounted_with_a_warning_and_stays_so(tmp_path):
	disk, log = tmp_path / "disk.img", tmp_path / "log"
	assert batch("run sh -c 'echo x > /x; sync'; panic test", KEEP=disk).status == 2
	assert debugfs(disk, "cat /x") == b"x\n"
	good_batch("run cat /x", KEEP=disk, LOG=log)
	assert re.search(r"^ext2: .*(not|without).*$", log.read_text(), re.M), log.read_text()
	done = subprocess.run(["/sbin/e2fsck", "-p", disk], capture_output=True, text=True, check=False)
	assert done.returncode in (0, 1) and "not cleanly unmounted" in done.stdout


def test_reboot_keeps_what_was_written(terminal):
	t = terminal(SET="cache.flush=0")
	t.command("run sh -c 'echo stays > /x'")
	t.command("reboot")
	assert t.command("run cat /x") == "stays\n"


def test_poweroff_of_a_stopped_world_says_what_is_lost(terminal):
	t = terminal(SET="cache.flush=0")
	t.command("run sh -c 'echo lost > /x'")
	t.command("stop")
	t.keys("poweroff\r")
	t.see(r"disk: not left in order: the world is stopped; \d+ blocks not written")


def test_a_full_disk_says_so_and_loses_nothing(tmp_path):
	disk = tmp_path / "disk.img"
	run = batch("run sh -c 'echo kept > /kept; dd if=/dev/zero of=/big bs=4k; echo $?; cp /bin/sh /more;"
	            " echo x > /x; cat /kept; df / | grep -c 100%; rm /big; cp /bin/sh /more; cmp /bin/sh /more;"
	            " echo $?; rm /more /x'", KEEP=disk)
	lines = run.out.splitlines()
	assert lines[0] == "dd: /big: No space left on device" and lines[4] == "1", run.out
	assert "cp: /more: No space left on device" in lines and lines[-2:] == ["1", "0"], run.out
	assert "kept" in lines
	assert e2fsck(disk) == "clean"


@pytest.mark.slow
@pytest.mark.parametrize("processes, settings", [
	(2, "cache.size=256 cache.flush=1"),
	pytest.param(2, "", marks=pytest.mark.long),
	pytest.param(5, "cache.size=256 cache.order=off", marks=pytest.mark.long),
	pytest.param(3, "cache.write=through", marks=pytest.mark.long),
])
def test_processes_on_four_processors_write_the_same_and_other_files(processes, settings, tmp_path):
	disk = tmp_path / "disk.img"
	said = good_batch(f"run writers {processes} 10 /w", CPUS=4, SET=settings, KEEP=disk)
	reports, checked, lines, wrong = map(int, re.findall(r"\d+", said))
	assert (reports, wrong) == (processes, 0)
	assert checked > 1000000 and lines > 100
	assert e2fsck(disk) == "clean"


@pytest.mark.slow
def test_ten_thousand_operations_leave_what_they_leave_on_linux(host32, tmp_path):
	disk = tmp_path / "disk.img"
	program = host32.folder("guest") / "tree_ops"
	linux = subprocess.run([program, "", "10000"], capture_output=True, text=True, check=True, timeout=PATIENCE)
	assert linux.stdout.count("\n") > 20
	for settings in ({}, {"MEM": "2M", "SET": "cache.size=64"}):
		assert good_batch("run /tests/tree_ops x 10000", KEEP=disk, **settings) == linux.stdout
		assert e2fsck(disk) == "clean"
