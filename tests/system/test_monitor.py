"""The monitor at a terminal: editing, history, completion, pager, live and stopped."""

import re
import time

import pytest

from conftest import ROOT, batch, good_batch, records

UP, DOWN, LEFT, RIGHT = "\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"
CTRL_A, CTRL_C, CTRL_E, CTRL_K, CTRL_U = "\x01", "\x03", "\x05", "\x0b", "\x15"
BREAK_IN = "\x1d"
BACKSPACE = "\x7f"


@pytest.fixture(scope="module")
def live():
	"""One machine for the tests that leave it as they found it."""
	from conftest import Terminal
	t = Terminal()
	yield t
	t.close()


def test_a_line_can_be_edited(live):
	live.keys("ecxo hello" + LEFT * 7 + BACKSPACE + "h" + CTRL_E + "!" + CTRL_A + RIGHT + "\r")
	assert live.prompt().endswith("hello!\n")


def test_a_line_can_be_given_up(live):
	live.keys("echo no" + CTRL_U + "echo yes")
	live.keys(LEFT * 4 + CTRL_K + " x\r")
	assert live.prompt().endswith("\nx\n")


def test_history_brings_lines_back(live):
	live.command("echo first")
	live.command("echo second")
	live.keys(UP + UP + "\r")
	assert live.prompt().endswith("first\n")
	live.keys(UP + UP + UP + DOWN + "\r")
	live.prompt()
	assert "echo second" in live.command("history")


@pytest.mark.parametrize("typed, completed", [
	("hel\t", "help"), ("set space.m\t", "space.model"), ("run switch\t", "switchers"),
	("sym cr3_loa\t", "cr3_load"), ("explain bca\t", "bcache"), ("swa\t", "swap "), ("ptmem 1\t", "ptmem 1 "),
])
def test_tab_completes_commands_arguments_and_symbols(live, typed, completed):
	live.keys(typed)
	try:
		live.see(completed.replace(".", r"\."), timeout=5)
	finally:
		live.keys(CTRL_U + "\r")
		live.prompt()


def test_a_command_may_be_shortened_while_it_stays_unique(live):
	assert live.command("ech short").endswith("short\n")
	assert "ambiguous" in live.command("p")


def test_output_can_be_filtered(live):
	lines = live.command("help | cr3").splitlines()
	assert lines and all("cr3" in line for line in lines)


@pytest.mark.parametrize("view, word, heading", [
	("ps", "init", "PID"), ("ptmem", "init", "PID"), ("cr3 log 200", "switch", "REASON"), ("mem", "user", "FRAMES"),
])
def test_a_filter_keeps_the_line_that_names_the_columns(view, word, heading):
	lines = good_batch(f"run switchers 2 4; echo @; {view} | {word}", MACHINE="count").partition("@\n")[2].splitlines()
	assert heading in lines[0] and len(lines) > 1
	assert all(word in line for line in lines[1:])
	assert heading not in good_batch(f"{view} -k | {word}", MACHINE="count")


@pytest.mark.parametrize("word", ["exit", "quit"])
def test_who_wants_to_leave_is_told_how(live, word):
	assert "poweroff" in live.command(word)


def test_long_output_is_paged_at_a_terminal_and_not_in_scripts(live):
	live.keys("help\r")
	live.see("(?i)more")
	live.keys("q")
	live.prompt()
	assert "more--" not in good_batch("help")


def test_explain_says_what_columns_mean_and_which_lesson(live):
	text = live.command("explain ps")
	assert "ticks" in text and "state" in text
	assert "esson" in live.command("explain cr3")


def test_every_command_is_in_help_and_can_be_explained():
	names = [line.split()[0] for line in good_batch("help").splitlines() if line[:1].isalpha()]
	assert len(names) > 30
	for name in ("ps", "cr3", "ptmem", "swap", "walk", "pt", "bcache", "pda", "mem", "space", "tlb", "break"):
		assert name in names


def test_watch_refreshes_until_a_key(live):
	live.keys("watch 1 echo tock\r")
	live.see("tock")
	live.see("tock", timeout=5)
	live.keys("q")
	live.prompt()


def test_ctrl_c_ends_the_program_in_the_foreground(live):
	live.keys("run spin 100\r")
	time.sleep(0.5)
	live.keys(CTRL_C)
	live.prompt(5)
	assert not any(r.get("name") == "spin" for r in records(live.command("ps -k")))


def test_ctrl_close_bracket_comes_back_from_a_running_program(live):
	live.keys("run spin 100\r")
	time.sleep(0.5)
	live.keys(BREAK_IN)
	live.prompt(5)
	spin = [r["pid"] for r in records(live.command("ps -k")) if r.get("name") == "spin"]
	assert len(spin) == 1
	live.command(f"kill -9 {spin[0]}")


def test_the_shell_runs_pipes_and_redirection(live):
	live.keys("sh\r")
	live.see(r"\$ ")
	live.keys("ls /bin | grep switch | wc\r")
	live.see(r"1 +1 +10")
	live.keys("wc < /lessons/01-one-number/lesson.md; false; echo status $?\r")
	live.see("status 1")
	live.keys("exit\r")
	live.prompt()


def test_ctrl_c_at_the_shell_gives_the_line_up(live):
	live.keys("sh\r")
	live.see(r"\$ ")
	live.keys("echo never" + CTRL_C)
	live.see(r"\^C\r\n\$ ")
	live.keys("echo 'open\r")
	live.see("\n> ")
	live.keys(CTRL_C)
	live.see(r"\^C\r\n\$ ")
	live.keys("exit\r")
	live.prompt()


def test_fg_gives_the_keys_back_to_the_shells_job(live):
	live.keys("sh\r")
	live.see(r"\$ ")
	live.keys("sleep 100\r")
	time.sleep(0.5)
	live.keys(BREAK_IN)
	pid = live.see(r"fg (\d+) comes back")[1]
	live.prompt()
	live.command("run true")
	live.keys(f"fg {pid}\r")
	time.sleep(0.5)
	live.keys(CTRL_C)
	live.see(r"\^C\r\n\$ ")
	live.keys("exit 0\r")
	live.prompt()


def test_a_program_in_the_background_says_how_it_ended(live):
	pid = live.command("run spin 100 &").split("]")[0][1:]
	said = live.command(f"kill -9 {pid}")	# it may be gone before the next prompt, or after
	for _ in range(100):
		if f"[{pid}] killed by SIGKILL" in said:
			return
		time.sleep(0.1)
		live.keys("\r")
		said += live.prompt()
	raise AssertionError(said)


def test_a_stopped_world_can_be_viewed_and_goes_on(terminal):
	t = terminal()
	t.command("run spin 60 &")
	t.command("stop")
	first = records(t.command("ps -k"))
	time.sleep(0.5)
	assert records(t.command("ps -k")) == first
	for view in ("regs", "cr3", "ptmem", "ptmem 1", "swap", "mem", "pda", "bcache", "bt", "cpu", "irq"):
		t.command(view)
	t.command("go")
	time.sleep(0.5)
	later = records(t.command("ps -k"))
	spin = [[r for r in rows if r.get("name") == "spin"][0] for rows in (first, later)]
	assert spin[1]["ticks"] > spin[0]["ticks"]


def test_break_stops_before_an_instruction_and_step_runs_one(terminal):
	t = terminal()
	t.command("break sys_fork")
	t.keys("run switchers 2 1\r")
	out = t.prompt()
	assert "sys_fork" in out
	assert "sys_fork" in t.command("bt")
	before = t.command("regs | eip")
	assert t.command("step") and t.command("regs | eip") != before
	t.command("delete all")
	t.command("go")


def test_walk_shows_every_step_of_a_translation():
	out = good_batch("run sleep 5 &; run sleep 1; ps -k", MACHINE="count")
	pid = next(r["pid"] for r in records(out) if r.get("name") == "sleep")
	out = good_batch(f"run sleep 5 &; run sleep 1; walk {pid} 0x400000; walk {pid} 0; walk {pid} 0xc0100000; "
	                 f"pt {pid}; space {pid}", MACHINE="count")
	assert "directory" in out and "table" in out
	assert max(map(len, out.splitlines())) <= 80


def test_a_process_may_be_called_by_its_name_then_the_oldest_is_meant():
	out = good_batch("run sleep 100 &; run sleep 101 &; run sleep 0.1; ps -k; space sleep -k; space init -k; "
	                 "kill -KILL sleep; run sleep 0.1; space sleep -k")
	first, second = [r["pid"] for r in records(out) if r.get("name") == "sleep" and "state" in r]
	assert [r["pid"] for r in records(out) if "limit" in r] == [first, 1, second]
	wrong = batch("space nosuch")
	assert wrong.status == 1 and "nosuch: neither a pid nor the name of a process" in wrong.out


def test_a_name_means_a_living_process_while_there_is_one():
	out = good_batch("run sleep 100 &; run sleep 101 &; run sleep 0.1; kill -KILL sleep; run sleep 0.1; ps -k; "
	                 "space sleep -k", MACHINE="count")
	sleepers = [r for r in records(out) if r.get("name") == "sleep" and "state" in r]
	living, = [r["pid"] for r in sleepers if r["state"] != "zombie"]
	assert [r["pid"] for r in records(out) if "limit" in r] == [living]


@pytest.mark.parametrize("signal, waits", [("-TERM", True), ("-KILL", False), ("-CONT", False), ("-STOP", False)])
def test_a_signal_that_a_stopped_process_does_not_act_on_yet_says_so(signal, waits):
	out = good_batch(f"run hold 1 1; kill {signal} hold", MACHINE="count")
	assert ("is stopped: the signal waits until it runs on" in out) == waits


def test_explain_of_a_tunable_says_what_both_sides_are_and_which_lesson(live):
	said = live.command("explain swap.tables")
	assert "off | on" in said and "stay in memory, or follow their pages" in said and "lesson 6" in said
	assert live.command("explain swap.tabels").startswith("swap.tabels: no such tunable")


def test_show_takes_the_beginning_of_names():
	run = batch("echo @; show -k; echo @; show swap -k; echo @; show swap.tables -k; echo @; show nosuch")
	every, some, one = ([r["name"] for r in records(part)] for part in run.out.split("@\n")[1:4])
	assert some == [name for name in every if name.startswith("swap")] and len(every) > len(some) >= 3
	assert one == ["swap.tables"]
	assert run.status == 1 and "nosuch: no such tunable" in run.out


def test_a_lesson_at_the_prompt_says_which_machine_it_is_about_and_how_to_get_it():
	for lesson in sorted((ROOT / "lessons").glob("*/lesson.md")):
		number = int(lesson.parent.name[:2])
		machine = re.search("<!-- machine: (.*) -->", lesson.read_text())[1]
		mon = f"lesson {number}"
		said = good_batch(mon, TIMEOUT=120).partition("klaava> ")[0]
		assert f"(For a machine with {machine},\nwhich `make lesson N={number}` starts.)" in said


def test_slots_of_pages_and_of_tables_are_all_slots_used():
	out = good_batch("run hold 8 16; run sweep 600; swap; swap -k; ptmem -k", MACHINE="386-40", TLB="off", MEM="2M")
	used, pages, tables = map(int, re.search(r"(\d+) used \(pages (\d+), tables (\d+)\)", out).groups())
	swap, = [r for r in records(out) if "table_out" in r]
	assert used == swap["used"] == pages + tables and tables == swap["tables"] > 0
	assert 0 < pages < swap["pages"], "hold shares a page since it forked"


def test_an_address_in_a_process_may_be_a_symbol_of_its_program():
	out = good_batch("run spin 100 &; run sleep 1; sym spin:main -k; echo @; x 4 main -k; walk 4 main -k",
	                 MACHINE="count")
	symbol, words, *_, verdict = records(out.replace("@", ""))
	assert symbol["addr"] == words["addr"]
	assert verdict["user_read"] == "ok"


def long_lines(text):
	return [line for line in text.splitlines() if len(line) > 80]


def test_what_help_and_explain_say_fits_80_columns(live):
	live.command("screen 500 80")	# no pager
	table = live.command("help")
	commands = [line.split()[0] for line in table.partition("\n\n")[0].splitlines() if line[0] != " "]
	tunables = [r["name"] for r in records(live.command("show -k"))]
	assert len(commands) > 40 and len(tunables) > 15 and not long_lines(table)
	for line in [f"{ask} {c}" for c in commands for ask in ("help", "explain")] + [f"explain {t}" for t in tunables]:
		said = live.command(line)
		assert said.strip() and not long_lines(said), line
	live.command("screen 24 80")


def printed(source):
	"""The texts that a C file hands to what prints for people, with the least that fills them: of
	a program every text may be one."""
	for call in re.finditer(r'\b(out|out_heading|fail|klog|kprintf|printf|usage|text\[\] =|usage\[\] =)\(?'
	                        r'((?:\s*"(?:[^"\\\n]|\\.)*")+)', source):
		text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call[2]))
		if "=%" in text:
			continue	# a record
		text = re.sub(r"%[-0]?(\d*)(?:\.\*)?l*[a-z]", lambda m: "x" * int(m[1] or 1), text)
		yield from (("usage: " if "[]" in call[1] else "") + text).replace('\\"', '"').split("\\n")


def test_no_line_that_kernel_monitor_or_programs_may_say_is_longer_than_80_columns():
	seen = 0
	for file in [f for folder in ("kernel", "monitor/shell") for f in (ROOT / folder).rglob("*.c")]:
		for line in printed(file.read_text()):
			seen += 1
			assert len(line) <= 80, (file, line)
	assert seen > 400


def test_all_views_fit_80_columns_and_their_records_are_records():
	views = ("ps", "cr3", "cr3 log", "ptmem", "swap", "mem", "bcache", "pda", "cpu", "irq", "syscalls", "show")
	out = good_batch("run switchers 2 5; " + "; ".join(views), MACHINE="count", CPUS=2)
	assert not long_lines(out)
	out = good_batch("run true; " + "; ".join(f"echo @{v}; {v} -k" for v in views),
	                 MACHINE="count", CPUS=2)
	for part in out.split("@")[1:]:
		name, *lines = part.splitlines()
		assert lines, name
		assert len(records("\n".join(lines))) == len([line for line in lines if line.split()[0] != "total"]) \
			or name == "ptmem", part


def test_views_of_one_process_or_address_fit_80_columns():
	views = ("space hold", "pt hold", "walk hold 400000", "ptmem hold", "bt hold", "regs hold", "x hold 404000",
	         "x /64 cr3_load", "xp c000", "sym hold:main", "sym cr3_load", "break cr3_load", "watchpoint telemetry w",
	         "break hold:main", "list", "delete all", "tlb", "tlb stats", "tlb explain cr3_load",
	         "tlb explain hold 404000", "cr3 log 50", "lesson", "bench getppid", "time mem", "swap")
	for tables in ("off", "on"):
		# `x` fails where the page is on the disk, and says so
		out = batch("run hold 3 40 300; run sweep 600; " + "; ".join(views), MACHINE="386-40", MEM="2M",
		            SET=f"swap.tables={tables}").out
		assert not long_lines(out)
		assert out.count("on the disk") > 2


def test_tlb_probe_shows_what_is_cached():
	out = good_batch("run sweep 8 & ; run spin 5 &; run sleep 1; ps -k")
	assert records(out)


def test_the_readmes_tour_names_commands_that_exist():
	tour = (ROOT / "README.md").read_text().partition("## A tour")[2].partition("The same commands")[0]
	lines = [line.split("  ")[0].strip() for line in
	         (line[4:] for line in tour.splitlines() if line.startswith("    "))]
	help_ = good_batch("help")
	names = {line.split()[0] for line in help_.splitlines() if line[:1].strip()}
	assert len(lines) > 10
	for line in lines:
		assert line.split()[0] in names, line
	for program in (line.split()[1] for line in lines if line.startswith("run ")):
		assert (ROOT / "build/user" / program).exists(), program
