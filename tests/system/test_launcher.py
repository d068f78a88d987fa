"""The launcher keeps its promises whatever the kernel does (tiny kernels stand in for it)."""

import glob
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

import pexpect
import pytest

import terminal
from conftest import KERNEL, LAUNCHER, ROOT, batch, clean_environment, launch

DIE, TRIPLE_FAULT, SPIN, COMMAND_LINE, TERMINAL = range(5)


@pytest.mark.parametrize("code, status", [(0x10, 0), (0x11, 1), (0x12, 2), (0x00, 5), (0x7f, 5)])
def test_success_is_only_what_the_kernel_said(tiny, code, status):
	run = batch("", **tiny(DIE, code))
	assert run.status == status
	assert run.out == "said to the console\n"


def test_panic_report_goes_to_standard_error(tiny):
	run = batch("", **tiny(DIE, 0x12))
	assert "panic: tiny has no reason\n  at nowhere+0x0" in run.err
	assert "said to the log" not in run.err


def test_triple_fault_is_4_with_the_last_registers_of_every_cpu(tiny):
	run = batch("", CPUS=2, **tiny(TRIPLE_FAULT))
	assert run.status == 4
	assert "triple fault" in run.err
	assert "EAX=1234abcd" in run.err and "CPU#1" in run.err
	assert run.out == "said to the console\n"


def test_timeout_is_3_with_the_tail_of_the_log(tiny):
	began = time.monotonic()
	run = batch("", TIMEOUT=1.5, **tiny(SPIN))
	assert run.status == 3
	assert "time ran out" in run.err and "said to the log" in run.err
	assert time.monotonic() - began < 6


def test_log_of_a_failed_run_is_kept_and_named(tiny):
	run = batch("", TIMEOUT=1, **tiny(SPIN))
	kept = re.search(r"kept in (\S+)", run.err)[1]
	assert (ROOT / kept).read_text().startswith("said to the log")


def test_log_of_a_run_that_went_well_is_kept_on_demand(tiny, tmp_path):
	run = batch("", LOG=tmp_path / "log", **tiny(DIE))
	assert run.status == 0
	assert (tmp_path / "log").read_text().startswith("said to the log")


def test_a_kept_disk_is_made_from_the_image_and_then_left_alone(tiny, tmp_path):
	variables = tiny(DIE)
	kept = tmp_path / "kept, with blanks.img"
	assert batch("", KEEP=kept, RECORD=tmp_path / "writes", **variables).status == 0
	assert kept.read_bytes() == variables["IMAGE"].read_bytes()
	assert (tmp_path / "writes").read_bytes() == b""
	kept.write_bytes(b"what somebody wrote".ljust(1 << 20))
	assert batch("", KEEP=kept, **variables).status == 0
	assert kept.read_bytes().startswith(b"what somebody wrote")


@pytest.mark.parametrize("variables, allowed", [
	({"MACHINE": "pdp-11"}, "known: 386-16, 386-40, 486-33, count, pentium-90"),
	({"MEM": "lots"}, "1M to 768M"),
	({"MEM": "64G"}, "1M to 768M"),
	({"SWAP": "32K"}, "64K to 64M, a multiple of 4K"),
	({"SWAP": "65M"}, "64K to 64M, a multiple of 4K"),
	({"SWAP": "66K"}, "64K to 64M, a multiple of 4K"),
	({"SWAP": "on"}, "or off"),
	({"CPUS": "0"}, "1, 2, 3, 4, 5, 6, 7, 8"),
	({"CPUS": "nine"}, "1, 2, 3, 4, 5, 6, 7, 8"),
	({"PDA": "fs"}, "allowed: gs, stack, array"),
	({"BLOCK": "512"}, "1024, 2048, 4096"),
	({"ROOT": "floppy"}, "ide, ram"),
	({"ROOT": "ide", "MACHINE": "count"}, "ram"),
	({"TIMEOUT": "-1"}, "more than 0"),
	({"SET": "space.model"}, "name=value"),
	({"LOG": "/nonexistent/log"}, "can be written"),
	({"KEEP": "/nonexistent/disk"}, "can be written"),
	({"RECORD": "writes", "ROOT": "ram"}, "with ROOT=ide"),
	({"RECORD": "writes", "MACHINE": "count"}, "with ROOT=ide"),
	({"MON": "a\nb"}, "one line"),
	({"MON": "x" * 2000}, "at most"),
	({"KERNEL": "/nonexistent"}, "no such file"),
])
def test_refused_option_is_5_with_one_line_that_says_what_is_allowed(tiny, variables, allowed):
	run = batch(**{"mon": "", **tiny(DIE), **variables} if "MON" not in variables else
	            {"mon": variables["MON"], **tiny(DIE)})
	assert run.status == 5
	assert run.out == ""
	assert allowed in run.err and run.err.count("\n") == 1


def test_missing_emulator_is_5(tiny):
	env = clean_environment(tiny(DIE))
	env["PATH"] = "/nonexistent"
	run = subprocess.run([sys.executable, LAUNCHER, "batch"], env=env, capture_output=True)
	assert run.returncode == 5
	assert b"qemu-system-i386" in run.stderr and b"install-tools" in run.stderr


def test_options_qemu_refuses_are_5_with_its_message(tiny, tmp_path):
	headless = tmp_path / "headless"
	headless.write_bytes(tiny(DIE)["KERNEL"].read_bytes().replace(b"\x02\xb0\xad\x1b", b"\0\0\0\0"))
	run = batch("", **{**tiny(DIE), "KERNEL": headless})
	assert run.status == 5
	assert "QEMU did not start" in run.err and "without PVH ELF Note" in run.err


def test_kernel_that_is_no_kernel_is_5(tiny, tmp_path):
	text = tmp_path / "text"
	text.write_text("this is no kernel")
	run = batch("", **{**tiny(DIE), "KERNEL": text})
	assert run.status == 5
	assert "not an ELF file" in run.err and run.err.count("\n") == 1


def test_commands_reach_the_kernel_as_typed(tiny):
	mon = r'''run echo "a b" | wc; x 'c\d'; set space.model=shared'''
	run = batch(mon, SET="sched.hz=100 space.model=private", **tiny(COMMAND_LINE))
	quoted = r'''mon="run echo \"a b\" | wc; x 'c\\d'; set space.model=shared"'''
	line = run.out.splitlines()[1]
	assert line == f"klaava.elf batch=1 root=ide sched.hz=100 space.model=private {quoted}"


def test_profile_gives_a_ram_disk_above_the_memory_asked_for(tiny):
	run = batch("", MACHINE="count", MEM="4M", **tiny(COMMAND_LINE))
	words = run.out.splitlines()[1].split()
	assert words[:5] == ["klaava.elf", "batch=1", "root=ram", "mem=4096K", "swap=16384K"]


def test_swap_off_is_no_area_to_swap_to(tiny):
	run = batch("", MACHINE="count", SWAP="off", **tiny(COMMAND_LINE))
	assert "root=ram" in run.out and "swap" not in run.out


def test_two_machines_run_at_once_without_collision(tiny):
	env = clean_environment({**tiny(SPIN), "TIMEOUT": 1})
	runs = [subprocess.Popen([sys.executable, LAUNCHER, "batch"], env=env, stdout=subprocess.PIPE,
	                         stderr=subprocess.PIPE) for _ in range(2)]
	for run in runs:
		out, _ = run.communicate(timeout=30)
		assert run.returncode == 3
		assert out == b"said to the console\n"


def test_output_comes_while_the_guest_still_runs(tiny):
	env = clean_environment({**tiny(SPIN), "TIMEOUT": 20})
	run = subprocess.Popen([sys.executable, LAUNCHER, "batch"], env=env, stdout=subprocess.PIPE,
	                       stderr=subprocess.DEVNULL)
	assert run.stdout.readline() == b"said to the console\n"
	assert run.poll() is None
	run.terminate()
	assert run.wait(10) == 128 + signal.SIGTERM


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_emulator_ends_with_the_launcher(tiny, how, tmp_path):
	env = clean_environment({**tiny(SPIN), "TIMEOUT": 30, "TMPDIR": tmp_path})
	run = subprocess.Popen([sys.executable, LAUNCHER, "batch"], env=env, stdout=subprocess.PIPE,
	                       stderr=subprocess.DEVNULL)
	run.stdout.readline()
	folder = glob.glob(f"{tmp_path}/klaava-*")[0]
	child = next(pid for pid in os.listdir("/proc") if pid.isdigit() and works_in(pid, folder))
	run.send_signal(how)
	run.wait(10)
	until = time.monotonic() + 5
	while os.path.exists(f"/proc/{child}/exe") and time.monotonic() < until:
		time.sleep(0.05)
	assert not os.path.exists(f"/proc/{child}/exe")
	if how != signal.SIGKILL:
		assert not os.path.exists(folder)


def works_in(pid, folder):
	try:
		return os.readlink(f"/proc/{pid}/cwd") == folder
	except OSError:
		return False


def on_a_terminal(tiny, what=TERMINAL, code=0x10):
	env = clean_environment(tiny(what, code))
	child = pexpect.spawn(sys.executable, [str(LAUNCHER), "run"], env=env, timeout=15)
	child.expect_exact("klaava> ")
	return child


def test_every_key_reaches_the_guest_and_the_terminal_is_restored(tiny):
	env = clean_environment(tiny(TERMINAL))
	shell = pexpect.spawn("/bin/sh", ["-c", f"stty -a >/tmp/before.$$; {sys.executable} {LAUNCHER} run; "
	                      "echo status=$?; stty -a | cmp - /tmp/before.$$ && echo restored; "
	                      "rm /tmp/before.$$"], env=env, timeout=15)
	shell.expect_exact("klaava> ")
	shell.send("a\x03b\x1dc\x04")
	shell.expect_exact("a\x03b\x1dc\x04")
	shell.send("q")
	shell.expect_exact("status=0")
	shell.expect_exact("restored")


@pytest.fixture
def own_tree(tmp_path):
	"""The launcher as if in a tree of its own: with a kernel, an image, and no disk yet."""
	tree = tmp_path / "tree"
	(tree / "build").mkdir(parents=True)
	(tree / "monitor").symlink_to(ROOT / "monitor")
	(tree / "gdbscripts").symlink_to(ROOT / "gdbscripts")
	for name in (KERNEL.name, "root-1024.img"):
		shutil.copyfile(ROOT / "build" / name, tree / "build" / name)
	return tree


def run_in(tree, typed, **variables):
	"""`make run` there, with these lines typed; what the console and the launcher said."""
	code = "import sys; sys.path.insert(0, sys.argv[1]); import options, pathlib, qemu; " \
	       "options.ROOT = pathlib.Path(sys.argv[2]); sys.exit(qemu.main(['qemu.py', 'run']))"
	run = subprocess.run([sys.executable, "-B", "-c", code, ROOT / "monitor/machines", tree], cwd=tree,
	                     env=clean_environment({"TLB": "off", **variables}), input=typed, text=True,
	                     capture_output=True, timeout=120, check=False)
	print(run.stdout, run.stderr)
	return run.stdout, run.stderr


def test_what_is_written_at_make_run_is_there_the_next_time(own_tree):
	image = (own_tree / "build/root-1024.img").read_bytes()
	_, said = run_in(own_tree, 'run sh -c "echo written > /note"\npoweroff\n')
	assert "the disk is build/disk-1024.img, which keeps what is written" in said
	out, said = run_in(own_tree, "run cat /note\npoweroff\n")
	assert "\nwritten" in out and "with what was written on it" in said
	disk = own_tree / "build/disk-1024.img"
	assert subprocess.run(["/sbin/e2fsck", "-fn", disk], check=False, capture_output=True).returncode == 0
	assert subprocess.run(["/sbin/debugfs", "-R", "cat /note", disk], check=True,
	                      capture_output=True).stdout == b"written\n"
	assert (own_tree / "build/root-1024.img").read_bytes() == image, "the image itself is never written"
	out, _ = run_in(own_tree, "run cat /note\npoweroff\n", KEEP="off")
	assert "cat: /note: No such file or directory" in out


def test_a_new_image_puts_the_old_disk_aside(own_tree):
	run_in(own_tree, 'run sh -c "echo written > /note"\npoweroff\n')
	os.utime(own_tree / "build/root-1024.img", (0, 0))
	out, said = run_in(own_tree, "run cat /note\npoweroff\n")
	assert "No such file" in out and "the image is new" in said
	out, _ = run_in(own_tree, "run cat /note\npoweroff\n", KEEP=own_tree / "build/disk-1024.old.img")
	assert "\nwritten" in out


def test_a_disk_left_in_disorder_is_repaired_before_it_is_used(own_tree):
	run_in(own_tree, 'run sh -c "echo written > /note; sync; echo more > /other"\npanic test\n')
	out, said = run_in(own_tree, "run cat /note\npoweroff\n")
	assert "not left in order: e2fsck -p" in said and "\nwritten" in out
	_, said = run_in(own_tree, "poweroff\n")
	assert "order" not in said


def test_of_two_runs_at_once_one_has_the_disk_and_the_other_says_so(own_tree):
	import fcntl
	run_in(own_tree, "poweroff\n")
	with open(own_tree / "build/disk-1024.lock", "w") as lock:	# as a run that goes on has it
		fcntl.flock(lock, fcntl.LOCK_EX)
		out, said = run_in(own_tree, 'run sh -c "echo x > /lost"\nrun cat /lost\npoweroff\n')
	assert "another run has build/disk-1024.img: what this one writes is forgotten" in said
	assert "\nx" in out
	assert "No such file" in run_in(own_tree, "run cat /lost\npoweroff\n")[0]


def test_ctrl_backslash_ends_the_emulator(tiny):
	child = on_a_terminal(tiny)
	child.send("\x1c")
	child.expect_exact("ended by Ctrl-\\")
	child.expect(pexpect.EOF)
	child.close()
	assert child.exitstatus == 0


@pytest.mark.parametrize("typed, said", [
	("", ""),
	("run echo first\nps\necho no newline behind it", "no newline behind it"),
	("sh\necho in a shell\ncat\n", "in a shell"),
	("run sleep 2\necho after it\n", "after it"),
])
@pytest.mark.parametrize("how", ["pipe", "file"])
def test_input_that_is_no_terminal_is_typed_to_its_end_then_the_machine_is_off(typed, said, how, tmp_path):
	(tmp_path / "commands").write_text(typed)
	with open(tmp_path / "commands") as file:
		run = subprocess.run([sys.executable, "-B", str(LAUNCHER), "run"], env=clean_environment({}), cwd=ROOT,
		                     stdin=file if how == "file" else None, input=typed if how == "pipe" else None,
		                     text=True, capture_output=True, timeout=60)
	assert run.returncode == 0
	assert f"\n{said}\n" in run.stdout.replace("$ ", "") and run.stdout.endswith("klaava> poweroff\n")
	assert "klaava: end of the input: the machine is switched off" in run.stderr


def test_run_says_how_to_quit(tiny):
	env = clean_environment(tiny(TERMINAL))
	child = pexpect.spawn(sys.executable, [str(LAUNCHER), "run"], env=env, timeout=15)
	child.expect_exact("Ctrl-\\ ends the emulator")
	child.expect_exact("klaava> ")
	child.send("\x1c")
	child.expect(pexpect.EOF)


def test_boot_time_measures_up_to_the_prompt(tiny):
	run = launch("boot-time", **tiny(TERMINAL))
	assert run.status == 0
	assert float(re.search(r"prompt: ([\d.]+) s", run.out)[1]) < 5


def test_what_a_machine_says_before_its_end_is_read_though_it_ended_first(capfd):
	here, machine = socket.socketpair()
	machine.sendall(b"last words")
	machine.close()
	quitted, kept = terminal.relay(here, lambda: False, terminal.Script(here))
	assert (quitted, kept) == (False, b"last words") and "last words" in capfd.readouterr().out
	assert terminal.relay(here, lambda: False, terminal.Script(here)) == (False, b"")
