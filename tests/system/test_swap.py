"""Memory under pressure: what goes to the disk comes back, and nobody is hurt who need not be.

Machines of 2 and 4 MB; profiles where an order of events matters, since then it repeats.
"""

import re
import time

import pytest

from conftest import batch, good_batch, records

PATTERN = re.compile(r"pattern: (\d+) reports, (\d+) bytes checked, (\d+) words wrong, (\d+) died")


def one(text, key):
	"""The records that have `key`."""
	return [r for r in records(text) if key in r]


def swap_of(text):
	return one(text, "table_out")


def frames_in_use(text):
	"""What `mem -k` says is not free and not a cache, each time it was asked."""
	return [r["kernel"] - r["kmalloc_frames"] + r["user"] + r["tables"] for r in one(text, "frames")]


# --- integrity ------------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.parametrize("cpus,model,rounds", [
	(1, "private", 10), (1, "shared", 10), (4, "private", 3), (4, "shared", 1),
	pytest.param(4, "private", 10, marks=pytest.mark.long),
	pytest.param(4, "shared", 4, marks=pytest.mark.long)])
def test_sixteen_mb_in_a_machine_of_four_stay_what_they_were(cpus, model, rounds):
	out = good_batch(f"run pattern 4 16 1; mem -k; run pattern 4 16 {rounds}; mem -k; swap -k", MEM="4M",
	                 SWAP="48M", ROOT="ram", CPUS=cpus,
	                 SET=f"space.model={model}", TIMEOUT=400)
	found = [tuple(map(int, m)) for m in PATTERN.findall(out)]
	assert len(found) == 2, out
	reports, checked, wrong, died = found[1]
	print(f"{checked} bytes checked")
	assert wrong == 0 and died == 0
	assert reports == 4 + 4 * rounds	# no fork was refused
	assert checked >= rounds * 2 * 16 << 20
	swap, = swap_of(out)
	assert swap["data_in"] > 16 * 256 and swap["table_in"] > 0 and swap["errors"] == 0
	assert swap["used"] == 0 and swap["pages"] == 0 and swap["tables_swapped"] == 0
	before, after = frames_in_use(out)
	# a CPU may still stand on the directory of somebody dead
	assert after <= before + 3 * cpus


@pytest.mark.slow
@pytest.mark.parametrize("choice", ["swap.tables=off", "swap.invalidate=off", "fork.copy=eager",
                                    "exec.load=eager", "text.share=off"])
def test_the_other_side_of_each_choice_keeps_memory_whole_too(choice):
	out = good_batch("run pattern 3 8 2; swap -k", MEM="4M", SWAP="32M", ROOT="ram", CPUS=4, SET=choice,
	                 TIMEOUT=200)
	reports, checked, wrong, died = map(int, PATTERN.search(out).groups())
	assert wrong == 0 and died == 0 and checked > 8 << 20
	assert swap_of(out)[0]["used"] == 0


@pytest.mark.parametrize("machine,cpus", [("386-40", 1), ("486-33", 1), ("486-33", 2)])
def test_a_run_that_swaps_repeats_to_the_digit(machine, cpus):
	outs = [good_batch("time -k run pattern 2 5 1; swap -k; mem -k; cpu -k; tlb stats -k; cr3 -k",
	                   MACHINE=machine, MEM="4M", CPUS=cpus, TIMEOUT=300) for _ in range(2)]
	assert outs[0] == outs[1] and swap_of(outs[0])[0]["data_in"] > 100


# --- tables -----------------------------------------------------------------------------

SLEEPERS = "; ".join(["run sleep 400 &"] * 6)
PRESS = "run pattern 1 5 1"	# takes some 2 minutes of the machine's time: the disk's


def asleep(tables, **variables):
	return good_batch(f"{SLEEPERS}; run sleep 1; mem -k; ptmem -k; {PRESS}; mem -k; ptmem -k; swap -k; "
	                  f"run sleep 500; ps -k; mem -k; swap -k", MACHINE="386-40", TLB="off", MEM="4M",
	                  SET=f"swap.tables={tables}", TIMEOUT=300, **variables)


def sleeping(text):
	"""Rows of ptmem of the sleepers: before, and after."""
	rows = [r for r in records(text) if r.get("name") == "sleep" and "tables_swapped" in r]
	assert len(rows) == 12, rows
	return rows[:6], rows[6:]


def test_tables_of_sleeping_processes_go_and_mem_shows_their_frames_free():
	on, off = asleep("on"), asleep("off")
	for text, gone in ((on, 2), (off, 0)):
		before, after = sleeping(text)
		assert all(r["tables"] == 3 and r["tables_swapped"] == 0 for r in before), before
		assert all(r["tables"] == 3 - gone and r["tables_swapped"] == gone for r in after), after
		assert all(r["rss"] == 0 for r in after)
		tables = [r["tables"] for r in one(text, "frames")]
		swap = swap_of(text)[0]
		assert swap["tables_swapped"] == 6 * gone
		# init's and the dead one's, on which the CPU still stands, are there both times
		assert tables[0] - tables[1] >= 6 * gone - 3, tables
	difference = one(off, "frames")[1]["tables"] - one(on, "frames")[1]["tables"]
	assert difference == 12, "on frees just the tables it says"


def test_every_process_resumes_from_tables_on_the_disk():
	text = asleep("on")
	before, after = swap_of(text)
	assert after["table_in"] - before["table_in"] >= 12 and after["data_in"] > before["data_in"]
	assert not [r for r in records(text) if r.get("name") == "sleep" and "state" in r]
	assert "killed" not in text
	assert after["used"] == 0


# --- the disk fails -----------------------------------------------------------------------

def test_who_needs_a_page_that_cannot_be_read_is_killed_and_others_go_on():
	out = batch(f"run sleep 400 &; run sleep 410 &; run sleep 1; {PRESS}; swap -k; set swap.fail read; "
	            "run sleep 500; set swap.fail off; run sleep 1; ps -k; run echo still here; swap -k",
	            MACHINE="386-40", TLB="off", MEM="4M", TIMEOUT=200)
	print(out.out)
	dead = re.findall(r"^(sleep\[\d+\]: the page at 0x[0-9a-f]{8} could not be read from the swap area,)\n"
	                  r"( +eip 0x[0-9a-f]{8}: killed by SIGBUS)$", out.out, flags=re.M)
	assert dead and len(dead) == out.out.count("could not be read from the swap area")
	assert "still here" in out.out
	assert [r["name"] for r in records(out.out) if "state" in r] == ["init", "monitor"]


def test_others_than_the_one_concerned_come_back_when_the_disk_does():
	out = batch(f"run sleep 400 &; run sleep 1000 &; run sleep 1; {PRESS}; set swap.fail read; "
	            "run sleep 500; set swap.fail off; ps -k; run sleep 900; ps -k; swap -k",
	            MACHINE="386-40", TLB="off", MEM="4M", TIMEOUT=200)
	print(out.out)
	assert out.out.count("could not be read from the swap area") == 1
	tables = out.out.split("ppid=0 name=init")
	assert "name=sleep" in tables[1] and "name=sleep" not in tables[2]
	assert out.out.count("killed by") == 1


def test_pages_that_cannot_be_written_stay_and_the_biggest_process_dies():
	out = batch("run sleep 900 &; set swap.fail write; run pattern 1 6 1; set swap.fail off; "
	            "run pattern 1 5 1; run sleep 1000; ps -k; swap -k; mem -k", MACHINE="386-40", TLB="off", MEM="4M",
	            TIMEOUT=300)
	print(out.out)
	assert re.search(r"out of memory: killed pattern\[\d+\], \d+ KB, the biggest process", out.out)
	swap, = swap_of(out.out)
	assert swap["bad"] > 0 and swap["used"] == 0 and swap["errors"] > 0
	assert PATTERN.findall(out.out)[-1][2:] == ("0", "0"), "then memory is whole again"
	assert "sleep: killed" not in out.out and "name=sleep" not in out.out


# --- there is no more -----------------------------------------------------------------------

@pytest.mark.parametrize("cpus", [1, 4])
def test_two_bombs_leave_the_monitor_alive_and_all_comes_back(cpus):
	out = batch("run sleep 1; mem -k; run bomb memory &; run bomb fork &; run sleep 3; ps -k; run echo alive; "
	            "run sleep 27; echo alive too; run sleep 120; echo over; ps -k; mem -k; swap -k; run echo fine",
	            MACHINE="386-40", TLB="off", MEM="4M", CPUS=cpus, TIMEOUT=400).out
	assert re.search(r"out of memory: killed bomb\[\d+\], \d+ KB, the biggest process", out)
	assert "alive\n" in out and "alive too" in out and "fine" in out
	assert [r["name"] for r in records(out.split("over")[1]) if "state" in r] == ["init", "monitor"]
	assert not re.search(r"killed (init|monitor)", out)
	swap, = swap_of(out)
	assert swap["used"] == 0
	before, after = frames_in_use(out)
	assert after <= before + 3 * cpus


def test_without_a_swap_area_the_system_runs_and_the_biggest_dies(tmp_path):
	out = batch("swap; run sleep 5 &; run bomb memory; run echo alive; run sleep 6; ps -k; swap -k",
	            MEM="4M", SWAP="off", TIMEOUT=60, LOG=tmp_path / "log").out
	assert "cannot be read" not in (tmp_path / "log").read_text(), "it is not the disk that fails"
	assert "no swap area" in out and "alive" in out
	assert re.search(r"out of memory: killed bomb\[\d+\]", out)
	assert "sleep: killed" not in out
	assert swap_of(out)[0]["slots"] == 0


# --- two megabytes ---------------------------------------------------------------------------

def test_eight_processes_in_two_mb_hold_what_the_claim_says():
	out = good_batch("run sleepers 8 3 &; run sleep 1; ptmem -k", MACHINE="386-16", MEM="2M")
	rows = [r for r in records(out) if r.get("name") == "sleepers"]
	total, = one(out, "frames_user")
	assert len(rows) == 9 and all(r["tables"] == 3 for r in rows)
	tables = sum(r["tables"] for r in rows[1:])
	print(f"{tables} frames, {100 * tables / total['frames_user']:.1f} % of {total['frames_user']}")
	assert tables == 24, "claim A3"
	assert 5 < float(total["percent"]) < 15, "about 10 %"


def test_nine_processes_of_half_a_megabyte_get_their_work_done_in_two():
	out = good_batch("run pattern 9 4 1; run echo usable; swap -k; mem -k", MEM="2M", TIMEOUT=200)
	assert PATTERN.search(out).groups()[2:] == ("0", "0") and "usable" in out
	assert swap_of(out)[0]["data_in"] > 100 and swap_of(out)[0]["used"] == 0


@pytest.mark.slow
def test_a_long_stop_fails_no_request(terminal):
	t = terminal(MEM="4M", CPUS=4, SWAP="16M", TLB="off")
	t.command("run pattern 4 3 1000 &")
	for _ in range(3):
		time.sleep(1)
		t.command("stop")
		time.sleep(6)	# longer than a request may take
		t.command("go")
	time.sleep(2)
	answer = t.command("swap -k")
	assert one(answer, "errors")[-1]["errors"] == 0, answer
	assert "timed out" not in answer and "killed" not in answer
