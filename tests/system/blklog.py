"""blklog.py - a record of what was written to a disk, and the disk as it was at any moment.

QEMU's blklogwrites driver (RECORD= of the launcher) keeps every write in the order in which the
disk had them, in the format of Linux's dm-log-writes: a sector for the log itself, then for each
write a sector that says where it went, and behind it what was written.

A crash leaves what some prefix of the record makes of the disk.
"""

import struct

SECTOR = 512
ENTRY = struct.Struct("<QQQQ")	# first sector, sectors, flags, bytes of data
DISCARD = 4	# a flag: no data follow


class Record:
	"""writes[i] is (byte offset on the disk, bytes), ends[i] where it ends in the file."""

	def __init__(self, path):
		self.writes, self.ends = [], []
		with open(path, "rb") as f:
			data = f.read()
		at = SECTOR
		while at + SECTOR <= len(data):
			sector, count, flags, _ = ENTRY.unpack_from(data, at)
			size = 0 if flags & DISCARD else count * SECTOR
			if at + SECTOR + size > len(data):
				break	# it was not written to its end
			at += SECTOR + size
			if size:	# else a flush
				self.writes.append((sector * SECTOR, data[at - size:at]))
				self.ends.append(at)

	def __len__(self):
		return len(self.writes)

	def before(self, position):
		"""How many writes were complete when the file had `position` bytes."""
		low, high = 0, len(self.ends)
		while low < high:
			middle = (low + high) // 2
			if self.ends[middle] <= position:
				low = middle + 1
			else:
				high = middle
		return low

	def replay(self, image, prefixes):
		"""For each of the sorted `prefixes`: it, and the disk after so many writes, which is
		the same bytearray each time."""
		disk, done = bytearray(image), 0
		for prefix in prefixes:
			for at, data in self.writes[done:prefix]:
				disk[at:at + len(data)] = data
			done = prefix
			yield prefix, disk
