#!/bin/sh
# host.sh MODE FROM OUT NAME... - puts programs into OUT, to run on this host.
#
# MODE m32: the very files Klaava runs, from the folder FROM: as they are where the host's kernel
# runs 32-bit programs, else emulated by qemu-i386 (host32.c); native: compiled with the host's own
# library, which proves that the sources ask for nothing but POSIX; auto: m32 if that needs no
# emulator, else native, which is the same programs and fast.
#
# Says on standard error what was chosen and why; status 3: no way to run 32-bit programs.

set -e
mode=$1 from=$2 out=$3
shift 3

how=$(sh monitor/machines/tools.sh host32)
note=
if [ "$mode" = auto ]; then
	if [ "$how" = directly ]; then
		mode=m32
	else
		mode=native note=" (this kernel runs no 32-bit programs; HOST=m32 emulates them)"
	fi
fi

emulated() {
	mkdir "$out/.i386" "$out/.qemu"
	${HOSTCC:-cc} -std=gnu11 -O2 -D_GNU_SOURCE -Wall -Wextra -o "$out/.host32" kernel/user/host32.c
	for name; do
		cp "$from/$name" "$out/.i386/"
		cp "$out/.host32" "$out/$name"
		ln -s "$(command -v qemu-i386)" "$out/.qemu/$name"
	done
}

if [ "$mode $how" = "m32 no" ]; then
	echo "this host runs no 32-bit programs, and qemu-i386 (package qemu-user) is not there" >&2
	echo "try HOST=native" >&2
	exit 3
fi
rm -rf "$out"
mkdir -p "$out"

case $mode in
m32)
	if [ "$how" = directly ]; then
		for name; do cp "$from/$name" "$out/"; done
	else
		note=" (through $how: this kernel runs no 32-bit programs)"
		emulated "$@"
	fi
	;;
native)
	args="kernel/user/bin/args.c kernel/user/bin/paths.c"
	for name; do
		case $name in
		sh) src="kernel/user/sh/*.c $args" ;;
		*)
			src="kernel/user/bin/$name.c $args"
			[ -f "kernel/user/bin/$name.c" ] || src="kernel/user/work/$name.c $args"
			;;
		esac
		${HOSTCC:-cc} -std=gnu11 -O2 -g -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Wall -Wextra \
			-Ikernel/user/bin -o "$out/$name" $src
	done
	;;
*)
	echo "HOST=$mode: m32, native or auto" >&2
	exit 1
	;;
esac
echo "$mode programs in $out$note" >&2
