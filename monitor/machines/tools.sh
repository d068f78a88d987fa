#!/bin/sh
# tools.sh - the programs Klaava is built, run and tested with.
#
#	tools.sh install STAMP run|test   check quickly, install what is missing
#	tools.sh doctor                   a table of all tools; status 1 if one is missing
#	tools.sh host32                   how 32-bit programs run here: directly, qemu-i386, no
#
# One table drives both.  The check forks next to nothing and never touches the
# network; only when something is missing does it call apt-get (as root, or by sudo
# when that asks no password), else it prints the one command to type.  STAMP is
# touched when something was installed: make, which includes it, then starts over
# and sees the new tools.

PATH=$PATH:/usr/sbin:/sbin	# mke2fs, for users who are not root
PYTHON=${PYTHON:-/usr/bin/python3}	# the one that Debian's pytest belongs to

# level | tool | package | minimum | what breaks without it
#
# A tool is a command, or gcc-m32 (32-bit code), py:MODULE, h:HEADER.  The level says
# who needs it: `run` everybody, `test` only the tests and GDB.
table() {	# table [LEVEL]
	cat <<'TABLE'
run|make|make|4.2|everything
run|gcc-m32|gcc-multilib|10|the kernel and its programs are not built
run|ld|binutils|2.35|the kernel is not linked
run|python3|python3|3.9|the launcher: run, batch, gdb, tests
run|qemu-system-i386|qemu-system-x86|5.2|nothing runs
run|mke2fs|e2fsprogs|1.45|no root disk: make image
run|debugfs|e2fsprogs|1.45|no device files on the root disk
test|gdb|gdb|12|make gdb, and its tests
test|py:pytest|python3-pytest|6|make test
test|py:pexpect|python3-pexpect|4.8|tests at a terminal
test|py:xdist|python3-pytest-xdist|1|make test takes twice as long
test|py:pytest_timeout|python3-pytest-timeout|1|a test that hangs is not ended
test|h:cmocka.h|libcmocka-dev|1.1|make test-unit
test|clang-format|clang-format|14|make format-check
TABLE
	if [ "$1" != run ] && ! kernel_runs_32bit; then
		echo 'test|qemu-i386|qemu-user|5.2|this kernel runs no 32-bit programs: no Linux to compare with'
	fi
}

# Can this kernel run 32-bit programs itself?  Some are built without that, some machines forbid
# it.  The answer is a program of 97 bytes that ends with status 7: _exit(7) by int 0x80, behind
# an ELF header and one segment.  (A shell that takes it for a script ends with another status.)
# Where qemu-i386 is what the kernel calls for such files, it is the emulator that runs them.
kernel_runs_32bit() {
	if [ -e /proc/sys/fs/binfmt_misc/qemu-i386 ]; then
		return 1
	fi
	probe=$(mktemp) || return 1
	{
		printf '\177ELF\1\1\1\0\0\0\0\0\0\0\0\0\2\0\3\0\1\0\0\0\124\200\4\10\64\0\0\0\0\0'
		printf '\0\0\0\0\0\0\64\0\40\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\200\4\10\0\200'
		printf '\4\10\141\0\0\0\141\0\0\0\5\0\0\0\0\20\0\0\270\1\0\0\0\273\7\0\0\0\315\200\220'
	} >"$probe"
	chmod +x "$probe"
	status=0
	"$probe" </dev/null >/dev/null 2>&1 || status=$?
	rm -f "$probe"
	[ $status = 7 ]
}

host32() {
	if kernel_runs_32bit; then
		echo directly
	elif present qemu-i386; then
		echo qemu-i386
	else
		echo no
	fi
}

# Commands that have their tool's job under another name.
present() {
	case $1 in
	gcc-m32)
		if command -v gcc >/dev/null && [ -e "$(gcc -m32 -print-libgcc-file-name)" ]; then
			return 0
		fi
		command -v i686-linux-gnu-gcc >/dev/null ;;
	qemu-system-i386)
		command -v qemu-system-i386 >/dev/null || command -v qemu-system-x86_64 >/dev/null ;;
	py:*)
		has_module "${1#py:}" ;;
	h:*)
		[ -e "/usr/include/${1#h:}" ] || [ -e "/usr/local/include/${1#h:}" ] ;;
	python3)
		command -v "$PYTHON" >/dev/null ;;
	*)
		command -v "$1" >/dev/null ;;
	esac
}

has_module() {
	"$PYTHON" -c 'import sys, importlib.util
sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' "$1" 2>/dev/null
}

version() {
	case $1 in
	gcc-m32)
		gcc -dumpfullversion 2>/dev/null || i686-linux-gnu-gcc -dumpfullversion ;;
	qemu-system-i386)
		{ qemu-system-i386 --version 2>/dev/null || qemu-system-x86_64 --version; } | number ;;
	mke2fs | debugfs)
		"$1" -V 2>&1 | number ;;
	py:*)
		"$PYTHON" -c 'import sys; from importlib.metadata import version
print(version({"xdist": "pytest-xdist", "pytest_timeout": "pytest-timeout"}.get(sys.argv[1],
	sys.argv[1])))' "${1#py:}" ;;
	h:cmocka.h)
		pkg-config --modversion cmocka 2>/dev/null || echo '?' ;;
	python3)
		"$PYTHON" --version | number ;;
	*)
		"$1" --version 2>/dev/null | number ;;
	esac
}

# The first thing on standard input that looks like a version.
number() {
	grep -oE '[0-9]+\.[0-9.]+' | head -n 1
}

older() {	# older VERSION MINIMUM
	[ "$1" != '?' ] && [ "$1" != "$2" ] &&
		[ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# Packages that level $1 needs and that are not there, one a line.
missing() {
	table "$1" | while IFS='|' read -r level tool package rest; do
		if [ "$level" = run ] || [ "$level" = "$1" ]; then
			present "$tool" || echo "$package"
		fi
	done | sort -u
}

install() {	# install STAMP LEVEL
	packages=$(missing "$2" | tr '\n' ' ')
	packages=${packages% }
	if [ -z "$packages" ]; then
		if [ ! -e "$1" ]; then
			mkdir -p "$(dirname "$1")" && : >"$1"
		fi
		return 0
	fi
	root=
	if [ "$(id -u)" != 0 ]; then
		root='sudo -n '
	fi
	if ! command -v apt-get >/dev/null || ! ${root}true 2>/dev/null; then
		echo "klaava: tools are missing; type this, then try again:" >&2
		echo "  sudo apt-get install -y $packages" >&2
		return 5
	fi
	echo "klaava: installing $packages" >&2
	export DEBIAN_FRONTEND=noninteractive
	if ! { ${root}apt-get update && ${root}apt-get install -y --no-install-recommends $packages; } >&2
	then
		echo "klaava: apt-get failed; what is missing: $packages" >&2
		return 5
	fi
	left=$(missing "$2" | tr '\n' ' ')
	if [ -n "$left" ]; then
		echo "klaava: installed, but still not found: $left(make doctor says more)" >&2
		return 5
	fi
	mkdir -p "$(dirname "$1")" && touch "$1"
}

doctor() {
	printf '%-17s %-10s %-8s %s\n' tool found minimum 'without it'
	bad=0
	while IFS='|' read -r level tool package minimum breaks; do
		note=$breaks
		if ! present "$tool"; then
			found=MISSING
			note="$breaks; package $package"
			bad=1
		else
			found=$(version "$tool")
			if older "${found:-?}" "$minimum"; then
				note="TOO OLD: $breaks"
				bad=1
			fi
		fi
		printf '%-17s %-10s %-8s %s\n' "$tool" "${found:-?}" "$minimum" "$note"
	done <<-ROWS
	$(table)
	ROWS
	if [ $bad = 0 ]; then
		echo "all tools are here"
	else
		echo "something is missing: make install-tools" >&2
	fi
	return $bad
}

case $1 in
install) install "$2" "$3" ;;
doctor) doctor ;;
host32) host32 ;;
*) echo "usage: tools.sh install STAMP run|test, doctor, or host32" >&2; exit 5 ;;
esac
