#!/usr/bin/env python3
"""qemu.py - the launcher: every way Klaava is started goes through here.

	qemu.py run | batch | gdb [GDB-ARGUMENT...] | console | boot-time | check | help

Make's variables come in the environment (options.py checks them).  The exit
statuses of a batch run are listed in batch.py; 5 always means that nothing was
run: an option was refused or a tool is missing.
"""

import signal
import sys

import options
import profiles

MODES = ("run", "batch", "gdb", "console", "boot-time", "check", "help")


def show_variables():
	"""The part of `make help` about variables."""
	for name, default, meaning in options.VARIABLES:
		meaning = meaning.replace("@machines", ", ".join(profiles.machines()))
		print(f"  {name:<8} {default:<5} {meaning}")
	return 0


def start(mode, arguments):
	if mode == "help":
		return show_variables()
	chosen = options.read(mode)
	if mode == "check":
		return 0
	if mode == "batch":
		import batch
		return batch.run(chosen)
	import terminal
	if mode == "run":
		return terminal.run(chosen)
	if mode == "gdb":
		return terminal.gdb(chosen, arguments)
	if mode == "console":
		return terminal.console()
	return terminal.boot_time(chosen)


def main(argv):
	if len(argv) < 2 or argv[1] not in MODES:
		print(__doc__, file=sys.stderr)
		return 5
	# an orderly end, with QEMU ended and the temporary folder removed
	signal.signal(signal.SIGTERM, lambda *unused: sys.exit(128 + signal.SIGTERM))
	signal.signal(signal.SIGHUP, lambda *unused: sys.exit(128 + signal.SIGHUP))
	try:
		return start(argv[1], argv[2:])
	except options.Refused as reason:
		print(f"klaava: {reason}", file=sys.stderr)
		return 5
	except TimeoutError as reason:
		print(f"klaava: {reason}", file=sys.stderr)
		return 3
	except KeyboardInterrupt:
		return 128 + signal.SIGINT


if __name__ == "__main__":
	sys.exit(main(sys.argv))
