"""The tunables of the buffer cache do in a booted kernel what they say."""

import re
import subprocess

import pytest

from conftest import ROOT, batch, good_batch, records

FILE = "/boot/klaava.lines"
TIMED = {"MACHINE": "386-40", "TLB": "off"}


def of(text, key):
	"""The records that have this key, in order."""
	return [r for r in records(text) if key in r]


def cold_read(**variables):
	"""(milliseconds, cache, disk) of reading FILE when no block of it is in memory."""
	out = good_batch(f"run wc {FILE}; drop; bcache -k; disk -k; time run wc {FILE}; bcache -k; disk -k",
	                 **{**TIMED, **variables})
	took = float(re.search(r"([\d.]+) ms", out).group(1))
	deltas = []
	for key in ("readahead", "requests"):
		before, after = of(out, key)[:2]
		deltas.append({k: after[k] - v for k, v in before.items() if isinstance(v, int)})
	return took, *deltas


def test_what_lies_behind_a_block_comes_along_with_it():
	slow, one_by_one, disk_1 = cold_read(SET="cache.readahead=0")
	fast, together, disk_16 = cold_read()
	assert one_by_one["readahead"] == 0 < together["readahead"] < together["reads"]
	assert together["reads"] < 1.5 * one_by_one["reads"]
	assert disk_16["requests"] < disk_1["requests"] / 2
	assert fast < slow / 2


@pytest.mark.parametrize("memory, kb", [(2, 512), (4, 1536), (6, 2048), (12, 4096)])
def test_096c_had_its_cache_from_the_beginning(memory, kb):
	out = good_batch(f"bcache -k; run wc {FILE}; drop; bcache -k", MEM=f"{memory}M", SET="cache.size=096c",
	                 **TIMED)
	sizes = [r["buffers"] * r["size"] // 1024 for r in of(out, "readahead")]
	assert sizes == [kb, kb]


def test_a_size_in_kb_may_be_set_while_it_runs_and_undone():
	out = good_batch(f"set cache.size 512; bcache -k; set cache.size 128; bcache -k; show cache.size;"
	                 f"run wc {FILE}; bcache -k; set cache.size dynamic; run wc {FILE}; bcache -k")
	buffers = [r["buffers"] for r in of(out, "readahead")]
	assert buffers[:3] == [512, 128, 128]
	assert "cache.size       128        (dynamic | 096c | 64 to 65536)" in out
	refused = batch("set cache.size 63")
	assert refused.status == 1 and "cache.size is dynamic | 096c | 64 to 65536" in refused.out


def test_a_fixed_cache_keeps_its_memory_from_programs():
	"""A dynamic cache makes way for a program that needs the memory, a fixed one does not."""
	dynamic, fixed = (of(good_batch(f"run wc {FILE}; run pattern 1 2 1; bcache -k", MEM="4M",
	                                SET=f"cache.size={size}", **TIMED), "readahead")[0]
	                  for size in ("dynamic", "1024"))
	assert fixed["buffers"] == 1024 > dynamic["buffers"]


def test_half_the_density_is_half_the_buffers_in_the_same_memory():
	dense, sparse = (good_batch(f"bcache -k; mem -k", SET=f"cache.size=1024 cache.density={n}", **TIMED)
	                 for n in (4, 2))
	assert of(dense, "frames")[0]["cache"] == of(sparse, "frames")[0]["cache"] == 256
	assert of(dense, "readahead")[0]["buffers"] == 2 * of(sparse, "readahead")[0]["buffers"] == 1024


def test_reads_that_are_made_to_fail_are_errors_of_who_reads_and_counted():
	run = batch(f"set disk.fail read; run wc {FILE}; set disk.fail off; run wc {FILE}; disk -k", **TIMED)
	assert run.status == 1 and "error" in run.out
	assert f"{FILE}" in run.out	# wc read it in the end
	assert of(run.out, "errors")[0]["errors"] > 0


def test_a_machine_that_only_reads_writes_nothing_and_has_no_flusher():
	out = good_batch(f"run wc {FILE}; run sleep 7; bcache -k; disk -k; ps", **TIMED)
	assert of(out, "writes")[0]["writes"] == of(out, "written")[0]["written"] == 0
	assert "flusher" not in out


@pytest.mark.parametrize("policy", ["lru", "clock", "fifo"])
def test_a_policy_reads_the_same_bytes_when_the_cache_is_too_small(policy):
	out = good_batch(f"run wc {FILE} /boot/klaava.lines; run wc {FILE}; bcache -k",
	                 SET=f"cache.policy={policy} cache.size=64")
	words = {line.split()[0] for line in out.splitlines() if line.endswith(FILE)}
	assert len(words) == 1
	assert of(out, "readahead")[0]["buffers"] == 64


def test_what_a_fixed_cache_leaves_is_enough_to_run_programs():
	out = good_batch(f"run wc {FILE}; mem -k", MEM="2M", SET="cache.size=65536", **TIMED)
	assert FILE in out


def dirty_after(seconds, **variables):
	"""How many buffers are dirty so long after a file was copied."""
	out = good_batch(f"run cp {FILE} /copy; run sleep {seconds}; bcache -k; ps", **{**TIMED, **variables})
	return of(out, "readahead")[0]["dirty"]


def test_what_changed_is_written_after_cache_flush_seconds():
	assert dirty_after(3) > 40
	assert dirty_after(7) == 0
	assert dirty_after(3, SET="cache.flush=1") == 0


def test_without_a_flusher_it_stays_until_sync():
	assert dirty_after(20, SET="cache.flush=0") > 40
	out = good_batch(f"run cp {FILE} /copy; run sync; bcache -k", SET="cache.flush=0", **TIMED)
	assert of(out, "readahead")[0]["dirty"] == 0


def test_through_leaves_nothing_dirty_and_takes_longer():
	def took(write):
		out = good_batch(f"time run cp {FILE} /copy; bcache -k", SET=f"cache.write={write}", **TIMED)
		return float(re.search(r"([\d.]+) ms", out)[1]), of(out, "readahead")[0]["dirty"]
	(back, later), (through, now) = took("back"), took("through")
	assert later > 40 and now == 0 and through > 2 * back


def fsck(image):
	"""What e2fsck says of an image that nobody uses."""
	found = subprocess.run(["/sbin/e2fsck", "-fn", str(image)], capture_output=True, text=True)
	return found.returncode, found.stdout


def test_writes_that_are_made_to_fail_are_an_error_of_fsync_and_lose_nothing(tmp_path):
	kept = tmp_path / "kept"
	run = batch(f"run cp {FILE} /copy; set disk.fail write; run sync /copy; bcache -k; set disk.fail off; "
	            f"run sync /copy; bcache -k; run cmp {FILE} /copy; run sync", KEEP=kept, **TIMED)
	assert run.status == 1 and "sync" in run.out
	failed, worked = of(run.out, "readahead")
	assert failed["dirty"] > 40 and worked["dirty"] == 0
	assert fsck(kept)[0] == 0, fsck(kept)[1]


@pytest.mark.parametrize("more", ["", "cache.size=64", "cache.size=096c cache.density=2 cache.policy=fifo",
                                  "cache.policy=clock disk.elevator=off cache.write=through"])
def test_a_small_machine_copies_more_than_its_cache_holds(more, tmp_path):
	kept = tmp_path / "kept"
	out = good_batch("run cp -r /src/kernel/fs /copy; run du /copy; run sync; bcache -k",
	                 KEEP=kept, MEM="2M", SET=more, TIMEOUT=300, **TIMED)
	assert of(out, "readahead")[0]["dirty"] == 0
	assert fsck(kept)[0] == 0, fsck(kept)[1]
	listed = subprocess.run(["/sbin/debugfs", "-R", "rdump /copy " + str(tmp_path), str(kept)],
	                        capture_output=True, text=True)
	source = ROOT / "kernel/fs"
	names = sorted(p.name for p in (tmp_path / "copy").iterdir())
	assert len(names) > 10, listed.stderr
	for name in names:
		assert (tmp_path / "copy" / name).read_bytes() == (source / name).read_bytes()
