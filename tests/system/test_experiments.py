"""Experiments repeat to the digit and say what must be so; machine profiles are what they say."""

import csv
import subprocess
import sys

import pytest

from conftest import ROOT, batch, clean_environment, good_batch, make, records

sys.path.insert(0, str(ROOT / "lessons"))
import experiments
from profiles import Profile, Refused, machines

EXPERIMENTS = sorted(experiments.files())
REAL = [m for m in machines() if m != "count"]
OLD = ["386-16", "386-40"]


def run_experiment(name, **variables):
	"""A reduced run: its table, and the rows of its CSV."""
	done = subprocess.run([sys.executable, "-B", str(ROOT / "lessons/experiments.py"), name],
	                      cwd=ROOT, env=clean_environment({"REDUCED": "1", **variables}),
	                      capture_output=True, text=True, timeout=600)
	print(done.stdout, done.stderr)
	assert done.returncode == 0
	with open(ROOT / f"build/experiments/{name}-reduced.csv") as file:
		rows = [{k: int(v) if v.lstrip("-").isdigit() else v for k, v in row.items()}
		        for row in csv.DictReader(file)]
	return done.stdout, rows


@pytest.fixture(scope="module")
def reduced():
	"""reduced(name) -> table and rows, run once in this module."""
	done = {}
	def once(name):
		if name not in done:
			done[name] = run_experiment(name)
		return done[name]
	return once


# The tests that share a run stay on one worker.
pytestmark = pytest.mark.xdist_group("experiments")


# --- experiments -----------------------------------------------------------------------

@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_prints_the_same_table_twice(reduced, name):
	first = reduced(name)
	assert run_experiment(name, JOBS="1") == first


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_table_fits_80_columns(reduced, name):
	table, rows = reduced(name)
	assert rows and max(map(len, table.splitlines())) <= 80


@pytest.mark.slow
def test_a_ring_in_one_directory_never_loads_cr3_nor_misses_by_a_flush(reduced):
	rows = [r for r in reduced("flush-cost")[1] if r["model"] == "shared"]
	assert rows
	for r in rows:
		assert r["loads"] == 0 and r["last_loads"] == 0 and r["last_misses"] == 0, r
		assert r["processes"] == 1 or r["avoided"] == r["switches"] == r["turns"], r


@pytest.mark.slow
def test_a_ring_of_private_processes_pays_for_each_switch_but_never_more_than_the_tlb_holds(reduced):
	rows = [r for r in reduced("flush-cost")[1] if r["model"] == "private" and r["processes"] > 1]
	assert rows
	for r in rows:
		assert r["loads"] == r["switches"] == r["turns"], r
		assert 0 < r["miss_flush"] <= 32 * r["loads"], r
		assert 0 < r["last_most"] <= 32, r
		assert r["misses"] == r["miss_first"] + r["miss_replaced"] + r["miss_flush"], r


@pytest.mark.slow
def test_lazy_saves_loads_where_there_is_idling_and_none_where_there_is_not(reduced):
	rows = [r for r in reduced("idle-cr3")[1] if r["build"] == "compared"]
	def loads(work, idle):
		row, = [r for r in rows if r["work"] == work and r["idle"] == idle]
		return row["loads"]
	assert loads("4 sleepers", "lazy") < loads("4 sleepers", "eager") * 3 / 4
	assert loads("ring of 8", "lazy") == loads("ring of 8", "eager") > 0


@pytest.mark.slow
def test_the_comparison_before_a_load_takes_some_few_instructions(reduced):
	rows = [r for r in reduced("idle-cr3")[1] if "yielding" in r["work"]]
	def instructions(build, n):
		row, = [r for r in rows if r["build"] == build and r["work"] == f"{n} yielding"]
		return row["instructions"] / 3200
	switch = {b: instructions(b, 2) - instructions(b, 1) for b in ("compared", "always")}
	assert 1 <= switch["compared"] - switch["always"] <= 20 < switch["always"]


@pytest.mark.slow
def test_who_copies_at_once_pays_for_all_and_who_promises_for_what_is_written(reduced):
	rows = [r for r in reduced("fork-copy")[1] if r["work"] == "fork"]
	def of(copy, child, key, parent=0):
		row, = [r for r in rows if (r["copy"], r["child"], r["parent"]) == (copy, child, parent)]
		return row[key] / 16
	for child in (0, 32, 64):
		assert of("cow", child, "faults") >= child
		assert of("eager", child, "faults") == 0
		assert of("eager", child, "instructions") > 64 * 1024
	assert of("cow", 0, "instructions") * 4 < of("eager", 0, "instructions")
	assert of("cow", 64, "instructions") > of("eager", 64, "instructions")
	assert of("cow", 0, "faults", parent=64) >= 64 > of("eager", 0, "faults", parent=64)
	assert of("cow", "vfork", "instructions") == of("eager", "vfork", "instructions")


@pytest.mark.slow
def test_frames_are_taken_for_what_is_copied_read_and_not_shared(reduced):
	rows = reduced("fork-copy")[1]
	def user(**keys):
		row, = [r for r in rows if all(r[k] == v for k, v in keys.items())]
		return row["user"]
	live = lambda copy, child: user(work="live", copy=copy, child=child)
	assert live("cow", 64) == live("cow", 0) + 4 * 64
	assert live("eager", 64) == live("eager", 0)
	# of the few pages beside the 64, a child may leave one unwritten
	assert 0 <= live("eager", 64) - live("cow", 64) <= 4
	running = lambda load, share, n: user(work="share", load=load, share=share, n=n)
	for load in ("demand", "eager"):
		assert running(load, "off", 4) == 4 * running(load, "off", 1)
		assert running(load, "on", 1) == running(load, "off", 1)
		assert running(load, "on", 4) - running(load, "on", 1) == 3 * 2	# data and stack
	load = {(r["load"], r["used"]): r for r in rows if r["work"] == "load"}
	assert load["eager", 1]["cold_reads"] == load["eager", 32]["cold_reads"] == load["demand", 32]["cold_reads"]
	assert load["demand", 1]["cold_reads"] * 4 < load["eager", 1]["cold_reads"]
	assert load["eager", 32]["warm_faults"] == 0 < load["demand", 32]["warm_faults"]


@pytest.mark.slow
def test_a_process_needs_a_directory_and_two_tables_and_more_where_its_pages_lie_apart(reduced):
	table, rows = reduced("table-overhead")
	for r in rows:
		n = r["processes"]
		pages = 1 if r["layout"] == "dense" else 8
		assert r["dir"] == (n if r["model"] == "private" else 0), r
		assert r["tables"] - r["dir"] == n * (pages + 1), r
		assert r["swapped"] == 0 and r["entries"] == r["rss"], r
	claim, = [r for r in rows if r["mb"] == 2 and r["processes"] == 8 and r["layout"] == "dense" and
	          r["model"] == "private"]
	assert experiments.load("table-overhead").mapping_all(claim) == 24 + 8 * (1 + 1)
	assert claim["tables"] == 24 and 5 < 100 * claim["all_tables"] / claim["frames_user"] < 15
	assert "8 processes hold 24," in table


@pytest.mark.slow
def test_tables_on_the_disk_come_back_with_their_pages_and_only_if_they_may_go(reduced):
	table, rows = reduced("table-swap")
	for layout in ("dense", "sparse"):
		off, on = ([r for r in rows if r["layout"] == layout and r["tables"] == side][0]
		           for side in ("off", "on"))
		assert off["on_disk"] == off["table_in"] == 0
		assert on["table_in"] == on["on_disk"] > 0, "each is read once"
		assert on["frames_held"] == off["frames_held"] - on["on_disk"] == on["processes"]
		assert on["reads"] > off["reads"] and on["ns"] > off["ns"]
		assert on["data_in"] >= 16 * on["processes"] and on["faults"] > 0
		assert abs(on["ns_warm"] - off["ns_warm"]) < on["ns_warm"] / 20, "nothing is on the disk"
	assert "A4" in table


@pytest.mark.slow
def test_too_little_memory_is_a_cliff(reduced):
	rows = reduced("thrash")[1]
	low, high = min(r["kb"] for r in rows), max(r["kb"] for r in rows)
	for beside in ("alone", "sleepers"):
		for tables in ("on", "off"):
			little, enough = ([r for r in rows if (r["kb"], r["beside"], r["tables"]) == (kb, beside, tables)][0]
			                  for kb in (low, high))
			assert enough["data_in"] == enough["table_in"] == enough["reads"] == 0
			assert little["data_in"] > 4 * 16 * 12, "at least half of a round's pages, each round"
			assert little["ns"] > 1000 * enough["ns"]
			assert (little["table_in"] > 0) == (tables == "on")
	assert {r["asleep_tables"] for r in rows if r["kb"] == low and r["beside"] == "sleepers"} == {0, 32}


@pytest.mark.slow
def test_pages_in_use_go_only_where_nobody_flushes_and_only_on_another_processor(reduced):
	rows = reduced("accessed-stale")[1]
	for r in rows:
		stale = r["cpus"] > 1 and r["model"] == "private" and r["invalidate"] == "off"
		assert (r["data_in"] > 20) if stale else (r["data_in"] == 0), r


@pytest.mark.slow
def test_a_first_run_has_a_star_whatever_the_design_and_it_is_the_disk(reduced):
	table, rows = reduced("first-run")
	assert {r["model"] for r in rows} == {"shared", "private"} and {r["idle"] for r in rows} == {"lazy", "eager"}
	assert len({r[f"sum_{run}"] for r in rows for run in (1, 2, 3)}) == 1, "all built the same"
	for r in rows:
		again = max(r["ns_2"], r["ns_3"])
		star = r["ns_1"] - again
		assert star * 20 > again
		assert r["cache_reads_1"] > 50 and 20 * max(r["cache_reads_2"], r["cache_reads_3"]) < r["cache_reads_1"]
		assert r["instructions_1"] < 1.05 * r["instructions_3"], "the processor does the same work"
		assert experiments.load("first-run").waiting(r, 1) > 0.7 * star / 1e9
	slow, fast = (pick(r["ns_3"] for r in rows) for pick in (max, min))
	assert (slow - fast) * 10 < star, "that of a design is none"
	assert table.count("*") >= 3 * len(rows) and "10:36*" in table


@pytest.mark.slow
def test_less_memory_shows_where_the_cache_does_not_hold_what_is_read(reduced):
	rows = reduced("small-machine")[1]
	assert len({r[f"sum_{run}"] for r in rows for run in (1, 2)}) == 1, "all built the same"
	def of(*variant):
		row, = [r for r in rows if (r["mb"], r["size"], r["density"]) == variant]
		return row
	assert all(r["cache_reads_2"] == 0 for r in rows if r["mb"] == 16), "16 MB hold all"
	four, two = of(16, "dynamic", 4), of(16, "dynamic", 2)
	assert four["buffers_2"] == two["buffers_2"] and 1.8 * four["frames_2"] < two["frames_2"]
	for mb in (2, 16):
		assert of(mb, "096c", 4)["frames_2"] == of(mb, "096c", 2)["frames_2"], "it has its size"
	little = of(2, "096c", 2)
	assert little["cache_reads_2"] > 50 and little["buffers_2"] <= 2 * little["frames_2"]
	assert little["ns_2"] > max(r["ns_2"] for r in rows if r["mb"] == 16)


@pytest.mark.slow
def test_lru_keeps_what_is_used_again_where_fifo_does_not(reduced):
	rows = reduced("cache-policy")[1]
	reads = {(r["kb"], r["policy"]): r["reads"] for r in rows}
	assert reads[88, "lru"] < reads[88, "clock"] < reads[88, "fifo"]
	assert reads[64, "lru"] > 2 * reads[88, "lru"], "too small a cache is none"


@pytest.mark.slow
def test_written_back_less_reaches_the_disk_and_sooner_costs_more(reduced):
	rows = {(r["write"], r["flush"]): r for r in reduced("write-back")[1]}
	through, back, never = rows["through", 0], rows["back", 5], rows["back", 0]
	assert through["blocks"] > 5 * back["blocks"] > 5 * never["blocks"] > 0
	assert through["ns"] > 2 * back["ns"] and through["requests"] > 10 * back["requests"]


@pytest.mark.slow
def test_a_crash_loses_nothing_that_was_fsynced_and_with_order_nobody_is_asked(reduced):
	rows = reduced("crash")[1]
	assert sum(r["fsynced"] for r in rows) > 10 and sum(r["made_lost"] for r in rows) > 0
	for r in rows:
		assert r["fsynced_lost"] == r["broken"] == 0, r
		assert r["oldest_lost"] <= 1000 * experiments.load("crash").FLUSH + 1000, r
		assert r["order"] == "off" or not r["asks"], r


def test_make_experiment_without_a_name_lists_them():
	run = make("experiment")
	assert run.status == 0
	assert all(name in run.out for name in EXPERIMENTS)


@pytest.mark.parametrize("variables, hint", [
	({"NAME": "nosuch"}, "flush-cost"),
	({"NAME": "flush-cost", "JOBS": "many"}, "1 to 99"),
	({"NAME": "flush-cost", "REDUCED": "yes"}, "allowed: 1"),
])
def test_a_wrong_word_to_experiment_gets_one_line(variables, hint):
	run = make("experiment", **variables)
	assert run.status == 5
	line, = [l for l in run.err.splitlines() if l.startswith("klaava: ")]
	assert hint in line and not run.out


# --- machine profiles ------------------------------------------------------------------

@pytest.mark.parametrize("variables, hints", [
	({"MACHINE": "386-99"}, REAL + ["count"]),
	({"MACHINE": "386-40", "TLB": "387"}, ["386", "486", "pentium", "custom", "off"]),
	({"MACHINE": "386-40", "TLB": "custom:entries=30,ways=4"}, ["ways does not divide entries"]),
])
def test_an_unknown_machine_or_geometry_lists_the_known_ones(variables, hints):
	run = batch("echo x", **variables)
	assert run.status == 5 and not run.out
	assert len(run.err.splitlines()) == 1 and all(hint in run.err for hint in hints), run.err


@pytest.mark.parametrize("text, hint", [
	("mhz = 40\ncpi = 4.5\n", "has no icount_shift"),
	("mhz = fast\ncpi = 4.5\nicount_shift = 7\n", "bad.profile:1: mhz = fast: allowed: a number above 0"),
	("mhz = 40\ncpi = 4.5\nicount_shift = 3\n", "not the nearest"),
	("mhz = 40\ncpi = 4.5\nicount_shift = 7\ncolour = beige\n", "bad.profile:4: `colour = beige`"),
	("mhz = 40\ncpi = 4.5\nicount_shift = 7\nwp = maybe\n", "allowed: on or off"),
])
def test_a_bad_profile_gets_one_line(tmp_path, monkeypatch, text, hint):
	(tmp_path / "bad.profile").write_text(text)
	monkeypatch.setattr("profiles.HERE", tmp_path)
	with pytest.raises(Refused) as refused:
		Profile("bad")
	assert hint in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("machine", REAL)
def test_the_kernels_clock_runs_in_modelled_time(machine):
	out = good_batch("tlb stats -k; tlb stats -k; time -k run spin 0.5; tlb stats -k; "
	                 "time -k run sleep 1", MACHINE=machine, SET="disk.rpm=0")
	stats, again, spun, after, slept = [r for r in records(out) if "ns" in r or r.get("cpu") == 0]
	# what asking takes by itself is known from asking twice
	asking = again["instructions"] - stats["instructions"]
	modelled = (after["instructions"] - again["instructions"] - asking) * Profile(machine).ns
	assert abs(modelled - spun["ns"]) < 0.01 * spun["ns"]
	assert 1e9 <= slept["ns"] < 1.05e9 and 99 <= slept["ticks"] <= 105


@pytest.mark.parametrize("machine", OLD)
@pytest.mark.parametrize("cpus", [1, 4])
def test_a_kernel_on_a_386_uses_neither_invlpg_nor_write_protection(machine, cpus):
	out = good_batch("run switchers 4 20 4; run forktree 3; run /tests/fork_cow; run /tests/efault; "
	                 "run /tests/mmap_anon; tlb stats -k", MACHINE=machine, CPUS=cpus, MEM="16M")
	stats = [r for r in records(out) if "page_flushes" in r]
	assert len(stats) >= cpus
	assert all(r["page_flushes"] == 0 and r["wp_writes"] == 0 and r["flushes"] > 0 for r in stats
	           if r["cpu"] == 0)
	assert all(r["page_flushes"] == 0 and r["wp_writes"] == 0 for r in stats)


def test_a_kernel_on_a_486_uses_both():
	out = good_batch("run /tests/fork_cow; tlb stats -k", MACHINE="486-33")
	stats = [r for r in records(out) if "page_flushes" in r][-1]
	assert stats["page_flushes"] > 0 and stats["wp_writes"] > 0


@pytest.mark.parametrize("program", ["fork_cow", "efault", "mmap_anon", "brk_heap", "signals",
                                     "stack_growth", "pipes"])
def test_programs_say_on_a_386_what_they_say_elsewhere(program):
	run = lambda **v: good_batch(f"run /tests/{program}", MACHINE="count", **v)
	assert run() == run(SET="cpu.wp=off cpu.invlpg=off") == run(SET="page.global=on") != ""


def test_global_pages_survive_the_loads_of_cr3():
	def flush_misses(pages):
		out = good_batch("run switchers 4 100 4; tlb stats -k; cr3 -k", MACHINE="486-33",
		                 TLB="486:global=1", SET=f"page.global={pages}")
		return [r for r in records(out) if "miss_flush" in r][-1]["miss_flush"]
	assert flush_misses("on") * 4 < flush_misses("off")


def test_global_pages_with_four_processors():
	good_batch("run forktree 4; run switchers 8 50 4; run /tests/fork_cow", CPUS=4,
	           SET="page.global=on")


def test_a_tunable_given_by_hand_wins_over_the_profile():
	out = good_batch("show -k", MACHINE="386-40", SET="cpu.invlpg=on")
	values = {r["name"]: r["value"] for r in records(out)}
	assert values["cpu.invlpg"] == "on" and values["cpu.wp"] == "off"


@pytest.mark.parametrize("cpus", [1, 4])
def test_a_profiled_run_prints_the_same_bytes_twice(cpus):
	run = lambda: good_batch("run switchers 8 100; tlb stats -k; cr3 -k", MACHINE="386-40", CPUS=cpus)
	assert run() == run()


def test_a_person_can_sit_at_a_profiled_machine(terminal):
	machine = terminal(MACHINE="386-40")
	assert "cpu.invlpg" in machine.command("show cpu.invlpg")
	assert "TLB model 386" in machine.command("tlb stats")
