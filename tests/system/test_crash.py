"""The power is cut while a machine writes: its disk can be repaired, and what was promised is there.

powercut.py has the means, and says what they rest on.  make test-crash looks at more moments.
"""

import pytest

import powercut

ORDERED = "cache.order=on cache.flush=1"
AS_IN_1992 = "cache.order=off cache.flush=1"


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
	return powercut.make_disk(tmp_path_factory.mktemp("disk"))


def check(judge):
	print(powercut.summary(judge))
	assert judge.wrong == []
	assert judge.counts["fsynced"] > judge.counts["disks"]


@pytest.mark.parametrize("settings, count", [
	(ORDERED, 100),
	pytest.param(f"{ORDERED} cache.write=through", 50, marks=pytest.mark.slow),
	pytest.param(f"{AS_IN_1992}", 50, marks=pytest.mark.slow),
	pytest.param(f"{AS_IN_1992} cache.write=through", 30, marks=pytest.mark.slow),
])
def test_any_write_may_be_the_last(disk, tmp_path, settings, count):
	judge = powercut.crash_by_record(disk, settings, tmp_path, seed=1, operations=300, count=count)
	check(judge)
	assert judge.counts["disks"] == count
	if "off" not in settings:
		assert judge.counts["asked"] == 0
	if "through" not in settings:
		assert judge.counts["aged"] > 10	# the flusher was put to the test, too


@pytest.mark.slow
def test_a_killed_machine_leaves_what_it_promised(disk, tmp_path):
	check(powercut.crash_by_kill(disk, ORDERED, tmp_path, seed=1, operations=200, count=5))


def test_the_judge_notices_what_is_lost(disk, tmp_path):
	"""As if fsync() did nothing: each line is taken as said, and the disk is the empty one."""
	judge = powercut.Judge(disk, ORDERED, tmp_path)
	promises = judge.promises()
	promises.take(powercut.parse("scribble: 5 fsynced d0/f1 700 1", 0))
	judge.judge(disk.read_bytes(), promises, "nothing written")
	assert judge.wrong == ["nothing written: d0/f1: not there, not Text(size=700, seed=1)"]
