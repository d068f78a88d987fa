#!/usr/bin/env python3
"""runner.py - walk a student through a lesson, or check that all lessons hold.

	runner.py show N     lesson N on a live Klaava, step by step in this terminal
	runner.py test       all lessons in batch; names lesson and line of what does not hold
	runner.py list

Both do the same steps in the same order.  A student's machine is live and typed at;
the test's is a repeatable one (MACHINE=count, if the lesson names none) that gets all
commands at boot, each between two `echo` marks that tell whose output is whose.
"""

import re
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "monitor/machines"))

import options
from holds import Wrong, evaluate, fill, shown
from lesson import WIDTH, lessons, wrap
from machine import Machine

MARK = "@step"
ANSWER = 14	# columns behind a question
HELP = "Enter runs the command shown; or type your own.  :next skips, :quit ends."


def commands(lesson):
	"""Every monitor command of a lesson, in the order in which it is run."""
	for step in lesson.steps:
		if step.kind == "monitor":
			yield from (line for _, line in step.lines)
		yield from asked(step)


def asked(step):
	"""What a holds block asks the machine: each command once, so that all fields taken
	from it belong to one moment."""
	return list(dict.fromkeys(s.query.command for s in step.statements if s.query))


def check(lesson, statement, values):
	"""Evaluate a statement that asks the machine nothing.  None if it holds (or claims
	nothing), else why it does not."""
	value = evaluate(statement.tree, values)
	if statement.kind == "value":
		values[statement.name] = value
	elif statement.kind == "claim" and not value:
		known = ", ".join(f"{n} = {shown(values[n])}" for n in statement.names())
		because = f"\n  it should, because: {statement.why}" if statement.why else ""
		return f"{lesson.where(statement.line)}: does not hold: {statement.text}  ({known}){because}"
	return None


def folded(text, indent=""):
	"""Text for a terminal: lines at most WIDTH long, what goes on is indented more."""
	return "\n".join(textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=indent + " " * 7,
	                               break_on_hyphens=False) for line in text.splitlines())


# --- all lessons, in batch ---------------------------------------------------

def outputs(lesson, run_batch):
	"""Run a lesson's commands on one machine; the output of each, in order."""
	every = list(commands(lesson))
	mon = "; ".join(f"echo {MARK} {i}; {command}" for i, command in enumerate(every))
	variables = {"MACHINE": "count", "TIMEOUT": "120", **lesson.variables, "MON": mon}
	status, text = run_batch(variables)
	if status:
		raise Wrong(f"lessons/{lesson.name}: the machine ended with status {status}; it said:\n{text}")
	parts = re.split(rf"^{MARK} \d+\n", text, flags=re.M)[1:]
	if len(parts) != len(every):
		raise Wrong(f"lessons/{lesson.name}: {len(every)} commands, but {len(parts)} answers:\n{text}")
	return parts


def test_lesson(lesson, run_batch):
	"""Check one lesson; the list of what does not hold."""
	answers = iter(outputs(lesson, run_batch))
	values, failures = {}, []
	for step in lesson.steps:
		if step.kind == "monitor":
			for _ in step.lines:
				next(answers)
		if step.kind == "show":
			for number, line in step.lines:
				try:
					fill(line, values)
				except Wrong as wrong:
					failures.append(f"{lesson.where(number)}: {wrong}")
		said = {command: next(answers) for command in asked(step)}
		for statement in step.statements:
			try:
				if statement.query:
					values[statement.name] = statement.query.value(said[statement.query.command])
				else:
					failures.append(check(lesson, statement, values))
			except Wrong as wrong:
				failures.append(f"{lesson.where(statement.line)}: {wrong}")
	return [f for f in failures if f]


def batch_of_launcher(variables):
	"""Run the launcher's batch mode in this process; (status, output)."""
	import io
	from batch import Batch
	chosen = options.read("batch", {**environment(), **variables})
	out = io.BytesIO()
	with Machine(chosen, "batch") as machine:
		status = Batch(machine, out).run()
	return status, out.getvalue().decode(errors="replace")


def environment():
	"""The kernel and the disk that make chose; nothing else of the user's variables."""
	import os
	return {k: os.environ[k] for k in ("KERNEL", "IMAGE") if k in os.environ}


def test_all():
	failed = 0
	for lesson in lessons():
		print(f"lesson {lesson.name} ... ", end="", flush=True)
		try:
			failures = test_lesson(lesson, batch_of_launcher)
		except Wrong as wrong:
			failures = [str(wrong)]
		print("does not hold" if failures else "holds")
		for failure in failures:
			print(folded(failure))
		failed += bool(failures)
	return 1 if failed else 0


# --- one lesson, live --------------------------------------------------------

class Quit(Exception):
	"""The student has had enough."""


class Walk:
	"""A student at a lesson: ask reads a line, tell shows text, session is the machine."""

	def __init__(self, lesson, session, ask=input, tell=print):
		self.lesson = lesson
		self.session = session
		self.ask = ask
		self.tell = tell
		self.values = {}
		self.guesses = {}
		self.failures = 0

	def go(self):
		"""All steps, in order.  The number of statements that did not hold."""
		steps = {"prose": self.prose, "monitor": self.monitor, "predict": self.predict,
		         "show": self.show, "holds": self.holds}
		for step in self.lesson.steps:
			steps[step.kind](step)
		return self.failures

	def prose(self, step):
		text = wrap(step.lines)
		if text:
			self.tell("\n" + text)

	def predict(self, step):
		for _, line in step.lines:
			name, _, question = line.partition(": ")
			*above, last = textwrap.wrap(f"? {question}", WIDTH - ANSWER, subsequent_indent="  ")
			self.tell("\n".join(["", *above]))
			self.guesses[name] = self.ask(f"{last} ").strip()

	def monitor(self, step):
		for _, suggested in step.lines:
			self.tell(f"\n    {suggested}")
			while True:
				typed = self.ask("klaava> ").strip()
				if typed == ":quit":
					raise Quit
				if typed == ":next":
					break
				said = self.run(typed or suggested).rstrip("\n")
				if said:
					self.tell(said)
				if typed in ("", suggested):
					break

	def run(self, command):
		"""Run a command; Ctrl-C reaches the program that it started."""
		while True:
			try:
				return self.session.command(command)
			except KeyboardInterrupt:
				self.session.interrupt()
				return self.session.until_prompt(60)

	def show(self, step):
		self.tell("")
		for number, line in step.lines:
			try:
				self.tell(fill(line, self.values))
			except Wrong as wrong:
				self.tell(folded(f"({self.lesson.where(number)}: {wrong})"))

	def holds(self, step):
		said = {command: self.session.command(command) for command in asked(step)}
		for s in step.statements:
			try:
				if s.query:
					self.values[s.name] = s.query.value(said[s.query.command])
					continue
				failure = check(self.lesson, s, self.values)
			except Wrong as wrong:
				failure = f"{self.lesson.where(s.line)}: {wrong}"
			if failure:
				self.failures += 1
				self.tell(folded(failure, "  "))
			elif s.kind == "compare":
				guess = self.guesses.get(s.name) or "nothing"
				machine = shown(evaluate(s.tree, self.values))
				self.tell(folded(f"You said {guess}; the machine says {machine}.", "  "))
			elif s.kind == "claim":
				self.tell(folded(f"holds: {s.text}" + (f"  ({s.why})" if s.why else ""), "  "))


def show(number):
	"""Walk through lesson `number` on a live machine."""
	import readline	# input() lets the student edit the line
	from batch import PANIC
	from terminal import Ended, Session, verdict_on
	known = {int(l.name[:2]): l for l in lessons()}
	if not number.isdigit() or int(number) not in known:
		listing = "\n".join(f"  N={n}  {l.title}" for n, l in known.items())
		print(f"klaava: no lesson `{number}`; there are:\n{listing}", file=sys.stderr)
		return 5
	lesson = known[int(number)]
	with Machine(options.read("run", {**environment(), **lesson.variables}), "serial") as machine:
		session = Session(machine)
		session.until_prompt(60)
		session.command("screen 500 80")	# no pager between us and the student
		walk = Walk(lesson, session)
		print(f"(Lesson {number}, on a live Klaava.\n{HELP})")
		try:
			failures = walk.go()
		except (EOFError, Quit):
			print("\nUntil next time.")
			return 0
		except Ended:
			if verdict_on(machine.wait(5)) >= PANIC:
				raise
			print("\nThe machine is switched off, and with it the lesson.\n"
			      f"`make lesson N={number}` begins it anew.")
			return 0
		print(f"\n{failures} of the statements did not hold on this machine." if failures else
		      "\nEverything held.  The machine is switched off.")
	return 1 if failures else 0


def main(argv):
	try:
		if argv[1:2] == ["show"] and len(argv) == 3:
			return show(argv[2])
		if argv[1:] == ["test"]:
			return test_all()
		if argv[1:] == ["list"]:
			for lesson in lessons():
				print(f"{lesson.name[:2]}  {lesson.title}")
			return 0
	except (Wrong, options.Refused, TimeoutError) as reason:
		print(f"klaava: {reason}", file=sys.stderr)
		return 5
	print(__doc__, file=sys.stderr)
	return 5


if __name__ == "__main__":
	sys.exit(main(sys.argv))
