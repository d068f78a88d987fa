"""The disk of a machine profile takes the time that a disk of 1992 would have taken."""

import re

import pytest

from conftest import good_batch, records

FILE = "/boot/klaava.lines"
TURN_MS = 60000 / 3300
SECTOR_MS = TURN_MS / 53
SEEK_MAX_MS = 27


def read_cold(**variables):
	"""(milliseconds, disk reads) of reading FILE with an empty cache."""
	out = good_batch(f"run wc {FILE}; drop; bcache -k; time run wc {FILE}; bcache -k",
	                 **{"MACHINE": "386-40", "TLB": "off", **variables})
	before, after = (r["reads"] for r in records(out) if "reads" in r)
	return float(re.search(r"([\d.]+) ms", out).group(1)), after - before


def test_a_read_takes_a_seek_a_turn_and_the_transfer_at_most():
	waited, reads = read_cold()
	at_once, as_many = read_cold(SET="disk.rpm=0")
	assert reads == as_many > 30
	assert waited - at_once > reads * 2 * SECTOR_MS
	assert waited - at_once < reads * (SEEK_MAX_MS + TURN_MS + 2 * SECTOR_MS)


def test_a_disk_that_turns_faster_or_seeks_less_is_faster():
	waited, _ = read_cold()
	turns_faster, _ = read_cold(SET="disk.rpm=7200")
	seeks_slower, _ = read_cold(SET="disk.seek_min=50000 disk.seek_max=60000")
	assert turns_faster < waited < seeks_slower


def test_what_is_swapped_takes_the_same_disks_time():
	def took(**more):
		out = good_batch("time run pattern 1 3 1; disk -k", MACHINE="386-40", MEM="2M", TLB="off", **more)
		counts = re.search(r"name=ram0 requests=(\d+) read=(\d+) written=(\d+)", out)
		return float(re.search(r"([\d.]+) ms", out)[1]), *map(int, counts.groups())
	waited, requests, read, written = took()
	at_once, *_ = took(SET="disk.rpm=0")
	transfer = (read + written) * SECTOR_MS
	assert written > 1000
	assert transfer < waited - at_once < transfer + requests * (SEEK_MAX_MS + TURN_MS)


def test_others_run_while_the_disk_turns():
	out = good_batch(f"run wc {FILE}; drop; run spin 9 &; run wc {FILE}; ps -k",
	                 MACHINE="386-40", TLB="off")
	spin = next(r for r in records(out) if r.get("name") == "spin")
	assert spin["ticks"] > 15


@pytest.mark.parametrize("cpus", [1, 4])
def test_two_runs_wait_to_the_same_nanosecond(cpus):
	first, second = (good_batch(f"time run wc {FILE}; drop; time run readfile {FILE}; cr3 log 20 -k",
	                            MACHINE="386-16", CPUS=cpus) for _ in range(2))
	assert first == second


def test_a_machine_without_a_model_does_not_wait():
	assert good_batch("show disk.rpm", MACHINE="count").split()[:2] == ["disk.rpm", "0"]
