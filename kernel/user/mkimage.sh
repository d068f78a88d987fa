#!/bin/sh
# mkimage.sh IMAGE BLOCK BUILD [SUFFIX] - makes the root file system: ext2 revision 1, BLOCK-byte blocks,
# with the programs of BUILD/userSUFFIX.
#
# No root needed: mke2fs copies a staging directory, debugfs adds device nodes.  The same
# inputs give the same bytes: identifiers and times are fixed, and owners, which mke2fs takes
# from whoever builds, are set afterwards.  Programs keep their symbols (the monitor shows
# them) and lose what only a debugger on the host needs.

set -e
image=$1 block=$2 build=$3 suffix=$4
stage=${image%.img}.stage
PATH=$PATH:/sbin:/usr/sbin
uuid=97929792-0097-4097-8097-199208011992
E2FSPROGS_FAKE_TIME=712627200 # 1 August 1992
export E2FSPROGS_FAKE_TIME
umask 022

case $block in
1024 | 2048 | 4096) ;;
*)
	echo "BLOCK=$block: 1024, 2048 or 4096" >&2
	exit 1
	;;
esac
for tool in mke2fs debugfs e2fsck; do
	if ! command -v $tool >/dev/null; then
		echo "$tool is missing: install e2fsprogs" >&2
		exit 1
	fi
done

rm -rf "$stage"
mkdir -p "$stage/bench" "$stage/bin" "$stage/dev" "$stage/lessons" "$stage/tests" "$stage/tmp"
for program in "$build/user$suffix"/*; do
	${STRIP:-strip} --strip-debug -o "$stage/bin/${program##*/}" "$program"
done
while read -r test; do
	${STRIP:-strip} --strip-debug -o "$stage/tests/$test" "$build/guest$suffix/$test"
done <"$build/guest$suffix/manifest"
sh tests/guest/mkdata.sh "$stage/tests/data"
yes 'What bench reads, again and again, from the buffer cache.' | head -c 65536 >"$stage/bench/64k"
for lesson in lessons/*/lesson.md; do
	[ -f "$lesson" ] || continue
	name=${lesson#lessons/}
	mkdir -p "$stage/lessons/${name%/*}"
	cp "$lesson" "$stage/lessons/$name"
done
chmod -R u=rwX,go=rX "$stage"
chmod 1777 "$stage/tmp"

# The kernel's source lines, and its sources, for `build` to read: those of the kernel, the
# monitor's headers that they include, and a list of those it compiles.
late=$stage.late
sources=$(
	find kernel -path kernel/user -prune -o -name '*.[ch]' -print
	find kernel -path kernel/user -prune -o -name '*.[ch]' -exec sed -n \
		's,^#include "\(monitor/[^"]*\)".*,\1,p' {} +
)
sources=$(echo "$sources" | LC_ALL=C sort -u)
rm -rf "$late"
mkdir -p "$late/boot" "$late/src"
cp "$build/klaava.lines" "$late/boot/"
for source in $sources; do
	mkdir -p "$late/src/${source%/*}"
	cp "$source" "$late/src/$source"
	case $source in *.c) echo "$source" ;; esac
done >"$late/src/files"
chmod -R u=rwX,go=rX "$late"

# Snug: what is there, the inodes and names, a fifth more for maps and whoever writes, and what
# `build` writes.  Only files are measured: how large a directory gets on the host is chance (ext4
# splits by a hash).
inodes=$(find "$stage" "$late" | wc -l)
inodes=$(((inodes + inodes / 8 + 320) / 64 * 64)) # one source more does not move all else
used=$(find "$stage" "$late" -type f -exec du -k {} + | awk '{ kb += $1 } END { print kb }')
size=$(((used + inodes / 4) * 6 / 5 + 512))

rm -f "$image"
if ! mke2fs -q -F -t ext2 -r 1 -O none,filetype,sparse_super -b "$block" -I 128 -N $inodes -m 0 \
	-L klaava -U $uuid -E hash_seed=$uuid,root_owner=0:0 -d "$stage" "$image" ${size}k \
	>"$stage.log" 2>&1; then
	cat "$stage.log" >&2
	exit 1
fi

# Then the nodes, and last what comes of the kernel's sources, so that another kernel does not move
# the programs to other blocks.  And every file gets an owner and times that do not depend on who
# built it when.
{
	echo 'cd /dev'
	for node in 'console 5 1 020600' 'null 1 3 020666' 'zero 1 5 020666' 'tasks 240 0 020444'; do
		set -- $node
		echo "mknod $1 c $2 $3"
		echo "set_inode_field $1 mode $4"
		: >"$stage/dev/$1" # so that find names it below
	done
	echo 'cd /'
	(cd "$late" && find boot src | LC_ALL=C sort) | while read -r path; do
		if [ -d "$late/$path" ]; then
			echo "mkdir $path"
			echo "set_inode_field $path mode 040755"
		else
			echo "write $late/$path $path"
			echo "set_inode_field $path mode 0100644"
		fi
	done
	{
		(cd "$stage" && find .)
		(cd "$late" && find boot src)
	} | LC_ALL=C sort | while read -r path; do
		path=/${path#./}
		[ "$path" = /. ] && path=/
		for field in uid gid; do
			echo "set_inode_field $path $field 0"
		done
		for field in atime ctime mtime; do
			echo "set_inode_field $path $field @$E2FSPROGS_FAKE_TIME"
		done
	done
} >"$stage.debugfs"
debugfs -w -f "$stage.debugfs" "$image" >>"$stage.log" 2>&1
if ! e2fsck -fn "$image" >>"$stage.log" 2>&1; then
	cat "$stage.log" >&2
	rm -f "$image"
	exit 1
fi
echo "$image: $(($(wc -c <"$image") / 1024)) KB, $block-byte blocks" >&2
