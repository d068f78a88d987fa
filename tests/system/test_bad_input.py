"""No command line, program or disk can bring the kernel down; each gets one clear line."""

import struct
import subprocess

import pytest

from conftest import BOOT_PDA, ROOT, batch, records


@pytest.mark.parametrize("typed, hint", [
	("swithcers", "no such command"),
	("pss", "ps"),
	("ls /bin", "run ls"),
	("cr3 lgo", "log"),
	("expalin ps", "explain"),
	("walk 1", "ADDR"),
	("ps nonsense", "ps"),
	("kill 99999", "99999"),
	("space 99999", "99999"),
	("walk 1 zzz", "zzz"),
	("sym no_such_symbol", "no_such_symbol"),
	("set", "TUNABLE"),
	("set idle.space sideways", "lazy"),
	("set sched.hz 0", "sched.hz"),
	("run", "PROGRAM"),
	("x", "ADDR"),
])
def test_an_unknown_word_gets_one_line_with_what_is_meant_or_allowed(typed, hint):
	run = batch(typed)
	assert run.status == 1
	assert hint in run.out
	assert run.out.count("\n") == 1, run.out


def test_commands_in_one_another_end_before_the_stack_does():
	run = batch("time " * 26 + "ps; echo still here")
	assert run.status == 1
	assert "in one another" in run.out and run.out.endswith("still here\n")


@pytest.mark.parametrize("place", [
	"break trap_common", "break trap_dispatch", "break trap_return", "break monitor_enter",
	"break debug_entry", "break console_write", f"watchpoint {BOOT_PDA} rw 4",
	f"watchpoint {BOOT_PDA}+4 rw 4", "watchpoint kernel_lock_word rw 4",
])
@pytest.mark.parametrize("cpus", [1, 4])
def test_a_breakpoint_in_the_way_into_the_monitor_only_stops(place, cpus):
	run = batch(f"{place}; run true; go; delete all; go; run echo fine", CPUS=cpus, TIMEOUT=30)
	assert run.status in (0, 1), run.err
	assert run.out.endswith("fine\n")


def test_a_breakpoint_where_sysenter_has_no_stack_yet_is_refused():
	run = batch("break sysenter_entry")
	assert run.status == 1 and "one instruction on: sysenter_on_stack" in run.out
	assert max(map(len, run.out.splitlines())) <= 80
	run = batch("break sysenter_on_stack; run bench null_sysenter; delete all; go; run echo fine")
	assert "sysenter_on_stack" in run.out and run.out.endswith("fine\n")


def test_an_unknown_tunable_or_value_lists_what_is_allowed():
	out = batch("set space.model common").out
	assert "private" in out and "shared" in out
	out = batch("set idle.spcae lazy").out
	assert "did you mean idle.space?" in out and "sched.hz" in out


@pytest.mark.parametrize("words", ["space.model=common nosuch.thing=1", "x=y", "mem=1", "mem=4096",
                                   "mem=64K"])
def test_a_bad_word_on_the_command_line_of_a_batch_run_is_refused(words):
	run = batch("show -k", SET=words)
	assert run.status == 5 and run.out == ""
	assert words.split()[0] in run.err and run.err.count("\n") == 1


@pytest.mark.parametrize("words", ["space.model=common nosuch.thing=1", "mem=64K"])
def test_a_bad_word_on_the_command_line_is_said_and_the_kernel_boots(terminal, words):
	t = terminal(SET=words)
	assert f"{words.split()[0]}: no such value" in t.child.before
	assert "still here" in t.command("run echo still here")


def test_a_cpu_is_hung_from_a_stopped_world_too():
	# the monitor is on one of the two, and refuses to hang itself
	run = batch("stop; panic hang 0; panic hang 1; go; stop; regs cpu 0; regs cpu 1; go; echo still here",
	            CPUS=2, TIMEOUT=20)
	assert run.status in (0, 1), run.err
	assert "in spin" in run.out
	assert run.out.endswith("still here\n")


@pytest.fixture
def image(tmp_path):
	"""image(**files) -> a copy of the root disk with files written to it, then edited."""
	def copy(edit=None, files=()):
		path = tmp_path / "root.img"
		path.write_bytes((ROOT / "build/root-1024.img").read_bytes())
		for name, data in files:
			(tmp_path / "file").write_bytes(data)
			subprocess.run(["debugfs", "-w", "-R", f"write {tmp_path}/file {name}", str(path)],
			               check=True, capture_output=True)
			subprocess.run(["debugfs", "-w", "-R", f"set_inode_field {name} mode 0100755", str(path)],
			               check=True, capture_output=True)
		if edit:
			data = bytearray(path.read_bytes())
			edit(data)
			path.write_bytes(data)
		return path
	return copy


def elf(**changes):
	"""The `true` program with fields of its ELF or first program header changed."""
	data = bytearray((ROOT / "build/user/true").read_bytes())
	offsets = {"magic": 0, "bits": 4, "type": 16, "machine": 18, "entry": 24, "phoff": 28, "phnum": 44,
	           "p_offset": 52 + 4, "p_vaddr": 52 + 8, "p_filesz": 52 + 16, "p_memsz": 52 + 20}
	sizes = {"bits": "<B", "type": "<H", "machine": "<H", "phnum": "<H"}
	for field, value in changes.items():
		struct.pack_into(sizes.get(field, "<I"), data, offsets[field], value)
	return bytes(data)


BAD_PROGRAMS = [
	("empty", b""), ("text", b"hello\n" * 100), ("short", b"\x7fELF"),
	("wide", b"\x7fELF\x02\x01\x01" + b"\0" * 100),
]
BAD_ELFS = {
	"magic": dict(magic=0), "amd64": dict(machine=62), "object": dict(type=1),
	"nophdr": dict(phnum=0), "manyphdr": dict(phnum=65535), "phoff": dict(phoff=0x7fffffff),
	"kernel": dict(p_vaddr=0xc0100000), "wraps": dict(p_vaddr=0xfffff000), "huge": dict(p_memsz=0xffffffff),
	"backward": dict(p_memsz=1), "offset": dict(p_offset=0xfffffff0),
}


def test_a_corrupt_program_is_an_exec_format_error_and_leaks_nothing(image):
	bad = BAD_PROGRAMS + [(name, elf(**changes)) for name, changes in BAD_ELFS.items()]
	disk = image(files=[(f"bin/bad-{name}", data) for name, data in bad])
	# the first round fills the buffer cache
	runs = "; ".join(f"run bad-{name}" for name, _ in bad)
	run = batch(f"{runs}; mem -k; {runs}; mem -k; run echo fine", IMAGE=disk, MACHINE="count")
	assert run.status == 1
	for name, _ in bad:
		lines = [line for line in run.out.splitlines() if f"bad-{name}:" in line]
		assert len(lines) == 2, f"bad-{name}: {lines}"
		assert "exec format error" in lines[0].lower()
	before, after = (r for r in records(run.out) if "frames" in r)
	assert before == after
	assert run.out.endswith("fine\n")


def test_a_missing_program_is_one_line_and_status_1():
	run = batch("run nosuch")
	assert run.status == 1
	assert "nosuch" in run.out and run.out.count("\n") == 1


SUPERBLOCK = 1024
EXT2_MAGIC = SUPERBLOCK + 56


def put(offset, form, value):
	return lambda data: struct.pack_into(form, data, offset, value)


def inode_offset(data, number):
	"""Where inode `number` lies, by the superblock and group descriptors (1 KB blocks)."""
	per_group, = struct.unpack_from("<I", data, SUPERBLOCK + 40)
	size, = struct.unpack_from("<H", data, SUPERBLOCK + 88)
	table, = struct.unpack_from("<I", data, 2048 + 32 * ((number - 1) // per_group) + 8)
	return table * 1024 + (number - 1) % per_group * size


def root_inode(offset, form, value):
	return lambda data: struct.pack_into(form, data, inode_offset(data, 2) + offset, value)


def root_directory(offset, form, value):
	def edit(data):
		block, = struct.unpack_from("<I", data, inode_offset(data, 2) + 40)
		struct.pack_into(form, data, block * 1024 + offset, value)
	return edit


@pytest.mark.parametrize("edit, named", [
	(put(EXT2_MAGIC, "<H", 0), "superblock"),
	(put(SUPERBLOCK + 24, "<I", 77), "superblock"),
	(put(SUPERBLOCK + 32, "<I", 0), "superblock"),
	(put(SUPERBLOCK + 40, "<I", 0), "superblock"),
	(put(SUPERBLOCK + 4, "<I", 0xffffffff), "superblock"),
	(put(SUPERBLOCK + 96, "<I", 0xffff), "superblock"),
	(root_inode(0, "<H", 0), "inode 2"),
	(root_inode(40, "<I", 0xfffffff0), "inode 2"),
	(root_directory(4, "<H", 0), "directory"),
	(root_directory(4, "<H", 7), "directory"),
	(root_directory(12 + 4, "<H", 0xfff0), "directory"),
	(root_directory(0, "<I", 0xffffffff), "directory"),
], ids=["magic", "block size", "blocks a group", "inodes a group", "blocks", "features", "root mode",
        "root block", "record of no length", "record too short", "record too long", "inode number"])
def test_a_corrupt_file_system_is_an_error_that_names_it(image, edit, named, tmp_path):
	run = batch("run ls /; echo still here", IMAGE=image(edit), TIMEOUT=20, LOG=tmp_path / "log")
	assert run.status == 1, run.err
	assert run.out.endswith("still here\n")
	log = (tmp_path / "log").read_text()
	assert any("ext2" in line and named in line for line in log.splitlines()), log


@pytest.mark.parametrize("how, what", [
	("null", "null dereference"), ("kernel", "kernel memory"), ("overflow", "stack overflow"),
	("jump", "jump into data"), ("priv", "privileged instruction"), ("divide", "division by zero"),
])
def test_a_program_that_breaks_the_rules_dies_with_a_line_and_nothing_else_does(how, what):
	run = batch(f"run sleep 100 &; run crash {how}; echo still here; ps -k")
	assert "still here\n" in run.out
	names = [r.get("name") for r in records(run.out)]
	assert "crash" not in names and "sleep" in names
	assert any("crash" in line and what in line for line in run.out.splitlines()), run.out


def test_no_pointer_given_to_a_system_call_hurts_the_kernel():
	run = batch("run /tests/efault; run echo fine")
	assert run.status == 0
	assert "done" in run.out and "NOT" not in run.out and run.out.endswith("fine\n")


@pytest.mark.parametrize("cpus", [1, 2])
def test_keys_get_through_while_a_program_writes_megabytes_at_once(image, terminal, tmp_path, cpus):
	subprocess.run(["gcc", "-m32", "-nostdlib", "-static", "-no-pie", "-Wl,--build-id=none",
	                "-Wl,-Ttext=0x401000", str(ROOT / "tests/system/fixtures/flood.S"),
	                "-o", str(tmp_path / "flood")], check=True)
	disk = image(files=[("bin/flood", (tmp_path / "flood").read_bytes())])
	console = terminal(IMAGE=disk, CPUS=cpus)
	for key, answer in (("\x1d", "runs on"), ("\x1d\x1d", "stopped")):
		console.keys("run flood\r")
		console.see("\0" * 100)
		console.keys(key)
		console.see(answer)
