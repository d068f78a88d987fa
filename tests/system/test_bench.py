"""bench: the counts are what the baseline says, the same each time, and it runs on Linux too."""

import re
import subprocess
import sys

import pytest

from conftest import PDA, PATIENCE, ROOT, batch, good_batch, records

sys.path.insert(0, str(ROOT / "tests"))
import bench

pytestmark = pytest.mark.skipif(PDA != "gs", reason="the baseline is the gs build's")
NAMES = list(bench.baseline()[0])


@pytest.fixture(scope="session")
def counts():
	return bench.measure()


@pytest.mark.xdist_group("bench")
@pytest.mark.parametrize("name", NAMES)
def test_an_operation_takes_as_many_instructions_as_the_baseline_says(counts, name):
	then, made_by = bench.baseline()
	if made_by != bench.compiler():
		pytest.skip(f"the baseline is {made_by}'s, this kernel {bench.compiler()}'s")
	change = bench.change(counts[name], then[name])
	assert abs(change) <= bench.MOST, \
		f"{name}: {then[name]} -> {counts[name]} instructions, {change:+.1%}; {bench.UPDATE}"


@pytest.mark.xdist_group("bench")
def test_every_operation_is_in_the_baseline(counts):
	assert list(counts) == NAMES


@pytest.mark.parametrize("cpus", [1, 4])
def test_two_runs_of_bench_say_the_same(cpus):
	first, second = (good_batch("bench", MACHINE="count", CPUS=cpus, TIMEOUT=120) for _ in range(2))
	assert first == second
	assert [line.split()[0] for line in first.splitlines()] == NAMES


def test_bench_measures_what_it_is_asked_for():
	out = good_batch("bench stat getppid -k; bench stat", MACHINE="count")
	assert [r["name"] for r in records(out)] == ["stat", "getppid"]
	assert re.search(r"^stat +\d+$", out, re.M)


@pytest.mark.parametrize("model", ["private", "shared"])
def test_bench_runs_in_both_models_without_a_profile(model):
	out = good_batch("bench -k", SET=f"space.model={model}", TIMEOUT=120)
	assert [r["name"] for r in records(out)] == NAMES and all(r["ticks"] for r in records(out))


def test_bench_refuses_what_it_does_not_know():
	run = batch("bench nosuch")
	assert run.status == 1 and "no such operation; there are\n  null_int80" in run.out
	assert max(map(len, run.out.splitlines())) <= 80


def test_the_same_file_runs_on_linux(host32, tmp_path):
	program = host32.folder("user") / "bench"
	(tmp_path / "64k").write_bytes(b"x" * 65536)
	done = subprocess.run([program, "-k", "-d", tmp_path], capture_output=True, text=True, timeout=PATIENCE,
	                      check=True)
	# SYSENTER as bench makes it is a convention of Klaava's.
	assert [r["name"] for r in records(done.stdout)] == [n for n in NAMES if n != "null_sysenter"]
