# What the shell does must not depend on the kernel below it: run on Klaava and on Linux by our sh.
cd $1
echo words: one "two  three" 'four $1' fi\ ve
head -n 3 text | grep -v 002 | cat
cat < text | wc
grep -c line < text && echo found || echo lost
grep nothing text || echo status $?
nosuch 2> /dev/null; echo status $?
cat nosuch 2>&1 | cat; echo status $?
false; echo $?; true; echo $?; ! true; echo $?
sleep 0.05 & wait; echo waited
sh -c 'exit 7'; echo status $?
sh -c 'kill -15 $$'; echo status $?
sh -c 'echo $0 and $1; cd sub; cat deep' name arg
ls -l sub | grep deep | wc -l
ls dir | head -n 2
readfile sparse 1 | cat
hexdump -n 32 text
echo one; echo two & wait; echo three
switchers 4 20 2; forktree 3; sweep 50 3
cat text | grep 199 |
	cat && # it goes on
	echo end of pipe
echo t* *e?t [a-l]*k li[!a-m]? ./*/deep s*/ nothing* dir/*-0[0-2]? "t*" 't*' \t* t\*
ls -l dir/name-00[!3-9]-* | wc -l; echo */d*p /dev/nul? dir/*299* | cat
sh -c 'echo $1 "$1" *$2' sh 't*' 'xt'
cd; pwd; echo [d]ev/nul* */null
