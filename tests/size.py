#!/usr/bin/env python3
"""size.py - the kernel by section, against the 256 KB it may take.

	size.py build/klaava.elf

Text, data and bss count, and nothing in them is free: the kernel must run eight
processes in 2 MB.  Telemetry and the symbol table stand apart.
"""

import subprocess
import sys

LIMIT = 256 * 1024
APART = (".telemetry", ".ksyms")


def sections(kernel):
	"""(name, bytes) of each section that takes memory, in order of address."""
	out = subprocess.run(["objdump", "-h", "-w", kernel], check=True, capture_output=True, text=True)
	for line in out.stdout.splitlines():
		words = line.split()
		if words and words[0].isdigit() and "ALLOC" in line:
			yield words[1], int(words[2], 16)


def main(kernel):
	total = 0
	for name, size in sections(kernel):
		apart = name in APART
		total += 0 if apart else size
		print(f"{name:<12} {size:>8}{'  apart' if apart else ''}")
	print(f"{'total':<12} {total:>8}  of {LIMIT}: {100 * total / LIMIT:.1f} %, {LIMIT - total} left")
	if total > LIMIT:
		print(f"size: the kernel is {total - LIMIT} bytes too big", file=sys.stderr)
		return 1
	return 0


if __name__ == "__main__":
	sys.exit(main(sys.argv[1]))
