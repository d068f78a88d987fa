#!/usr/bin/env python3
"""Make the kernel's table of its own symbols.

    ksyms.py KERNEL > ksyms.S

Reads the symbol table of a linked kernel and writes an assembly source for
section .ksyms: see symbols.c for its shape.  The kernel is linked again with
it; the section lies behind everything else, so the addresses stay true.
"""
import struct
import sys
import zlib

KERNEL_BASE = 0xC0000000
SHT_SYMTAB, SHF_ALLOC = 2, 2
NOTYPE, OBJECT, FUNC = 0, 1, 2


def sections(elf):
    """All section headers: (name, type, flags, addr, offset, size, link)."""
    offset, = struct.unpack_from("<I", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 46)
    return [struct.unpack_from("<7I", elf, offset + i * size) for i in range(count)]


def symbols(elf):
    """Yield (address, name) of what lies in the kernel's memory."""
    table = sections(elf)
    for _, kind, _, _, offset, size, link in table:
        if kind != SHT_SYMTAB:
            continue
        names = table[link][4]
        for at in range(offset, offset + size, 16):
            name, value, _, info, _, section = struct.unpack_from("<IIIBBH", elf, at)
            if section == 0 or section >= len(table) or not table[section][2] & SHF_ALLOC:
                continue
            end = elf.index(b"\0", names + name)
            text = elf[names + name:end].decode("ascii")
            if info & 15 <= FUNC and value >= KERNEL_BASE and text and text[0] != ".":
                yield value, text


def main():
    with open(sys.argv[1], "rb") as f:
        table = sorted(set(symbols(f.read())))
    out = ['\t.section .ksyms, "aw"', "\t.balign 4", "\t.globl ksyms", "ksyms:",
           "\t.long %d, 0x%08x" % (len(table), zlib.crc32(repr(table).encode()))]
    offset = 0
    for address, name in table:
        out.append("\t.long 0x%08x, %d" % (address, offset))
        offset += len(name) + 1
    out += ['\t.asciz "%s"' % name for _, name in table]
    print("\n".join(out))


if __name__ == "__main__":
    main()
