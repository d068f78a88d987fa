#!/bin/sh
# mkdata.sh DIR - makes the files the guest tests read: always the same bytes.
#
#   text      200 numbered lines
#   sparse    holes, and data reached directly and through one, two and three levels of
#             indirect blocks (for 1 KB blocks: from 0, 12 KB, 268 KB and 64 MB on)
#   empty     nothing
#   link      a symbolic link to text; short enough for the inode itself
#   longlink  one too long for that (over 60 bytes)
#   loop      a symbolic link to itself
#   dir       a directory of 300 names, several blocks long
#   sub/deep  a file two levels down
#   script    script.sh of this folder
#   interpreted, bad_script, lost_script, not_a_program, empty_program
#             what exec_errors.c starts: the first prints its arguments, the others are refused

set -e
dir=$1
rm -rf "$dir"
mkdir -p "$dir/dir" "$dir/sub"

i=1
while [ $i -le 200 ]; do
	printf 'line %03d of the text that the guest tests read\n' $i
	i=$((i + 1))
done >"$dir/text"

put() { printf '%s' "$2" | dd of="$dir/sparse" bs=1 seek="$1" conv=notrunc status=none; }
put 0 first
put 20000 single
put 1000000 double
put 70000000 triple

: >"$dir/empty"
ln -s text "$dir/link"
ln -s sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/../sub/../text "$dir/longlink"
ln -s loop "$dir/loop"
echo deep >"$dir/sub/deep"
cp "${0%/*}/script.sh" "$dir/script"
i=0
while [ $i -lt 300 ]; do
	: >"$dir/dir/$(printf 'name-%03d-of-three-hundred' $i)"
	i=$((i + 1))
done

printf '#! /bin/echo one two\nnot read\n' >"$dir/interpreted"
printf '#!\n' >"$dir/bad_script"
printf '#!/no/such/interpreter\n' >"$dir/lost_script"
echo 'no program at all' >"$dir/not_a_program"
: >"$dir/empty_program"
chmod +x "$dir/interpreted" "$dir/bad_script" "$dir/lost_script" "$dir/not_a_program" \
	"$dir/empty_program"
