"""Several processors: all of them work, and all of them stop."""

import time

import pytest

from conftest import good_batch, records


@pytest.mark.parametrize("cpus", [1, 2, 4, 8])
def test_every_processor_has_a_pda_of_its_own(cpus):
	out = good_batch("pda -k", CPUS=cpus)
	rows = [r for r in records(out) if "addr" in r]
	assert [r["cpu"] for r in rows] == list(range(cpus))
	assert len({r["addr"] for r in rows}) == cpus


def test_four_programs_run_on_four_processors_at_once():
	spins = "; ".join(["run spin 0.5 &"] * 4)
	out = good_batch(f"{spins}; run sleep 0.3; ps -k; cpu -k", MACHINE="count", CPUS=4)
	rows = records(out)
	programs = [r for r in rows if r.get("name") == "spin"]
	assert len({r["cpu"] for r in programs}) == 4
	# each gets nearly a whole processor: as many ticks as processor 0 has had since boot
	elapsed = next(r["ticks"] for r in rows if r.get("cpu") == 0 and "apic" in r)
	assert len(programs) == 4 and elapsed >= 30
	assert min(r["ticks"] for r in programs) >= 0.8 * elapsed


def test_two_programs_share_one_processor_fairly():
	out = good_batch("run spin 1 &; run spin 1 &; run sleep 0.5; ps -k", MACHINE="count", TIMEOUT=120)
	ticks = [r["ticks"] for r in records(out) if r.get("name") == "spin"]
	assert len(ticks) == 2 and abs(ticks[0] - ticks[1]) <= 0.2 * max(ticks)


def test_a_break_in_stops_all_though_one_spins_with_interrupts_off(terminal):
	t = terminal(CPUS=4)
	t.command("panic hang 2")
	began = time.monotonic()
	t.keys("\x1d\x1d")
	t.see("[Ss]topped", timeout=10)
	t.prompt()
	assert time.monotonic() - began < 2
	rows = [r for r in records(t.command("pda -k")) if "addr" in r]
	assert len(rows) == 4


def test_unmapping_is_seen_by_all_processors():
	out = good_batch("run forktree 4; run switchers 8 50; cr3 -k", CPUS=4)
	assert [r for r in records(out) if r.get("cpu") == "all"]
