"""lesson.py - a lesson as a list of steps.

A lesson is Markdown that reads well as it is.  Some of its fenced blocks are steps,
told by the word after the fence (README.md beside this file): monitor, holds,
predict, show.  What stands between them is prose.

Here it is only read and wrapped; runner.py walks through it.
"""

import re
import shlex
import textwrap
from pathlib import Path

from holds import Statement, Wrong

HERE = Path(__file__).resolve().parent
STEPS = ("monitor", "holds", "predict", "show")
WIDTH = 78
VARIABLES = re.compile(r"<!--\s*machine:(.*?)-->")


class Step:
	"""kind: prose or one of STEPS.  lines: (line number, text)."""

	def __init__(self, kind, lines):
		self.kind = kind
		self.lines = lines
		self.statements = []


class Lesson:
	"""One lesson.md; variables are what Make's would be for its machine."""

	def __init__(self, path):
		self.path = Path(path)
		self.name = self.path.parent.name
		text = self.path.read_text()
		self.title = next((line.strip("# ") for line in text.splitlines()
		                   if line.startswith("# ")), self.name)
		self.variables = {}
		match = VARIABLES.search(text)
		if match:
			self.variables = dict(word.split("=", 1) for word in shlex.split(match[1]))
		self.steps = list(self.read(text))

	def read(self, text):
		kind, lines = "prose", []
		for number, line in enumerate(text.splitlines(), 1):
			fence = re.fullmatch(r"```(\w*)\s*", line)
			if fence and kind == "prose" and fence[1] in STEPS:
				yield Step(kind, lines)
				kind, lines = fence[1], []
			elif fence and kind != "prose":
				yield self.finish(Step(kind, lines))
				kind, lines = "prose", []
			elif not VARIABLES.fullmatch(line.strip()):
				lines.append((number, line))
		if kind != "prose":
			raise Wrong(f"{self.where(lines[0][0] if lines else 0)}: ```{kind} is never closed")
		yield Step(kind, lines)

	def finish(self, step):
		"""Drop a block's empty lines and read a holds block's statements."""
		step.lines = [(number, line.strip() if step.kind != "show" else line)
		              for number, line in step.lines if line.strip()]
		for number, line in step.lines:
			if step.kind == "predict" and not re.match(r"[A-Za-z_]\w*: \S", line):
				raise Wrong(f"{self.where(number)}: `{line}`: a prediction is `name: question`")
			if step.kind == "holds" and not line.startswith("#"):
				try:
					step.statements.append(Statement(line, number))
				except Wrong as wrong:
					raise Wrong(f"{self.where(number)}: {wrong}") from None
		return step

	def where(self, line):
		return f"lessons/{self.name}/lesson.md:{line}"


def lessons():
	"""All lessons, in order of their numbers."""
	return [Lesson(p) for p in sorted(HERE.glob("[0-9][0-9]-*/lesson.md"))]


def begins_item(line, paragraph):
	"""Is `line`, behind those of `paragraph`, a list item, or only words that begin with a number?"""
	item = re.compile(r"\s*([-*]|\d+\.)\s")
	if not re.match(r"\s*\d", line):
		return bool(item.match(line))
	in_list = not paragraph or item.match(paragraph[0])
	return bool(in_list and item.match(line))


def wrap(lines):
	"""Prose for a terminal: paragraphs, quotes and list items filled to WIDTH, the rest kept."""
	out, paragraph, fenced = [], [], False

	def flush():
		if paragraph:
			item = re.match(r"(\s*(?:[-*]|\d+\.)\s+)?", paragraph[0])[0]
			quote = "> " if paragraph[0].startswith(">") else ""
			first = quote or " " * (len(item) - len(item.lstrip()))
			words = " ".join(line.lstrip(quote or None).rstrip() for line in paragraph)
			out.append(textwrap.fill(words, WIDTH, initial_indent=first,
			                         subsequent_indent=quote or " " * len(item),
			                         break_on_hyphens=False))
			paragraph.clear()

	for _, line in lines:
		fence = line.startswith("```")
		if fence or fenced or line.strip() in ("", ">") or line.startswith(("|", "#", "    ")):
			flush()
			fenced ^= fence
			if not fence and (line.strip() or (out and out[-1])):
				out.append("    " + line if fenced else line)
			continue
		if begins_item(line, paragraph):
			flush()
		paragraph.append(line)
	flush()
	return "\n".join(out).strip("\n")
