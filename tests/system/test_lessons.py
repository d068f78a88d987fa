"""Lessons: their shape, the language of what must hold, and a student's walk."""

import sys

import pexpect
import pytest

from conftest import ROOT, clean_environment, make

sys.path.insert(0, str(ROOT / "lessons"))
import holds
import runner
from lesson import Lesson, wrap

CR3 = "text\ncpu=0 loads=7 switch=4 exec=3 name=a\ncpu=1 loads=5 switch=5 exec=0 name=b\n" \
      "cpu=all loads=12 switch=9 exec=3\n"


def value(query):
	return holds.Statement(f"x = {query}", 1).query.value(CR3)


@pytest.mark.parametrize("query, expected", [
	("cr3 -k [cpu=all] loads", 12),
	("cr3 -k [cpu=all] switch+exec", 12),
	("sum cr3 -k [cpu!=all] loads", 12),
	("least cr3 -k [cpu!=all] loads", 5),
	("most cr3 -k [cpu!=all] switch+exec", 7),
	("count cr3 -k loads", 3),
	("count cr3 -k [cpu=9] loads", 0),
	("cr3 -k [cpu=1] name", "b"),
])
def test_a_query_takes_a_field_of_records(query, expected):
	assert value(query) == expected


@pytest.mark.parametrize("query", ["cr3 -k loads", "cr3 -k [cpu=9] loads", "cr3 -k [cpu=0] nosuch",
                                   "least cr3 -k [cpu=9] loads"])
def test_a_query_that_is_not_one_value_is_an_error(query):
	with pytest.raises(holds.Wrong):
		value(query)


@pytest.mark.parametrize("claim, expected", [
	("a + b * 2 == 11", True),
	("a - b > 0", False),
	("b / a * 3 == 4", True),
	("1 < a < b and not a == b", True),
	("name == 'x' or a > 100", True),
	("-a < 0", True),
])
def test_a_claim_compares_values_exactly(claim, expected):
	assert holds.evaluate(holds.parse(claim), {"a": 3, "b": 4, "name": "x"}) is expected


@pytest.mark.parametrize("claim", ["__import__('os')", "a.b", "a[0]", "[a]", "lambda: 1", "a ** 9",
                                   "nosuch > 1", "a / 0 == 1", "'x' < 1", "1.5 > a"])
def test_the_language_can_compute_and_nothing_else(claim):
	with pytest.raises(holds.Wrong):
		holds.evaluate(holds.parse(claim), {"a": 3})


LESSON = """# Small

<!-- machine: CPUS=2 SET='a=b c=d' -->
Some words that are long enough to be wrapped at the width that a terminal has, I think.

```predict
guess: How many?
```
```holds
before = cr3 -k [cpu=all] loads
```
```monitor
run it
```
```holds
after = cr3 -k [cpu=all] loads
grown = after - before
compare guess grown
grown == 3    # it was run
loads = cr3 -k [cpu=all] loads
```
```show
grew by {grown}, {grown / 2} each
```
"""


@pytest.fixture
def small(tmp_path):
	def written(text=LESSON):
		folder = tmp_path / "07-small"
		folder.mkdir(exist_ok=True)
		(folder / "lesson.md").write_text(text)
		return Lesson(folder / "lesson.md")
	return written


def test_a_lesson_is_prose_and_steps(small):
	lesson = small()
	assert lesson.title == "Small"
	assert lesson.variables == {"CPUS": "2", "SET": "a=b c=d"}
	assert [s.kind for s in lesson.steps if s.kind != "prose"] == \
		["predict", "holds", "monitor", "holds", "show"]
	assert "machine:" not in wrap(lesson.steps[0].lines)
	assert max(map(len, wrap(lesson.steps[0].lines).splitlines())) <= 78


def test_a_quote_is_still_one_when_it_is_wrapped():
	said = ["Said then:", "", "> **A1**: " + "slower " * 9, "> " + "and slower " * 5, "", "Now us."]
	lines = wrap(enumerate(said, 1)).splitlines()
	quoted = [line for line in lines if line.startswith("> ")]
	assert len(lines) == 4 + len(quoted) and len(quoted) > 1 and max(map(len, lines)) <= 78
	assert " ".join(line[2:] for line in quoted) == "**A1**: " + "slower " * 9 + ("and slower " * 5).strip()


@pytest.mark.parametrize("old, new, line", [
	("grown == 3 ", "grown == ", 19),
	("guess: How many?", "How many?", 7),
	("[cpu=all] loads\n```\n```monitor", "[all] loads\n```\n```monitor", 10),
	("{grown / 2} each\n```", "{grown / 2} each", 23),
])
def test_a_lesson_with_a_mistake_names_lesson_and_line(small, old, new, line):
	with pytest.raises(holds.Wrong, match=f"lessons/07-small/lesson.md:{line}: "):
		small(LESSON.replace(old, new, 1))


def machine(before, after):
	"""A pretended batch run: cr3 -k counts `before`, then `after`."""
	counts = iter([before, after])
	def run_batch(variables):
		out = ""
		for command in variables["MON"].split("; "):
			if command.startswith("echo "):
				out += command[5:] + "\n"
			elif command == "cr3 -k":
				out += f"cpu=0 loads={next(counts)}\n".replace("cpu=0", "cpu=all")
			else:
				out += "ran\n"
		return 0, out
	return run_batch


def test_a_lesson_holds_in_batch(small):
	assert runner.test_lesson(small(), machine(4, 7)) == []


def test_what_does_not_hold_is_named_with_lesson_line_and_values(small):
	failures = runner.test_lesson(small(), machine(4, 6))
	assert len(failures) == 1
	assert failures[0].startswith("lessons/07-small/lesson.md:19: does not hold: grown == 3  (grown = 2)")
	assert "it was run" in failures[0]


class Typed:
	"""A pretended live machine."""

	def __init__(self):
		self.loads = 4
		self.commands = []

	def command(self, line):
		self.commands.append(line)
		if line == "run it":
			self.loads += 3
		return f"cpu=all loads={self.loads}\n" if line == "cr3 -k" else f"output of {line}\n"


def walk(lesson, answers):
	told = []
	typed = Typed()
	w = runner.Walk(lesson, typed, ask=lambda prompt: answers.pop(0), tell=told.append)
	return w.go(), "\n".join(told), typed.commands


def test_a_student_predicts_types_and_compares(small):
	failures, told, commands = walk(small(), ["9", "ps", ""])
	assert failures == 0
	assert commands == ["cr3 -k", "ps", "run it", "cr3 -k"]
	assert "output of ps" in told and "output of run it" in told
	assert "You said 9; the machine says 3." in told
	assert "holds: grown == 3  (it was run)" in told
	assert "grew by 3, 1.50 each" in told


def test_a_student_may_skip_and_is_told_what_did_not_hold(small):
	failures, told, commands = walk(small(), ["9", ":next"])
	assert failures == 1
	assert max(map(len, told.splitlines())) <= 80
	assert commands == ["cr3 -k", "cr3 -k"]
	assert "does not hold: grown == 3" in " ".join(told.split())


def test_every_command_of_a_lesson_fits_the_kernels_command_line():
	from options import LONGEST_COMMAND_LINE
	for lesson in runner.lessons():
		mon = "; ".join(f"echo {runner.MARK} 00; {c}" for c in runner.commands(lesson))
		assert len(mon) < LONGEST_COMMAND_LINE - 100, lesson.name


def test_lines_of_lessons_are_at_most_80_columns():
	for lesson in runner.lessons():
		for number, line in enumerate(lesson.path.read_text().splitlines(), 1):
			# a reason behind a statement may be longer: nobody wraps it
			assert len(line) <= 80 or "  # " in line, lesson.where(number)


def test_a_number_at_the_beginning_of_a_line_is_no_list_item_inside_a_sentence():
	said = ["The table is of", "64. More words.", "", "1. one", "   goes on", "2. two", "- three"]
	assert wrap(enumerate(said, 1)).splitlines() == \
		["The table is of 64. More words.", "", "1. one goes on", "2. two", "- three"]


@pytest.mark.slow
@pytest.mark.parametrize("number", [int(l.name[:2]) for l in runner.lessons()])
def test_a_student_walks_through_a_lesson_on_a_live_machine(number):
	child = pexpect.spawn("make", ["-s", "lesson", f"N={number}"], cwd=str(ROOT), timeout=60,
	                      env=clean_environment({"TERM": "dumb"}), encoding="utf-8")
	asked = run = 0
	said = []
	while True:
		what = child.expect([r"\n\? [^\n]*(\n  [^\n]*)?\? ", r"\nklaava> ", pexpect.EOF])
		said.append(child.before + (child.after if what < 2 else ""))
		if what == 2:
			break
		asked += what == 0
		run += what == 1
		child.send("42\r" if what == 0 else "\r")
	child.close()
	assert child.exitstatus == 0, child.before
	assert "Everything held" in child.before
	assert not [line for line in "".join(said).splitlines() if len(line) > 80]
	assert asked >= 2 and run >= 5


def test_an_unknown_lesson_lists_those_there_are():
	run = make("lesson", N=99)
	assert run.status != 0
	assert "no lesson `99`" in run.err and "One number" in run.err


def test_switching_the_machine_off_ends_a_lesson_in_peace():
	child = pexpect.spawn("make", ["-s", "lesson", "N=1"], cwd=str(ROOT), timeout=60,
	                      env=clean_environment({"TERM": "dumb"}), encoding="utf-8")
	child.expect(r"\nklaava> ")
	child.send("poweroff\r")
	child.expect_exact("The machine is switched off, and with it the lesson.")
	child.expect(pexpect.EOF)
	child.close()
	assert child.exitstatus == 0 and "rror" not in child.before


def test_a_student_can_leave_a_lesson():
	child = pexpect.spawn("make", ["-s", "lesson", "N=1"], cwd=str(ROOT), timeout=60,
	                      env=clean_environment({"TERM": "dumb"}), encoding="utf-8")
	child.expect(r"\nklaava> ")
	child.send(":quit\r")
	child.expect_exact("Until next time")
	child.expect(pexpect.EOF)
	child.close()
	assert child.exitstatus == 0
