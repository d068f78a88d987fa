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
cd /tmp; rm -rf script-$$; mkdir -p script-$$/in && cd script-$$/in && ls
echo one > a; echo two >> a; cat a; echo three >| a; cat < a; > b; wc -c a b
cat a nosuch > out 2> err; wc -l out err; cat err nosuch > all 2>&1; wc -l all; head -n 1 all
echo x > no/x; echo status $?; echo x > .; echo status $?; cat < nosuch; echo status $?
echo to both 2>&1 >| c | cat; cat c; echo a | tee d e | cat > f; cat d e f; echo b | tee -a d; wc -l d
cp a g; cmp a g && echo same; cp a b g .. ; echo status $?; rm ../a ../b ../g
mkdir -p t/u/v t/w; cp a b t/u; cp -r t z; ls z z/u; mv z/u/a z/w/new; mv z/w y; ls y z; cmp y/new a
ln a h; ln -s a s; echo more >> s; cat h; rm a; cat h; cat s; echo status $?; ln h s; ln -sf h s; cat s
mv h s; cat s; mv s t; mv t/s .; rmdir t; echo status $?; rm t; echo status $?; rm -r t; ls
chmod 640 s; chmod u+x s; ls -l s | grep -c rwxr-----; truncate -s 3 s; cat s; echo; truncate -s 6 s; hexdump s
dd if=s of=q bs=2 seek=1 skip=1; hexdump q; dd if=/dev/zero of=q bs=1 count=1 conv=notrunc,fsync status=none; wc -c q
touch -d @1000000000 s; ls -l s | grep -c 2001-09-09; touch n; ls -l n | grep -c 2001; touch -c m; ls m
stat s | head -n 1; sync s; sync; echo -n end > end; cat end; echo; rm -rf ../in; ls; cd ..; ls in 2> /dev/null || echo gone; rmdir ../script-$$
