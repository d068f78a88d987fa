"""Debate A's instrument: loads of CR3, counted, with reasons, the same in every run."""

import pytest

from conftest import all_cpus, good_batch, records

REASONS = ("boot", "switch", "idle", "exec", "exit", "flush", "shootdown")


def grown(before, after):
	return {key: after[key] - before[key] for key in after if isinstance(after[key], int)}


def counts(mon, **variables):
	"""What `cr3 -k` counted while the commands ran, on a repeatable machine."""
	out = good_batch(f"cr3 -k; {mon}; cr3 -k", MACHINE="count", **variables)
	return grown(*all_cpus(out))


@pytest.fixture(scope="module")
def private():
	return counts("run switchers 8 200", SET="space.model=private")


@pytest.fixture(scope="module")
def shared():
	return counts("run switchers 8 200", SET="space.model=shared")


def test_loads_grow_with_the_switches(private):
	few = counts("run switchers 8 20", SET="space.model=private")
	assert private["switches"] >= 8 * 200
	assert private["switch"] >= 8 * 200
	assert few["switches"] * 5 < private["switches"]
	assert few["loads"] * 5 < private["loads"]


def test_shared_spaces_make_the_same_switches_without_loads(private, shared):
	assert abs(shared["switches"] - private["switches"]) <= private["switches"] // 100
	# between the eight: none.  What is left is starting and ending.
	assert shared["switch"] <= 8
	assert shared["avoided"] >= 8 * 200


@pytest.mark.parametrize("cpus", [1, 4])
@pytest.mark.parametrize("model", ["private", "shared"])
def test_loads_are_the_sum_over_reasons(cpus, model):
	out = good_batch("run switchers 4 50; run forktree 3; cr3 -k", MACHINE="count", CPUS=cpus,
	                 SET=f"space.model={model}")
	rows = [r for r in records(out) if "loads" in r]
	assert [r["cpu"] for r in rows] == [*range(cpus), "all"]
	for row in rows:
		assert row["loads"] == sum(row[reason] for reason in REASONS)
	for key in ("loads", "avoided", "switches", *REASONS):
		assert rows[-1][key] == sum(row[key] for row in rows[:-1])


@pytest.fixture(scope="module")
def idleness():
	return {side: counts("run sleepers 4 2", SET=f"idle.space={side}") for side in ("lazy", "eager")}


def test_a_lazy_idle_task_loads_less_than_an_eager_one(idleness):
	assert idleness["lazy"]["loads"] < idleness["eager"]["loads"]
	assert idleness["lazy"]["idle"] == 0 < idleness["eager"]["idle"]


@pytest.mark.parametrize("side", ["lazy", "eager"])
def test_every_switch_is_a_load_or_an_avoided_one(idleness, side):
	c = idleness[side]
	assert c["switch"] + c["idle"] + c["avoided"] == c["switches"]


def test_the_log_has_a_reason_for_every_event():
	out = good_batch("run switchers 2 5; cr3 log -k", MACHINE="count")
	events = [r for r in records(out) if "reason" in r]
	assert events
	for event in events:
		assert set(event) >= {"t", "cpu", "from", "to", "pid_from", "pid_to", "reason", "loaded"}
		assert event["reason"] in REASONS
		assert event["loaded"] in (0, 1)
	assert [e["t"] for e in events] == sorted(e["t"] for e in events)


@pytest.mark.parametrize("cpus", [1, 4])
def test_two_runs_under_a_profile_are_the_same_bytes(cpus):
	mon = "run switchers 8 50; ps -k; cr3 -k; cr3 log -k; mem -k; pda -k"
	first, second = (good_batch(mon, MACHINE="count", CPUS=cpus) for _ in range(2))
	assert first == second


@pytest.mark.slow
def test_runs_that_idle_much_on_several_processors_are_the_same_bytes():
	# idling is where QEMU's own threads could decide what happens first
	mon = "run sleepers 4 20; ps -k; cr3 -k; irq -k"
	assert len({good_batch(mon, MACHINE="count", CPUS=2) for _ in range(6)}) == 1


def test_the_model_is_for_the_next_program_and_inherited_by_fork():
	out = good_batch("run sleepers 2 1 &; set space.model shared; run sleepers 2 1 &; run sleep 0; ps -k",
	                 MACHINE="count", SET="space.model=private")
	models = [r["model"] for r in records(out) if r.get("name") == "sleepers"]
	assert sorted(models) == ["private"] * 3 + ["shared"] * 3
