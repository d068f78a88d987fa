#!/bin/sh
# host.sh MODE BUILD OUT NAME... - puts the user programs into OUT, to run on this host.
#
# MODE m32: the very files Klaava runs (from BUILD/user); native: compiled with the host's own library, which
# proves that the sources ask for nothing but POSIX; auto: m32 if this host runs such files.

set -e
mode=$1 build=$2 out=$3
shift 3

if [ "$mode" = auto ]; then
	if "$build/user/true" 2>/dev/null; then mode=m32; else mode=native; fi
fi
rm -rf "$out"
mkdir -p "$out"

case $mode in
m32)
	if ! "$build/user/true" 2>/dev/null; then
		echo "this host does not run 32-bit programs: try HOST=native" >&2
		exit 1
	fi
	for name; do cp "$build/user/$name" "$out/"; done
	;;
native)
	args=kernel/user/bin/args.c
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
echo "$mode programs in $out" >&2
