"""`build`, the compile-like workload: it builds the same here and on Klaava, and notices a lost byte."""

import re
import shutil
import subprocess

import pytest

from conftest import PATIENCE, good_batch, make

FILES = 12


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
	"""The directory of programs, for this host."""
	out = tmp_path_factory.mktemp("programs") / "bin"
	made = make("user-host", HOST="native", USER_HOST=out)
	assert made.status == 0, made.err
	return out


@pytest.fixture(scope="module")
def on_image(tmp_path_factory):
	"""The folder of sources that is on the image as /src."""
	path = tmp_path_factory.mktemp("image") / "root"
	made = make("image", IMAGE=f"{path}.img")
	assert made.status == 0, made.err
	return path.with_name("root.stage.late") / "src"


@pytest.fixture
def sources(on_image, tmp_path):
	"""The same, to change something in."""
	return shutil.copytree(on_image, tmp_path / "src")


def run(programs, *words):
	done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=PATIENCE,
	                      env={"PATH": str(programs)})
	return done.returncode, done.stdout, done.stderr


def build(programs, sources, files=FILES):
	"""What it said; it must have been good, and have left nothing."""
	status, out, err = run(programs, "build", files, sources, sources.parent / "obj")
	assert (status, err) == (0, "") and re.fullmatch(r"build: .*checksum [0-9a-f]{8}\n", out)
	assert not (sources.parent / "obj").exists()
	return out


def test_a_build_says_on_klaava_what_it_says_on_linux_again_and_again(programs, on_image, tmp_path):
	sources = shutil.copytree(on_image, tmp_path / "src")
	expected = build(programs, sources, 500)
	names = (on_image / "files").read_text().split()
	assert expected.startswith(f"build: {len(names)} files, ") and len(names) >= 60
	assert good_batch("run build; run build", TIMEOUT=PATIENCE) == 2 * expected


@pytest.mark.parametrize("variables", [{"CPUS": 4}, {"MEM": "2M"},
                                       {"MACHINE": "386-40", "TLB": "off", "SET": "space.model=shared"}])
def test_a_build_says_the_same_on_any_machine(programs, sources, variables):
	assert good_batch(f"run build {FILES}", TIMEOUT=PATIENCE, **variables) == build(programs, sources)


def test_a_build_says_the_same_on_a_disk_of_large_blocks(programs, sources, tmp_path):
	made = make("image", BLOCK=4096, IMAGE=tmp_path / "large.img")
	assert made.status == 0, made.err
	assert good_batch(f"run build {FILES}", IMAGE=tmp_path / "large.img") == build(programs, sources)


def test_a_build_leaves_the_disk_as_it_was():
	out = good_batch(
		"run ls /; echo between; run build 5; echo between; run ls /")
	before, _, after = out.split("between\n")
	assert before == after and "src" in before and "obj" not in before


def test_one_other_byte_in_a_header_gives_another_checksum(programs, sources):
	before = build(programs, sources)
	header = sources / "kernel/lib/types.h"
	text = header.read_bytes()
	for at in (4, len(text) // 2, len(text) - 1):	# the first is in a comment
		header.write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1:])
		assert build(programs, sources) != before
	header.write_bytes(text)
	assert build(programs, sources) == before


def test_a_header_is_read_once_for_a_source_and_looked_for_beside_it_first(programs, tmp_path):
	(tmp_path / "kernel/a").mkdir(parents=True)
	(tmp_path / "kernel/a.c").write_text('#include "b.h"\n#include "b.h"\n#include "c.h"\n')
	(tmp_path / "kernel/b.h").write_text('#include "c.h"\nint b;\n')
	(tmp_path / "kernel/c.h").write_text("/* #include \"no.h\" */ int c;\n")
	(tmp_path / "c.h").write_text("not this one\n")
	(tmp_path / "files").write_text("kernel/a.c\n")
	size = sum(p.stat().st_size for p in (tmp_path / "kernel").glob("*.*"))
	status, out, err = run(programs, "build", 1, tmp_path, tmp_path / "obj")
	assert (status, err) == (0, "") and f"1 files, {size} bytes read" in out


def test_a_missing_header_is_named_and_nothing_stays_behind(programs, sources):
	(sources / "kernel/lib/types.h").unlink()
	status, out, err = run(programs, "build", FILES, sources, sources.parent / "obj")
	assert status == 1 and not out and re.search(r"^compile: kernel/\S+:\d+: no header lib/types.h$", err, re.M)
	assert not (sources.parent / "obj").exists()


def test_an_object_that_lost_a_byte_is_not_linked(programs, sources, tmp_path):
	made = tmp_path / "made.o"
	assert run(programs, "compile", sources / "kernel/lib/string.c", made, sources / "kernel") == (0, "", "")
	assert run(programs, "linkobj", tmp_path / "out", made, made) == (0, "", "")
	made.write_bytes(made.read_bytes()[:-1] + bytes([made.read_bytes()[-1] ^ 1]))
	status, _, err = run(programs, "linkobj", tmp_path / "out", made)
	assert (status, err) == (1, f"linkobj: {made}: not what was written\n")
	made.write_bytes(made.read_bytes()[:-1])
	assert run(programs, "linkobj", tmp_path / "out", made)[0] == 1
