"""Programs may call the kernel by SYSENTER, where the processor has it."""

import pytest

from conftest import ROOT, batch, good_batch, make, records

pytestmark = pytest.mark.slow
GUESTS = ("fork_cow", "vfork_exec", "signals", "signal_calls", "stop_continue", "mmap_anon", "thread_area",
          "wait_status", "efault", "files", "pipes", "nonblock")


@pytest.fixture(scope="module")
def image(tmp_path_factory):
	"""A disk whose programs are built with SYSCALL=sysenter."""
	disk = tmp_path_factory.mktemp("sysenter") / "root.img"
	assert make("image", SYSCALL="sysenter", IMAGE=disk).status == 0
	assert b"\x0f\x34" in (ROOT / "build/user-sysenter/echo").read_bytes()	# the instruction
	return disk


@pytest.mark.parametrize("cpus,model", [(1, "private"), (4, "shared")])
def test_programs_say_the_same_by_either_way(image, cpus, model):
	mon = "; ".join(f"run /tests/{name}" for name in GUESTS) + "; run sh -c \"ls -l /bin | wc; echo a | cat\""
	by = [batch(mon, CPUS=cpus, SET=f"space.model={model}", TIMEOUT=200, **how) for how in ({}, {"IMAGE": image})]
	assert by[0].status == by[1].status == 0
	def comparable(run):	# sizes of programs and pids differ
		return [l for l in run.out.splitlines() if "killed by" not in l and "eip" not in l]
	assert comparable(by[0]) == comparable(by[1])


def test_it_takes_more_instructions_and_a_processor_that_has_it(image):
	out = good_batch("run bench -k null_int80 null_sysenter", MACHINE="count")
	ticks = {r["name"]: r["ticks"] for r in records(out)}
	assert ticks["null_int80"] < ticks["null_sysenter"] <= 80
	run = batch("run bench null_sysenter", MACHINE="386-40")
	assert run.status == 1 and run.out.startswith("bench: null_sysenter needs Klaava, and a processor that has it\n")
	run = batch("run true; run echo alive", IMAGE=image, SET="cpu.sysenter=off")
	assert run.status == 1 and "killed by SIGSEGV" in run.out
	assert "privileged instruction" in run.out
