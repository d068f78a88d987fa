#!/usr/bin/env python3
"""Make the kernel's table of source lines, for its disk: /boot/klaava.lines.

    lines.py OBJDUMP KERNEL STAMP-SOURCE OUT

Reads DWARF through `objdump --dwarf=decodedline`.  The file is read by
monitor/shell/lines.c; all numbers are little-endian:

    block 0: "KLIN", stamp of the kernel's symbol table, bytes of names, number of line blocks
    names, NUL-terminated, padded to a block
    line blocks: address, line, file, entries behind this first one; then the entries:
    ULEB(address step * 2 + file changes), ULEB(zigzag line step), [ULEB(file)]

A block is 4,096 bytes, so that the kernel can keep each in a frame.  Line 0 says
that nothing is known from there on.
"""
import re
import struct
import subprocess
import sys

BLOCK = 4096
ROW = re.compile(r"^(\S+)\s+(\d+|-)\s+0x([0-9a-f]+)")
HEAD = re.compile(r"^(?:CU: )?(\S+\.[chS]):?(?:\[\+\+\])?$")
UNIT = re.compile(r"DW_AT_name\s*:.*?(\S+\.[cS])\s*$")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def base(path):
    return path.rsplit("/", 1)[-1]


def rows(objdump, kernel):
    """Yield (address, file, line) in the order of the line tables.

    A headline says whose rows follow: a path, or, where a unit's table begins,
    only its file's last component; units come in the same order as their names.
    """
    info = run(objdump, "--dwarf=info", "--dwarf-depth=1", kernel)
    units = [m.group(1) for m in map(UNIT.search, info.splitlines()) if m]
    path = ""
    for line in run(objdump, "--dwarf=decodedline", kernel).splitlines():
        head = HEAD.match(line.strip())
        if head:
            path = head.group(1)
            while "/" not in path and units and base(units[0]) != path:
                units.pop(0)
            if "/" not in path and units:
                path = units[0]
            continue
        row = ROW.match(line)
        if not row:
            continue
        name = path if base(path) == base(row.group(1)) else row.group(1)
        number = 0 if row.group(2) == "-" else int(row.group(2))
        yield int(row.group(3), 16), name[2:] if name.startswith("./") else name, number


def table(objdump, kernel):
    """One row an address, sorted, without repetitions."""
    last = {}
    for address, name, number in rows(objdump, kernel):
        if address < 0xC0000000:
            continue
        # The end of one sequence is often the start of the next one: that one counts.
        if number or address not in last:
            last[address] = (name, number)
    before = None
    for address in sorted(last):
        if last[address] != before:
            before = last[address]
            yield (address,) + before


def uleb(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    return n * 2 if n >= 0 else -n * 2 - 1


def blocks(entries):
    """Pack (address, file number, line) into blocks."""
    out = []
    head, body, count, before = None, b"", 0, None
    for address, name, line in entries:
        if head:
            step = address - before[0]
            code = uleb(step * 2 + (name != before[1])) + uleb(zigzag(line - before[2]))
            if name != before[1]:
                code += uleb(name)
            if 16 + len(body) + len(code) > BLOCK:
                out.append((head, count, body))
                head = None
            else:
                body += code
                count += 1
        if not head:
            head, body, count = (address, line, name), b"", 0
        before = (address, name, line)
    if head:
        out.append((head, count, body))
    return [(struct.pack("<4I", *h, n) + b).ljust(BLOCK, b"\0") for h, n, b in out]


def main():
    objdump, kernel, stamp_source, out = sys.argv[1:]
    with open(stamp_source, encoding="ascii") as f:
        stamp = int(re.search(r"\.long \d+, (0x[0-9a-f]+)", f.read()).group(1), 16)
    numbers, entries = {}, []
    for address, name, line in table(objdump, kernel):
        entries.append((address, numbers.setdefault(name, len(numbers)), line))
    names = b"".join(n.encode() + b"\0" for n in numbers)
    packed = blocks(entries)
    with open(out, "wb") as f:
        f.write(struct.pack("<4s3I", b"KLIN", stamp, len(names), len(packed)).ljust(BLOCK, b"\0"))
        f.write(names.ljust(-(-len(names) // BLOCK) * BLOCK, b"\0"))
        f.write(b"".join(packed))


if __name__ == "__main__":
    main()
