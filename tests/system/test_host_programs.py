"""User programs and guest tests on this host: our libc speaks Linux's system calls.

What they print here is what Klaava is compared with (test_guest.py), so here it is looked at
for sense; and the root image is made twice and compared.
"""

import filecmp
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import PATIENCE, ROOT, make, without_emulator

GUESTS = sorted(p.stem for p in (ROOT / "tests/guest").glob("*.c"))


@pytest.fixture(scope="session", params=["m32", "native"])
def programs(request, tmp_path_factory):
	"""The directory of programs, in both builds; 32-bit ones only where this host can run them."""
	out = tmp_path_factory.mktemp("programs") / request.param
	if request.param == "m32":
		request.getfixturevalue("host32") # or this is skipped
	made = make("user-host", HOST=request.param, USER_HOST=out)
	assert made.status == 0, made.err
	return out


@pytest.fixture(scope="session")
def data(tmp_path_factory):
	"""The directory of the guest tests' data."""
	made = tmp_path_factory.mktemp("guest") / "data"
	subprocess.run(["sh", ROOT / "tests/guest/mkdata.sh", made], check=True)
	return made


def run(*words, stdin="", cwd=None, path="/bin:/usr/bin"):
	done = subprocess.run([str(w) for w in words], input=stdin, capture_output=True, text=True,
	                      timeout=PATIENCE, cwd=cwd, env={"PATH": str(path)}, errors="replace")
	return done.returncode, done.stdout, without_emulator(done.stderr)


@pytest.mark.parametrize("name", GUESTS)
def test_guest_program_says_yes_on_linux(host32, data, name):
	status, out, err = run(host32.folder("guest") / name, data)
	out = host32.comparable(name, out)
	assert (status, err) == (0, "")
	assert out and not re.search(r"\bNOT?\b", out), out


def test_libc_text_is_what_the_hosts_library_says(host32, tmp_path):
	subprocess.run(["gcc", "-O1", "-w", "-o", tmp_path / "native", ROOT / "tests/guest/libc_text.c"],
	               check=True)
	assert run(host32.folder("guest") / "libc_text") == run(tmp_path / "native")


def test_those_who_hold_memory_stop_are_woken_and_leave_with_the_first(programs):
	with subprocess.Popen([programs / "hold", "5", "4", "16"], stdout=subprocess.PIPE, text=True) as first:
		said = [first.stdout.readline()]
		for _ in range(2):
			_, status = os.waitpid(first.pid, os.WUNTRACED)
			assert os.WIFSTOPPED(status)
			first.send_signal(signal.SIGCONT)
			said.append(first.stdout.readline())
		os.waitpid(first.pid, os.WUNTRACED)
		first.kill()
		assert first.stdout.read() == "", "nobody has the pipe any more: the others are gone, too"
	assert said == ["hold: 5 processes hold 4 pages each\n"] + 2 * [
		"hold: 5 woken in turn, 0 of 20 pages wrong\n"]


@pytest.fixture
def texts(tmp_path):
	(tmp_path / "text").write_text("one\ntwo words\nThree\n\nfive five five\n")
	(tmp_path / "binary").write_bytes(bytes(range(256)) + bytes(64) + b"end")
	(tmp_path / "sub").mkdir()
	return tmp_path


@pytest.mark.parametrize("command, expected", [
	("cat text", (0, "one\ntwo words\nThree\n\nfive five five\n", "")),
	("cat nosuch text", (1, "one\ntwo words\nThree\n\nfive five five\n",
	                     "cat: nosuch: No such file or directory\n")),
	("cat sub", (1, "", "cat: sub: Is a directory\n")),
	("cat -x", (2, "", "usage: cat [FILE]...     (- is standard input)\n")),
	("echo a  b", (0, "a b\n", "")),
	("echo -n a", (0, "a", "")),
	("wc text", (0, "       5       7      36 text\n", "")),
	("wc -l text binary", (0, "       5 text\n       1 binary\n       6 total\n", "")),
	("head -n 2 text", (0, "one\ntwo words\n", "")),
	("head -1 text", (0, "one\n", "")),
	("head -n x text", (2, "", "usage: head [-n LINES] [FILE]...\n")),
	("grep wo text", (0, "two words\n", "")),
	("grep -n ^t text", (0, "2:two words\n", "")),
	("grep -in ^t text", (0, "2:two words\n3:Three\n", "")),
	("grep -c e$ text", (0, "3\n", "")),
	("grep -v e text", (0, "two words\n\n", "")),
	("grep f.*v.*five$ text", (0, "five five five\n", "")),
	("grep ^$ text", (0, "\n", "")),
	("grep x*one text", (0, "one\n", "")),
	("grep nothing text", (1, "", "")),
	("grep one nosuch text", (2, "text:one\n", "grep: nosuch: No such file or directory\n")),
	("ls", (0, "binary\nsub\ntext\n", "")),
	("ls nosuch", (1, "", "ls: nosuch: No such file or directory\n")),
	("ls sub text", (0, "sub:\ntext\n", "")),
	("true", (0, "", "")),
	("false", (1, "", "")),
	("kill", (2, "", "usage: kill [-SIGNAL] PID...  |  kill -l\n")),
	("kill -9 99999999", (1, "", "kill: 99999999: No such process\n")),
	("kill -NOSUCH 1", (2, "", "usage: kill [-SIGNAL] PID...  |  kill -l\n")),
	("cp nosuch x", (1, "", "cp: nosuch: No such file or directory\n")),
	("cp sub x", (1, "", "cp: sub: is a directory (-r copies it)\n")),
	("cp text text", (1, "", "cp: text and text are the same file\n")),
	("cp text binary x", (1, "", "cp: x: not a directory\n")),
	("cp text", (2, "", "usage: cp [-rp] FROM TO  |  cp [-rp] FROM... DIRECTORY\n")),
	("mv nosuch x", (1, "", "mv: nosuch: No such file or directory\n")),
	("mv sub text", (1, "", "mv: sub -> text: Not a directory\n")),
	("rm nosuch", (1, "", "rm: nosuch: No such file or directory\n")),
	("rm -f nosuch", (0, "", "")),
	("rm sub", (1, "", "rm: sub: is a directory (-r removes it)\n")),
	("rm -r .", (1, "", "rm: .: not removed\n")),
	("rm", (2, "", "usage: rm [-rf] FILE...\n")),
	("mkdir sub", (1, "", "mkdir: sub: File exists\n")),
	("mkdir a/b", (1, "", "mkdir: a/b: No such file or directory\n")),
	("rmdir text", (1, "", "rmdir: text: Not a directory\n")),
	("ln text binary", (1, "", "ln: binary -> text: File exists\n")),
	("touch nosuch/x", (1, "", "touch: nosuch/x: No such file or directory\n")),
	("dd if=text of=x bs=10", (0, "", "3+1 records in\n3+1 records out\n36 bytes copied\n")),
	("dd if=text bs=10 skip=1 count=1 status=none", (0, "rds\nThree\n", "")),
	("dd if=nosuch", (1, "", "dd: nosuch: No such file or directory\n0+0 records in\n"
	                         "0+0 records out\n0 bytes copied\n")),
	("chmod 999 text", (2, "", "usage: chmod MODE FILE...     (MODE: 644, or u+x, go-w, a=r, +x ...)\n")),
	("truncate -s x text", (2, "", "usage: truncate -s SIZE FILE...     (bytes, or with k or M behind it)\n")),
	("cmp text text", (0, "", "")),
	("cmp text binary", (1, "text binary differ: byte 1, line 1\n", "")),
	("cmp -s text binary", (1, "", "")),
	("cmp text nosuch", (2, "", "cmp: nosuch: No such file or directory\n")),
	("sync nosuch", (1, "", "sync: nosuch: No such file or directory\n")),
	("sync", (0, "", "")),
	("stat nosuch", (1, "", "stat: nosuch: No such file or directory\n")),
	("df nosuch", (1, "       KB      used      free  full    files   unused  of\n",
	                "df: nosuch: No such file or directory\n")),
	("sleep 0.01", (0, "", "")),
	("sleep", (2, "", "usage: sleep SECONDS     (fractions allowed)\n")),
	("sleep 1x", (2, "", "usage: sleep SECONDS     (fractions allowed)\n")),
	("spin 0", (0, "", "")),
	("switchers 8 200", (0, "switchers: 8 processes, 200 rounds, 1600 turns\n", "")),
	("forkcopy 16 4 8 3", (0, "forkcopy: 16 pages, 3 forks, child: 4, parent: 8\n", "")),
	("forkcopy 16 8 4 3 0.1", (0, "forkcopy: 16 pages, 3 forks, child: 8, parent: 4\n", "")),
	("forkcopy 4 5 0 1", (2, "", "usage: forkcopy PAGES CHILD PARENT FORKS [SECONDS]\n    "
	                             "(CHILD: pages, or exec, or vfork)\n")),
	("bulky 5", (0, "bulky: 5 of 32 pages used\n", "")),
	("bulky 33", (2, "", "usage: bulky USED [SECONDS]     (USED 0 to 32)\n")),
	("switchers 2 3 16", (0, "switchers: 2 processes, 3 rounds, 6 turns\n", "")),
	("switchers 1 1", (2, "", "usage: switchers N ROUNDS [PAGES]     (N 2 to 1000)\n")),
	("sleepers 4 0.1", (0, "sleepers: 4 processes, 0.1 seconds\n", "")),
	("sweep 100 8", (0, "sweep: 100 pages touched, stride 8\n", "")),
	("sweep 0", (2, "", "usage: sweep PAGES [STRIDE]     (stride in pages, 1 unless given)\n")),
	("hotcold 2 4 100", (0, "hotcold: 2 processes use 4 pages each, 100 fresh ones\n", "")),
	("hold 0 1", (2, "", "usage: hold N PAGES [STRIDE]     "
	                     "(N 1 to 200; stride in pages, 1 unless given)\n")),
	("forktree 5", (0, "forktree: depth 5, 63 processes\n", "")),
	("readfile text 3", (0, "readfile: 108 bytes, checksum af304806\n", "")),
	("forkexec 20", (0, "forkexec: 20 times\n", "")),
	("bomb fork 40", (0, "bomb: 40 processes gone\n", "")),
	("bomb memory 1024", (0, "bomb: 1024 KB used\n", "")),
	("crash", (2, "", "usage: crash null|kernel|overflow|jump|priv|divide\n")),
	("crash null", (-11, "", "")),
	("crash kernel", (-11, "", "")),
	("crash overflow", (-11, "", "")),
	("crash jump", (-11, "", "")),
	("crash priv", (-11, "", "")),
	("crash divide", (-8, "", "")),
	("readfile nosuch", (1, "", "readfile: nosuch: No such file or directory\n")),
])
def test_program(programs, texts, command, expected):
	words = command.split()
	assert run(programs / words[0], *words[1:], cwd=texts) == expected


def test_hexdump_is_the_canonical_one(programs, texts):
	status, out, _ = run(programs / "hexdump", "-C", "binary", cwd=texts)
	lines = out.splitlines()
	assert status == 0
	assert lines[4] == ("00000040  40 41 42 43 44 45 46 47  48 49 4a 4b 4c 4d 4e 4f  "
	                    "|@ABCDEFGHIJKLMNO|")
	assert lines[16].endswith("|................|") and lines[17] == "*"
	assert lines[18] == "00000140  65 6e 64" + " " * 42 + "|end|"
	assert lines[19] == "00000143"


def test_ls_long_shows_kinds_sizes_and_targets(programs, texts):
	(texts / "link").symlink_to("text")
	(texts / "text").chmod(0o640)
	os.utime(texts / "text", (0, 712627200))
	lines = run(programs / "ls", "-l", cwd=texts)[1].splitlines()
	assert [line.split()[0] for line in lines] == ["-rw-r--r--", "lrwxrwxrwx", "drwxr-xr-x",
	                                               "-rw-r-----"]
	assert lines[1].endswith(" link -> text")
	assert lines[3].split()[4:] == ["36", "1992-08-01", "00:00", "text"]


def test_ps_lists_this_test(programs):
	status, out, _ = run(programs / "ps")
	assert status == 0 and out.splitlines()[0].split() == ["PID", "PPID", "STATE", "MODEL", "TICKS", "NAME"]
	assert re.search(r" ps$", out, re.M)


@pytest.mark.parametrize("script, expected", [
	("echo a b", (0, "a b\n", "")),
	("echo 'a  $b' \"c  d\" e\\ f \"\\\"\" ''x", (0, "a  $b c  d e f \" x\n", "")),
	("echo one; echo two # three", (0, "one\ntwo\n", "")),
	("cat text | grep five | wc -l", (0, "       1\n", "")),
	("cat < text | head -n 1", (0, "one\n", "")),
	("cat nosuch 2> /dev/null; echo $?", (0, "1\n", "")),
	("cat nosuch 2>&1 | wc -l", (0, "       1\n", "")),
	("echo hi > made; cat made; echo ho >> made; cat made", (0, "hi\nhi\nho\n", "")),
	("echo x > sub", (1, "", "sh: sub: Is a directory\n")),
	("cat < nosuch", (1, "", "sh: nosuch: No such file or directory\n")),
	("echo hi >| made; echo ho 1>> made; cat < made", (0, "hi\nho\n", "")),
	("> made; ls -l made | grep -c ' 0 '; echo x 2> a > b; cat a b", (0, "1\nx\n", "")),
	("cat nosuch text > made 2>&1; wc -l made", (0, "       6 made\n", "")),
	("echo a > d/e || echo $?", (0, "1\n", "sh: d/e: No such file or directory\n")),
	("echo a > one | cat; echo b | tee two | cat > three; cat one two three", (0, "a\nb\nb\n", "")),
	("echo a > 't w o'; ls t*o; ls > > x", (2, "", "sh: syntax error near `>'\n")),
	("mkdir -p p/q p/q; echo 1 > p/q/r; cp -r p z; cat z/q/r; rm -r p; ls; du -s p; rm -rf p z",
	 (0, "1\nbinary\nsub\ntext\nz\n", "du: p: No such file or directory\n")),
	("cp text binary sub && ls sub; cmp text sub/text; mv sub/text new; ls sub; wc -l < new",
	 (0, "binary\ntext\nbinary\n       5\n", "")),
	("ln text hard; ln -s text soft; ln -sf binary soft; ls -l hard soft | grep -c soft", (0, "1\n", "")),
	("touch -d @0 text; ls -l text | grep -c 1970-01-01; touch -c new; ls new",
	 (1, "1\n", "ls: new: No such file or directory\n")),
	("chmod 600 text; chmod +x text; chmod g=rw text; ls -l text | grep -c rwxrw---x", (0, "1\n", "")),
	("truncate -s 1k text; truncate -s 3 text; cat text; truncate -s 2k new; wc -c new",
	 (0, "one    2048 new\n", "")),
	("dd if=text of=new bs=4 seek=2 status=none; dd if=text of=new bs=4 count=1 conv=notrunc status=none;"
	 " cmp new text; wc -c new", (0, "new text differ: byte 5, line 2\n      44 new\n", "")),
	("stat text | head -n 1; stat /dev/null | head -n 1", (0, "text: file\n/dev/null: character device 1,3\n", "")),
	("cp -r sub sub", (1, "", "cp: sub/sub: not copied into itself\n")),
	("rmdir sub; mkdir sub; ls -d sub", (0, "sub\n", "")),
	("true && echo yes || echo no", (0, "yes\n", "")),
	("false && echo yes || echo no", (0, "no\n", "")),
	("! true; echo $?", (0, "1\n", "")),
	("nosuch", (127, "", "sh: nosuch: command not found\n")),
	("./nosuch", (127, "", "sh: ./nosuch: No such file or directory\n")),
	("./text", (126, "", "sh: ./text: Permission denied\n")),
	("false; exit", (1, "", "")),
	("exit 7; echo no", (7, "", "")),
	("cd sub; pwd | grep -c /sub$; cd ..; ls sub", (0, "1\n", "")),
	("cd nosuch", (1, "", "sh: cd: nosuch: No such file or directory\n")),
	("sleep 0.2 & echo first; wait; echo last", (0, "first\nlast\n", "")),
	("sleep 0.1 && echo then & wait; echo last", (0, "then\nlast\n", "")),
	("false & wait $!; echo $?", (0, "1\n", "")),
	("sh -c 'kill -9 $$'; echo $?", (0, "137\n", "sh: sh: killed by signal 9\n")),
	("sh -c 'echo $0 $1 $2' name one", (0, "name one \n", "")),
	("echo $HOME-$PATHX-", (0, "--\n", "")),
	("echo a |", (2, "", "sh: syntax error: unexpected end\n")),
	("echo 'a", (2, "", "sh: syntax error: unexpected end\n")),
	("| cat", (2, "", "sh: syntax error near `|'\n")),
	("a && && b", (2, "", "sh: syntax error near `&&'\n")),
	("echo >", (2, "", "sh: syntax error near `newline'\n")),
	("switchers 2 1 | true", (0, "", "")),
])
def test_shell(programs, texts, script, expected):
	assert run(programs / "sh", "-c", script, cwd=texts, path=programs) == expected


@pytest.mark.parametrize("words", [
	"*", "t*", "*t", "t*t", "*x*", "?", "????", "s*/", "s*//*", "*/*", "./*", "sub/*", "*/in*",
	"[a-s]*", "[!a-s]*", "[]a]*", "[!]a]*", "[a", "[a-", "[z-a]*", "[-a]*", "[a-]*", "t[",
	".*n", ".hid*", "*hid*", "nosuch*", "nosuch/*", "text/*", "*/nosuch", "a'*'b", "a\\*b", "'t'*",
	'"*"', "'*'t*", "'['a]*", "[\\]]*", "['!'a]*", "[a'-'z]*", "*a*b*", "a**b", "***", "*a*a*a*a*b",
	"$0*", '"$0"*', "t\\ext", "t\\ex*", "sub sub* b* c", "$PWD/*", "-*", "x?z", "x?*z",
])
def test_patterns_mean_what_they_mean_to_the_hosts_shell(programs, texts, words):
	for name in ("a*b", "a", "aXb", "].x", "[a", "-dash", ".hidden", "sub/inner", "sub/in2", "xyz",
	             "é", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"):
		(texts / name).write_text("")
	said = [subprocess.run([shell, "-c", f"echo {words}", "te"], cwd=texts, capture_output=True,
	                       env={"LC_ALL": "C", "PATH": "/bin", "PWD": str(texts)}, check=False, timeout=10)
	        for shell in (programs / "sh", "/bin/sh")]
	assert (said[0].stdout, said[0].stderr) == (said[1].stdout, said[1].stderr)


def test_shell_reads_files_and_input_line_by_line(programs, texts):
	script = "echo one \\\n two\necho 'a\nb' &&\n\n# nothing\necho c |\ncat\nnosuch\necho $? $1\nexit 3\n"
	expected = (3, "one two\na\nb\nc\n127 x\n", "sh: nosuch: command not found\n")
	(texts / "script").write_text(script)
	assert run(programs / "sh", "script", "x", cwd=texts, path=programs) == expected
	assert run(programs / "sh", stdin=script.replace("$1", "x"), cwd=texts, path=programs) == expected


def test_ctrl_c_ends_the_job_and_not_the_shell(programs):
	pexpect = pytest.importorskip("pexpect")
	shell = pexpect.spawn(str(programs / "sh"), env={"PATH": str(programs)}, timeout=PATIENCE,
	                      encoding="utf-8", echo=False)
	shell.expect_exact("$ ")
	for job in ("spin", "sleep 100 | cat", "sleep 100 && echo never"):
		shell.sendline(f"echo now; {job}")
		shell.expect_exact("now")
		shell.expect(pexpect.TIMEOUT, timeout=0.3)
		shell.sendintr()
		shell.expect_exact("$ ")
		shell.sendline("echo status $?")
		shell.expect_exact("status 130")
		shell.expect_exact("$ ")
	shell.sendintr()
	shell.sendline("spin &")
	shell.expect(r"\[(\d+)\]")
	background = shell.match.group(1)
	shell.sendline("echo now; sleep 100")
	shell.expect_exact("now")
	shell.expect(pexpect.TIMEOUT, timeout=0.3)
	shell.sendintr()
	shell.sendline(f"kill -0 {background} && echo alive; kill {background}; wait; exit 5")
	shell.expect_exact("alive")
	shell.expect(pexpect.EOF)
	shell.wait()
	assert shell.exitstatus == 5


def image(block, path):
	made = make("image", BLOCK=block, IMAGE=f"{path}.img")
	assert made.status == 0, made.err
	return Path(f"{path}.img")


@pytest.mark.parametrize("block", [1024, 2048, 4096])
def test_two_images_are_the_same_bytes(block, tmp_path):
	first = image(block, tmp_path / "first")
	second = image(block, tmp_path / "second")
	assert filecmp.cmp(first, second, shallow=False)
	assert first.stat().st_size <= 4 << 20


def test_image_holds_what_was_put_there(data, tmp_path):
	path = image(1024, tmp_path / "image")
	def debugfs(command):
		return subprocess.run(["/sbin/debugfs", "-R", command, path], capture_output=True,
		                      check=True).stdout
	assert debugfs("cat /tests/data/text") == (data / "text").read_bytes()
	assert debugfs("cat /tests/data/sparse") == (data / "sparse").read_bytes()
	assert b"Device major/minor number: 240:00" in debugfs("stat /dev/tasks")
	listing = debugfs("ls -p /bin").decode()
	assert "/init/" in listing and "/sh/" in listing
	for lesson in (ROOT / "lessons").glob("*/lesson.md"):
		assert debugfs(f"cat /lessons/{lesson.parent.name}/lesson.md") == lesson.read_bytes()


def test_image_refuses_an_unknown_block_size(tmp_path):
	made = make("image", BLOCK=512, IMAGE=tmp_path / "bad.img")
	assert made.status and "1024, 2048 or 4096" in made.err
