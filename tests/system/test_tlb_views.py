"""The views of the TLB model: tlb, tlb stats, tlb explain, tlb clear, cr3's misses."""

import re

import pytest

from conftest import batch, good_batch, records

WORDS = {"space-gone", "unmapped", "new-frame", "new-rights", "clean-again"}
KERNEL_VPN = 0xC0000
DIRECT_VPNS = 0x38000	# the kernel's direct mapping: frame = page - KERNEL_VPN

# A process about to end, stopped in a function that other pages of it called.
AT_FINISH = "break switchers:finish; run switchers 2 9 8; "


def counted(mon, tlb="386", **variables):
	return good_batch(mon, MACHINE="count", TLB=tlb, **variables)


def entries(text):
	return [r for r in records(text) if "way" in r and "valid" in r]


def stats(text):
	return [r for r in records(text) if "miss_flush" in r]


def parts(text):
	"""What `tlb explain -k` says, a record a part."""
	return [r for r in records(text) if "hit" in r]


@pytest.mark.parametrize("tlb, sizes", [
	("386", {"unified": (8, 4)}),
	("pentium", {"instructions": (8, 4), "data": (16, 4), "large": (2, 4)}),
	("custom:entries=12,ways=3,replacement=lru", {"unified": (4, 3)}),
])
def test_stats_and_entries_agree(tlb, sizes):
	out = counted("run switchers 4 20; tlb -k; tlb stats -k", tlb, CPUS=2)
	for row in stats(out):
		here = [e for e in entries(out) if row["cpu"] in (e["cpu"], "all")]
		assert row["hits"] + row["misses"] == row["references"]
		assert row["references"] == row["fetches"] + row["reads"] + row["writes"]
		assert row["miss_first"] + row["miss_replaced"] + row["miss_flush"] == row["misses"]
		assert sum(row[f"{part}_misses"] for part in sizes) == row["misses"]
		for part in sizes:
			assert row[f"{part}_valid"] == sum(e["valid"] for e in here if e["part"] == part)
	*each, total = stats(out)
	assert total["cpu"] == "all" and len(each) == 2
	for key, value in total.items():
		if isinstance(value, int) and key != "geometry":
			assert value == sum(row[key] for row in each), key
	for cpu in (0, 1):
		places = [(e["part"], e["set"], e["way"]) for e in entries(out) if e["cpu"] == cpu]
		assert sorted(places) == sorted((part, s, w) for part, (sets, ways) in sizes.items()
		                                for s in range(sets) for w in range(ways))


@pytest.mark.parametrize("tlb", ["386", "486", "pentium", "custom:entries=64,ways=64"])
def test_entries_are_what_the_page_tables_say_or_stale_for_a_reason(tlb):
	stop = AT_FINISH + "tlb -k"
	pid = int(re.findall(r"^CPU 0, (\d+) switchers", counted(stop + "; delete all; go", tlb), re.M)[0])
	out = counted(f"{stop}; pt {pid} -k; delete all; go", tlb)	# a repeatable machine: the same stop
	valid = [e for e in entries(out) if e["valid"]]
	assert valid and all(e["stale"] in WORDS | {"-"} for e in valid)
	kernel = [e for e in valid if KERNEL_VPN <= e["vpn"] < KERNEL_VPN + DIRECT_VPNS]
	assert kernel
	for e in kernel:
		assert e["space"] == 0 and e["pfn"] == e["vpn"] - KERNEL_VPN and "U" not in e["flags"]
	user = [e for e in valid if e["vpn"] < KERNEL_VPN and e["stale"] == "-"]
	assert user
	runs = [r for r in records(out) if "pages" in r]
	for e in user:
		assert f"/{pid}" in e["owner"]
		run, = (r for r in runs if r["first"] >> 12 <= e["vpn"] <= r["last"] >> 12)
		assert e["pfn"] == (run["frame"] >> 12) + run["step"] * (e["vpn"] - (run["first"] >> 12))
		assert ("W" in e["flags"]) == ("W" in run["flags"]) and "U" in e["flags"]
		assert "D" not in e["flags"] or "D" in run["flags"]


def test_what_a_dead_process_left_is_stale_and_says_why():
	out = counted("run true; tlb -k; tlb", "custom:entries=64,ways=64,replacement=lru")
	left = [e for e in entries(out) if e["valid"] and e["vpn"] < KERNEL_VPN]
	assert left and all(e["stale"] == "unmapped" for e in left)
	assert out.count("stale: unmapped") == len(left)
	assert f"{len(left)} stale" in out


@pytest.mark.parametrize("model", ["private", "shared"])
def test_every_cpu_has_entries_that_agree(model):
	out = counted("run switchers 8 20; run forktree 3; tlb -k", CPUS=4, SET=f"space.model={model}")
	assert {e["cpu"] for e in entries(out) if e["valid"]} == {0, 1, 2, 3}
	assert all(e["stale"] in WORDS | {"-"} for e in entries(out) if e["valid"])


@pytest.mark.parametrize("tlb", ["386", "486", "pentium", "custom:entries=64,ways=64"])
def test_explain_tells_a_page_just_touched_from_one_never_touched(tlb):
	out = counted("break switchers:main; run switchers 2 2; step; regs -k; tlb explain 4 400000 -k; "
	              "echo @; tlb explain c0f00000 -k; echo @; tlb explain 4 500000 -k; delete all; go", tlb)
	touched, never, absent = (parts(text) for text in out.split("@"))
	eip = next(r["eip"] for r in records(out) if "eip" in r)
	assert eip >> 12 == 0x400
	assert touched[0]["hit"] == 1 and touched[0]["mapped"] == 1 and touched[0]["vpn"] == 0x400
	assert all(part["hit"] == 0 and part["mapped"] == 1 for part in never)
	assert all(part["hit"] == 0 and part["mapped"] == 0 for part in absent)
	found = [e for e in entries(out.split("@")[0]) if e["vpn"] == 0x400]
	assert found[0]["way"] == touched[0]["way"] and found[0]["set"] == touched[0]["set"]


def test_explain_names_the_set_its_entries_and_who_goes():
	names = ("schedule", "trap_common", "space_switch", "memcpy", "frame_alloc", "buffer_look")
	out = counted("run true; " + "; ".join(f"tlb explain {n} -k; sym {n} -k; echo @" for n in names)
	              + "; tlb explain schedule")
	*blocks, text = out.split("@")
	hits = 0
	for name, block in zip(names, blocks):
		part, = parts(block)
		addr, = (r["addr"] for r in records(block) if r.get("symbol") == name)
		assert part["linear"] == addr and part["set"] == addr >> 12 & 7
		rivals = entries(block)
		assert [e["way"] for e in rivals] == [0, 1, 2, 3] and part["victim"] in range(4)
		assert all(e["set"] == part["set"] and e["vpn"] & 7 == part["set"] for e in rivals if e["valid"])
		there = [e["way"] for e in rivals if e["valid"] and e["vpn"] == addr >> 12]
		assert (part["hit"], part["way"]) == ((1, there[0]) if there else (0, "-"))
		hits += part["hit"]
	assert hits, "none of what was just run is in the TLB"
	assert "next to go" in text and ("HIT" in text) != ("MISS" in text)


def test_explain_says_what_the_last_flush_cost():
	out = counted("run switchers 2 9; tlb explain schedule -k; tlb explain schedule; tlb explain c0f00000")
	part, = parts(out)
	assert part["dropped"] == 1 and part["charged"] == 1
	first, second = out.split("MODEL")[1:]
	assert "(switch, pid" in first and "1 miss since, charged to it" in first
	assert "it cost it nothing" in second


def test_a_process_that_left_its_directory_misses():
	out = counted("run sleep 9 &; run sleep 0.1; tlb explain 4 400000 -k; tlb explain 4 400000")
	part, = parts(out)
	assert part["hit"] == 0 and part["flushed_before"] == 1 and "loads CR3" in out


def test_marks_are_for_what_came_since_the_last_look():
	out = counted("run true; tlb -k; echo @; tlb -k; echo @; run switchers 2 9; tlb -k; echo @; "
	              "tlb clear; tlb -k")
	first, again, later, cleared = ([e["new"] for e in entries(text) if e["valid"]] for text in out.split("@"))
	assert all(first) and not any(again) and any(later) and not any(cleared)


def test_clear_begins_the_counts_anew_and_not_the_model():
	out = counted("run switchers 2 9; tlb stats -k; tlb clear; tlb stats -k; tlb stats")
	before, after = (r for r in stats(out) if r["cpu"] == "all")
	assert after["misses"] < before["misses"] / 10 and after["flushes"] == 0
	assert after["hits"] + after["misses"] == after["references"]
	assert after["unified_valid"] == before["unified_valid"]
	assert "since tlb clear" in out


@pytest.mark.parametrize("cpus", [1, 4])
def test_misses_of_each_load_add_up(cpus):
	out = counted("run switchers 4 20; cr3 -k; cr3 log -k; tlb stats -k; cr3; cr3 log 3", CPUS=cpus)
	counts = [r for r in records(out) if "avoided" in r]
	log = [r for r in records(out) if "pid_from" in r]
	assert sum(r["loads"] + r["avoided"] for r in counts if r["cpu"] == "all") == len(log) <= 256
	total = counts[-1]["misses"]
	assert total == sum(r["misses"] for r in counts[:-1]) == sum(r["misses"] for r in log) > 0
	assert all(r["misses"] == 0 for r in log if not r["loaded"])
	assert max(r["misses"] for r in log) <= 32
	assert stats(out)[-1]["miss_flush"] >= total


def test_the_views_fit_80_columns_and_a_screen():
	views = "tlb; tlb stats; tlb explain schedule; tlb explain 1 400000; tlb clear; explain tlb; explain cr3; cr3"
	for tlb in ("386", "pentium", "custom:entries=16,ways=1,replacement=random", "custom:entries=64,ways=64"):
		out = counted(f"run switchers 2 5; {views}", tlb, CPUS=2)
		assert [line for line in out.splitlines() if len(line) > 80] == []
	assert len(counted("tlb").splitlines()) <= 21	# and watch's two, and the cursor's


@pytest.mark.parametrize("cpus", [1, 4])
def test_two_runs_print_the_same_bytes(cpus):
	mon = ("run switchers 8 20; tlb; tlb -k; tlb stats -k; tlb explain schedule; cr3 -k; cr3 log -k; "
	       "tlb clear; run forktree 2; tlb stats")
	assert counted(mon, CPUS=cpus) == counted(mon, CPUS=cpus)


def test_without_a_model_one_line_says_how_to_get_one():
	for view in ("tlb -k", "tlb stats", "tlb stats -k", "tlb explain schedule", "tlb clear"):
		run = batch(view)
		assert run.status == 1
		line, = run.out.splitlines()
		assert "No TLB model" in line and "TLB=386" in line
	text = good_batch("tlb; cr3")
	assert "No TLB model" in text and "TLB=386" in text and "tlb probe" in text
	assert text.splitlines()[-1].split()[-1] == "-"
	assert records(good_batch("cr3 -k"))[-1]["misses"] == 0


def test_bad_arguments_get_one_line():
	for bad in ("tlb 9", "tlb 0 1", "tlb x", "tlb stats 1", "tlb clear 1", "tlb explain",
	            "tlb explain 400000", "tlb explain 77 0", "tlb explain 2 0", "tlb explain 1 nosuch"):
		run = batch(bad, MACHINE="count", TLB="386")
		assert run.status == 1 and len(run.out.splitlines()) == 1, bad


def test_the_title_says_model_and_the_probe_says_processor():
	out = counted(AT_FINISH + "tlb; ps -k; delete all; go")
	assert "MODEL 386" in out and "not the processor's own" in out
	pid = re.findall(r"^CPU 0, (\d+) switchers", out, re.M)[0]
	out = counted(AT_FINISH + f"tlb probe {pid}; delete all; go")
	assert "The processor itself, not a model" in out


def test_watch_keeps_to_its_screen(terminal):
	t = terminal(TLB="386")
	t.command("run spin 60 &")
	t.keys("watch 1 tlb\r")
	for _ in range(2):
		t.see(r"CPU 0: MODEL 386")
		t.see(r"new since the last look; \d+ stale")
	t.keys("q")
	screen = t.prompt()
	assert "more" not in screen
