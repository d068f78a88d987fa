"""holds.py - what must hold: the small language of a lesson's ```holds blocks.

A statement names a value or claims something about named values:

	before  = cr3 -k [cpu=all] loads        a field of one record of a command
	reasons = cr3 -k [cpu=all] switch+idle  several fields of it, added
	each    = sum cr3 -k [cpu!=all] loads   over all records: sum, least, most, count
	grown   = after - before                arithmetic
	grown >= 10    # why it must            a claim, and what to say when it fails
	compare guess grown                     the reader's prediction beside the value

The one idea: a lesson never holds a number that a machine printed.  It holds
relations between numbers that it asks the machine for, so it stays true on
another machine, and says so when it does not.

Expressions are parsed by Python and evaluated here, node by node; nothing but the
nodes in OPERATORS exists, so a lesson can compute and can do nothing else.
Division is exact (fractions).
"""

import ast
import operator
import re
from fractions import Fraction

OPERATORS = {
	ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Mod: operator.mod,
	ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
	ast.Gt: operator.gt, ast.GtE: operator.ge, ast.USub: operator.neg, ast.Not: operator.not_,
}
OVER_RECORDS = {"sum": sum, "least": min, "most": max, "count": len}

QUERY = re.compile(r"(?:(sum|least|most|count)\s+)?(\S.*? -k)\s*(?:\[([^\]]*)\])?\s*([A-Za-z_][\w+]*)")
BINDING = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.+)")
COMPARE = re.compile(r"compare\s+([A-Za-z_]\w*)\s+(.+)")


class Wrong(Exception):
	"""A statement that cannot be read or computed: the lesson itself is at fault."""


class Query:
	"""Which field, of which records, of which command."""

	def __init__(self, over, command, where, fields):
		self.over = over
		self.command = command
		self.where = [self.condition(word) for word in (where or "").split()]
		self.fields = fields.split("+")

	@staticmethod
	def condition(word):
		match = re.fullmatch(r"(\w+)(!?=)(\S+)", word)
		if not match:
			raise Wrong(f"`{word}`: a condition is key=value or key!=value")
		return match.groups()

	def matches(self, record):
		return all(key in record and (record[key] == value) == (relation == "=")
		           for key, relation, value in self.where)

	def value(self, output):
		"""The value in the command's output."""
		chosen = [r for r in records(output) if self.matches(r) and set(self.fields) <= set(r)]
		values = [sum(map(number, (r[f] for f in self.fields))) if len(self.fields) > 1
		          else number(r[self.fields[0]]) for r in chosen]
		if self.over:
			if not values and self.over in ("least", "most"):
				raise Wrong(f"`{self.command}`: no record has {'+'.join(self.fields)}")
			return OVER_RECORDS[self.over](values)
		if len(values) != 1:
			raise Wrong(f"`{self.command}`: {len(values)} records have {'+'.join(self.fields)}, "
			            "one is wanted")
		return values[0]


def records(text):
	"""The lines of `key=value ...` in a command's output, as dicts of strings.  A word
	before them, as in `total tables=3`, is the value of `row`."""
	found = []
	for line in text.splitlines():
		words = line.split()
		if len(words) > 1 and "=" not in words[0]:
			words[0] = "row=" + words[0]
		if words and all("=" in word for word in words):
			found.append(dict(word.split("=", 1) for word in words))
	return found


def number(text):
	try:
		return int(text, 0)
	except ValueError:
		return text


class Statement:
	"""One line of a holds block.  kind: query, value, claim or compare."""

	def __init__(self, text, line):
		self.line = line
		self.text, _, self.why = (part.strip() for part in text.partition("#"))
		self.name = self.query = None
		compare = COMPARE.fullmatch(self.text)
		binding = BINDING.fullmatch(self.text)
		if compare:
			self.kind, (self.name, self.expression) = "compare", compare.groups()
		elif binding and QUERY.fullmatch(binding[2]):
			self.kind, self.name = "query", binding[1]
			self.query = Query(*QUERY.fullmatch(binding[2]).groups())
			return
		elif binding:
			self.kind, (self.name, self.expression) = "value", binding.groups()
		else:
			self.kind, self.expression = "claim", self.text
		self.tree = parse(self.expression)

	def names(self):
		"""The names the expression uses."""
		return sorted({n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name)})


def parse(expression):
	try:
		return ast.parse(expression.strip(), mode="eval").body
	except SyntaxError:
		raise Wrong(f"`{expression}`: this is no expression") from None


def evaluate(tree, values):
	"""The value of a parsed expression; Wrong if it uses what the language lacks."""
	def each(node):
		if isinstance(node, ast.Constant) and isinstance(node.value, (int, str)):
			return node.value
		if isinstance(node, ast.Name):
			if node.id not in values:
				raise Wrong(f"`{node.id}` has no value yet")
			return values[node.id]
		if isinstance(node, ast.BoolOp):
			whole = all if isinstance(node.op, ast.And) else any
			return whole(each(v) for v in node.values)
		if isinstance(node, ast.UnaryOp) and type(node.op) in OPERATORS:
			return OPERATORS[type(node.op)](each(node.operand))
		if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
			return Fraction(each(node.left)) / each(node.right)
		if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
			return OPERATORS[type(node.op)](each(node.left), each(node.right))
		if isinstance(node, ast.Compare) and all(type(op) in OPERATORS for op in node.ops):
			sides = [each(node.left)] + [each(c) for c in node.comparators]
			return all(OPERATORS[type(op)](a, b) for op, a, b in zip(node.ops, sides, sides[1:]))
		raise Wrong(f"`{ast.unparse(node)}`: the language of holds blocks has no such thing")
	try:
		return each(tree)
	except (TypeError, ZeroDivisionError, ValueError) as error:
		raise Wrong(f"`{ast.unparse(tree)}`: {error}") from None


def shown(value):
	"""A value as a reader wants it: whole numbers whole, fractions with two digits."""
	if isinstance(value, Fraction):
		return str(value.numerator) if value.denominator == 1 else f"{float(value):.2f}"
	return str(value)


def fill(text, values):
	"""Text of a show block: each {expression} replaced by its value, each
	{expression:N} by its value in N columns, {expression:N.D} with D digits behind the
	point."""
	def one(match):
		value = evaluate(parse(match[1]), values)
		text = f"{float(value):.{int(match[3])}f}" if match[3] else shown(value)
		return text.rjust(int(match[2] or 0))
	return re.sub(r"\{([^{}:]+)(?::(\d*)(?:\.(\d))?)?\}", one, text)
