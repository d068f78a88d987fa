"""The monitor's views of memory under pressure agree with each other and with the counts.

All views here look at one moment: a batch runs its commands one behind the other while nobody
else does anything but sleep."""

import re

import pytest

from conftest import batch, good_batch, records

SMALL = {"MACHINE": "count", "MEM": "2M", "SWAP": "8M"}
PRESSURE = "run sleepers 4 100 &; run sleep 1000 &; run sleep 1000 &; run sleep 1; run pattern 2 3 1"
VIEWS = ("mem", "ptmem", "swap")


def parts(out):
	"""What each command printed, by the word that was echoed before it."""
	return dict(part.split("\n", 1) for part in out.split("@")[1:])


def look(*commands):
	"""MON for these commands, each announced."""
	return "; ".join(f"echo @{c}; {c}" for c in commands)


def by_pid(text):
	return {r["pid"]: r for r in records(text) if "pid" in r}


@pytest.fixture(scope="module", params=["private", "shared"])
def pressed(request):
	"""Views after memory was short, of all and of every process: (views, pids)."""
	model = f"space.model={request.param}"
	first = good_batch(f"{PRESSURE}; {look('ptmem -k')}", SET=model, **SMALL)
	rows = by_pid(parts(first)["ptmem -k"])
	pids = [p for p, r in rows.items() if r["name"] != "(dead)"]
	commands = [f"{v}{k}" for v in VIEWS for k in ("", " -k")]
	commands += [f"{v} {p}{k}" for v in ("space", "pt", "ptmem") for p in pids for k in ("", " -k")]
	return parts(good_batch(f"{PRESSURE}; {look(*commands)}", SET=model, **SMALL)), pids


def rows_of(pressed):
	views, pids = pressed
	return {p: by_pid(views["ptmem -k"])[p] for p in pids}


def test_pressure_leaves_pages_and_tables_on_the_disk(pressed):
	rows = rows_of(pressed).values()
	assert len(rows) >= 8
	assert any(r["swapped"] for r in rows) and any(r["tables_swapped"] for r in rows)
	assert any(r["rss"] for r in rows)


def test_what_processes_have_on_the_disk_is_what_the_swap_area_has(pressed):
	views, _ = pressed
	swap, = records(views["swap -k"])
	every = by_pid(views["ptmem -k"]).values()
	total = next(r for r in records(views["ptmem -k"]) if r.get("row") == "total")
	assert swap["slots"] == swap["used"] + swap["free"] + swap["bad"] == 2048
	assert swap["pages"] == sum(r["swapped"] for r in every) > 0
	assert swap["tables"] == swap["tables_swapped"] == sum(r["tables_swapped"] for r in every) > 0
	assert total["tables_swapped"] == swap["tables"]
	assert swap["tables"] < swap["used"] <= swap["pages"] + swap["tables"]
	assert swap["data_out"] >= swap["used"] - swap["tables"] and swap["table_out"] >= swap["tables"]
	assert swap["reads"] and swap["writes"] and not swap["errors"]
	assert swap["scanned"] > swap["cleared"] > 0


def test_the_map_of_the_swap_area_shows_every_slot_and_fits_a_screen(pressed):
	text = pressed[0]["swap"]
	rows = re.findall(r"^ +\d+ ([.#s*x]+)$", text, re.M)
	scale = int(re.search(r"a cell is (\d+) slot", text)[1])
	assert sum(map(len, rows)) * scale == 2048
	assert max(map(len, rows)) <= 64 and len(text.splitlines()) <= 24
	assert "#" in text and "s" in "".join(rows)


def test_ptmem_counts_tables_and_entries_table_by_table(pressed):
	views, pids = pressed
	for pid, row in rows_of(pressed).items():
		tables = records(views[f"ptmem {pid} -k"])
		here = [t for t in tables if t["slot"] == "-"]
		assert row["tables"] == row["dir"] + len(here)
		assert row["dir"] == (row["model"] == "private")
		assert row["tables_swapped"] == len(tables) - len(here)
		assert row["entries"] == sum(t["present"] + t["swapped"] for t in here)
		assert row["rss"] == sum(t["present"] for t in here)
		assert row["swapped"] >= sum(t["swapped"] for t in here)
		if here:
			assert abs(float(row["percent"]) - row["entries"] / len(here) / 10.24) <= 0.05
	total = next(r for r in records(views["ptmem -k"]) if r.get("row") == "total")
	every = by_pid(views["ptmem -k"]).values()
	assert total["tables"] == sum(r["tables"] for r in every)
	assert total["entries"] == sum(r["entries"] for r in every)
	assert abs(float(total["percent"]) - 100 * total["tables"] / total["frames_user"]) <= 0.05


def test_space_places_each_page_on_the_disk_or_says_that_it_cannot(pressed):
	views, _ = pressed
	for pid, row in rows_of(pressed).items():
		header, *areas = records(views[f"space {pid} -k"])
		assert header["swapped"] == row["swapped"]
		assert header["tables_swapped"] == row["tables_swapped"]
		assert header["swapped"] == header["unplaced"] + sum(a["swapped"] for a in areas)
		assert header["rss"] == sum(a["resident"] for a in areas)
		assert header["tables_swapped"] or not header["unplaced"]
		assert ("+" in views[f"space {pid}"].replace("+ in all", "")) == bool(header["unplaced"])


def test_pt_shows_where_on_the_disk_pages_and_tables_are(pressed):
	views, _ = pressed
	for pid, row in rows_of(pressed).items():
		lines = records(views[f"pt {pid} -k"])
		tables = [r["slot"] for r in lines if "dir" in r and "slot" in r]
		runs = [r for r in lines if "pages" in r and "slot" in r]
		pages = [r["slot"] + i * r["step"] for r in runs for i in range(r["pages"])]
		assert all(r["flags"].endswith("s") and "P" not in r["flags"] for r in lines if "slot" in r)
		assert len(tables) == row["tables_swapped"]
		assert len(set(tables + pages)) == len(tables + pages)
		assert len(pages) == sum(t["swapped"] for t in records(views[f"ptmem {pid} -k"]))
		assert tables == [t["slot"] for t in records(views[f"ptmem {pid} -k"]) if t["slot"] != "-"]
		assert views[f"pt {pid}"].count("on disk, slot") == len(tables)


def swapped_page_and_table():
	"""(pid, address, slot, level of the walk) of a page, and of a table, on the disk."""
	rows = by_pid(parts(good_batch(f"{PRESSURE}; {look('ptmem -k')}", **SMALL))["ptmem -k"])
	page = next(p for p, r in rows.items() if r["swapped"] and not r["tables_swapped"])
	table = next(p for p, r in rows.items() if r["tables_swapped"])
	out = parts(good_batch(f"{PRESSURE}; {look(f'pt {page} -k', f'pt {table} -k')}", **SMALL))
	found = [next(r for r in records(out[f"pt {pid} -k"]) if key in r and "slot" in r)
	         for pid, key in ((page, "pages"), (table, "dir"))]
	return [(pid, r["first"], r["slot"], level)
	        for pid, r, level in zip((page, table), found, ("table", "directory"))]


def test_walk_and_x_say_what_is_on_the_disk_and_leave_it_there():
	for pid, address, slot, level in swapped_page_and_table():
		walk = f"walk {pid} {address:#x}"
		run = batch(f"{PRESSURE}; {look('swap -k', walk + ' -k', walk, f'x {pid} {address:#x}')}; "
		            "echo @after; swap -k", **SMALL)
		out = parts(run.out)
		*_, last, verdict = records(out[walk + " -k"])
		assert (last["step"], last["slot"]) == (level, slot)
		assert verdict["user_read"] == verdict["user_write"] == "fault"
		assert f"on the disk, slot {slot}: page fault" in out[walk]
		assert run.status == 1 and f"is on the disk, slot {slot};" in run.out
		assert out["after"] == out["swap -k"]


def test_views_fit_80_columns_under_pressure(pressed):
	views, _ = pressed
	for name, text in views.items():
		if not name.endswith("-k"):
			assert max(map(len, text.splitlines())) <= 80, name
		else:
			assert records(text), name


def test_views_of_a_stopped_world_show_the_same_twice_and_it_goes_on(terminal):
	t = terminal(**SMALL)
	t.command("screen 200 80")
	t.command("run sleepers 8 100 &")
	t.command("run pattern 2 3 1000 &")
	while not records(t.command("swap -k"))[0]["reads"]:
		pass
	pid = next(r["pid"] for r in records(t.command("ps -k")) if r.get("name") == "pattern")
	t.command("stop")
	for view in VIEWS + tuple(f"{v} {pid}" for v in ("space", "pt", "ptmem")):
		for k in ("", " -k"):
			text = t.command(f"{view}{k}")
			assert text == t.command(f"{view}{k}")
	before = records(t.command("swap -k"))[0]
	t.command("go")
	t.command("run sleep 1")
	assert records(t.command("swap -k"))[0]["scanned"] > before["scanned"]


def test_without_a_swap_area_swap_says_so_in_one_line():
	out = parts(good_batch(look("swap", "swap -k"), MACHINE="count", SWAP="off"))
	assert out["swap"].startswith("no swap area") and out["swap"].count("\n") == 1
	assert records(out["swap -k"])[0]["slots"] == 0


def test_slots_that_cannot_be_written_are_counted_and_marked():
	out = parts(batch(f"set swap.fail write; run pattern 2 1 1; {look('swap', 'swap -k')}", **SMALL).out)
	swap, = records(out["swap -k"])
	assert swap["bad"] > 0 == swap["data_out"]
	assert swap["errors"] == swap["writes"] >= swap["bad"]
	assert re.search(r"^ +0 x", out["swap"], re.M) and f"{swap['bad']} bad" in out["swap"]


def test_mem_splits_the_kernels_frames_and_the_programs():
	out = parts(good_batch(f"run sleepers 3 2 &; run sleep 1; {look('mem -k', 'ps -k')}", MACHINE="count"))
	mem, = records(out["mem -k"])
	assert mem["kernel"] == mem["stacks"] + mem["kmalloc_frames"] + mem["kernel_other"]
	assert mem["stacks"] >= len(records(out["ps -k"]))
	assert mem["user"] == mem["user_private"] + mem["user_shared"]
	assert mem["user_shared"] > 0


def test_a_page_is_private_again_when_the_other_who_had_it_is_gone():
	out = good_batch("run sleepers 3 2 &; run sleep 1; mem -k; run sleep 2; mem -k", MACHINE="count")
	during, after = records(out)
	assert during["user_shared"] > 0 == after["user_shared"]


@pytest.mark.parametrize("command", ["ptmem", "swap"])
def test_explain_names_the_lessons_on_page_tables(command):
	text = good_batch(f"explain {command}").replace("\n", " ")
	assert "where did the memory go" in text and "paging the page tables" in text
	assert ("10 %" in text) == (command == "ptmem")
