"""The views of the buffer cache and of the disks: bcache, disk, drop."""

import pytest

from conftest import good_batch, launch, records

CAT = "run wc /bench/64k"
FILE = 64	# blocks of 1 KB that /bench/64k has


def batch(*commands, **variables):
	return good_batch("; ".join(commands), MACHINE="386-40", TLB="off", **variables)


def test_every_buffer_is_somebodys_or_free():
	out = records(batch(CAT, "bcache -k", "bcache files -k"))
	total = next(r for r in out if "free" in r)
	owners = [r for r in out if "ino" in r]
	assert sum(r["buffers"] for r in owners) == total["buffers"] - total["free"]
	assert [r["buffers"] for r in owners] == sorted((r["buffers"] for r in owners), reverse=True)


def test_a_file_that_was_read_is_in_the_cache_under_its_name():
	out = batch(CAT, "bcache")
	line, = [line.split() for line in out.splitlines() if line.endswith(" 64k")]
	assert int(line[0]) == FILE


def test_the_map_has_a_cell_a_buffer():
	out = batch(CAT, "bcache -k", "bcache map")
	buffers = next(r for r in records(out) if "buffers" in r)["buffers"]
	cells = [line.split()[1] for line in out.splitlines() if line[:6].strip().isdigit() and len(line.split()) == 2]
	assert sum(map(len, cells)) == buffers
	assert sum(map(lambda c: c.count("a"), cells)) == FILE	# the largest is a


def test_find_tells_what_is_there_and_what_is_not():
	out = records(batch(CAT, "bcache find 2 -k", "bcache find 3000 -k"))
	# Block 2 has the descriptors of the groups: no inode is found without them.
	assert [r["cached"] for r in out if "cached" in r] == [1, 0]


def test_disk_counts_what_the_profile_waits():
	out = batch("disk -k", CAT, "disk -k")
	before, after = ({r["name"]: r for r in records(part)} for part in (out[:out.index("64k")], out[out.index("64k"):]))
	assert after["ram0"]["read"] - before["ram0"]["read"] >= 2 * FILE
	assert after["model"]["ns_turn"] > before["model"]["ns_turn"] > 0


def test_without_a_disk_model_nothing_is_waited_for():
	out = records(good_batch(f"{CAT}; disk -k", MACHINE="count", TLB="off"))
	model = next(r for r in out if r.get("name") == "model")
	assert [model[k] for k in ("ns_seek", "ns_turn", "ns_move")] == [0] * 3


def test_no_file_has_more_buffers_than_blocks_however_often_it_was_written():
	out = good_batch("run save 8 4 8 0 keep; bcache files -k; sync; bcache files -k")
	rows = records(out)
	newest = sorted({r["ino"] for r in rows})[-8:]	# of 8 KB each, in blocks of 1 KB
	saved = [r["buffers"] for r in rows if r["ino"] in newest]
	assert saved == [8] * 16
	# Nor are the blocks of older versions somebody else's: their buffers are free.
	assert all(r["buffers"] < 64 for r in rows if r["ino"] == 0)


@pytest.mark.parametrize("mon,said", [
	("bcache find 99999", "block 99999: the disk has blocks 0 to "),
	("bcache find -1", "-1: not a number from 0 to 4294967295\n"),
	("bcache map -k", "bcache map: a picture, without records; `bcache files -k` has them\n"),
	("set cache 3", "cache: no such tunable; there are\n  cache.size "),
	("set cache.size 99999999999999999999999999", "9" * 16 + ": not a value; cache.size is dynamic"),
	("disk z", "usage: disk\n"),
])
def test_a_question_that_has_no_answer_says_which_have(mon, said):
	run = launch("batch", MON=mon)
	assert run.status == 1 and run.out.startswith(said) and "idle.space" not in run.out
	assert max(map(len, run.out.splitlines())) <= 80
