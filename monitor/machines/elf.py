"""elf.py - one symbol's address, from a 32-bit ELF file's own table (System V ABI, chapter 4)."""

import struct

KERNEL_BASE = 0xC0000000	# physical memory is mapped from there
SHT_SYMTAB = 2


def symbol(path, name):
	"""The value of `name` in the file, or None."""
	data = path.read_bytes()
	if data[:6] != b"\x7fELF\x01\x01":
		return None
	at, = struct.unpack_from("<I", data, 32)
	size, count = struct.unpack_from("<HH", data, 46)
	sections = [struct.unpack_from("<10I", data, at + i * size) for i in range(count)]
	for section in sections:
		if section[1] != SHT_SYMTAB:
			continue
		names = sections[section[6]][4]
		for entry in range(section[4], section[4] + section[5], section[9]):
			offset, value = struct.unpack_from("<II", data, entry)
			start = names + offset
			if data[start:data.index(b"\0", start)] == name.encode():
				return value
	return None


def physical(path, name):
	"""Where the kernel's variable `name` lies in the machine's memory, or None."""
	value = symbol(path, name)
	return None if value is None else value - KERNEL_BASE
