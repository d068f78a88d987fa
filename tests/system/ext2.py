"""ext2.py - what an ext2 image has in it, read without help.

Just enough to say which files there are and what they hold.  The image is one that e2fsck has
found or made sound, so nothing is checked here.
"""

import struct

ROOT_INO = 2
FOLDER, FILE = 0o040000, 0o100000
CLEAN = 1


class Ext2:
	"""An image, a bytes-like object."""

	def __init__(self, image):
		self.image = image
		sb = image[1024:2048]
		self.block_size = 1024 << struct.unpack_from("<I", sb, 24)[0]
		self.first_block = struct.unpack_from("<I", sb, 20)[0]
		self.inodes_per_group = struct.unpack_from("<I", sb, 40)[0]
		revision = struct.unpack_from("<I", sb, 76)[0]
		self.inode_size = struct.unpack_from("<H", sb, 88)[0] if revision else 128
		self.is_clean = struct.unpack_from("<H", sb, 58)[0] == CLEAN

	def block(self, n):
		return self.image[n * self.block_size:(n + 1) * self.block_size]

	def inode(self, ino):
		"""(mode, size, block numbers) of an inode."""
		group, index = divmod(ino - 1, self.inodes_per_group)
		table = struct.unpack_from("<I", self.image, (self.first_block + 1) * self.block_size + 32 * group + 8)[0]
		at = table * self.block_size + index * self.inode_size
		mode, _, size = struct.unpack_from("<HHI", self.image, at)
		return mode, size, struct.unpack_from("<15I", self.image, at + 40)

	def under(self, block, depth):
		"""The block numbers under an indirect block: a list of so many, 0 for a hole."""
		if not block:
			return [0] * (self.block_size // 4) ** depth
		numbers = struct.unpack(f"<{self.block_size // 4}I", self.block(block))
		if depth == 1:
			return numbers
		return [n for number in numbers for n in self.under(number, depth - 1)]

	def blocks(self, ino):
		"""The blocks that hold a file's bytes or lead to them."""
		def tree(block, depth):
			if not block:
				return
			yield block
			if depth:
				for number in self.under(block, 1):
					yield from tree(number, depth - 1)
		numbers = self.inode(ino)[2]
		for n, number in enumerate(numbers):
			yield from tree(number, max(n - 11, 0))

	def read(self, ino):
		"""The bytes of a file or directory."""
		_, size, blocks = self.inode(ino)
		count = -(-size // self.block_size)
		numbers = list(blocks[:12])
		for depth in (1, 2, 3):
			if len(numbers) < count:
				numbers += self.under(blocks[11 + depth], depth)
		hole = bytes(self.block_size)
		return b"".join(self.block(n) if n else hole for n in numbers[:count])[:size]

	def names(self, ino):
		"""(name, inode number) of what a directory has, without . and .. ."""
		data, at = self.read(ino), 0
		while at < len(data):
			entry, length, name_length = struct.unpack_from("<IHB", data, at)
			name = bytes(data[at + 8:at + 8 + name_length]).decode("latin-1")
			if entry and name not in (".", ".."):
				yield name, entry
			at += length

	def files(self, folder="", ino=ROOT_INO):
		"""Path -> inode number of every plain file."""
		found = {}
		for name, number in self.names(ino):
			kind = self.inode(number)[0] & 0o170000
			if kind == FOLDER:
				found.update(self.files(f"{folder}{name}/", number))
			elif kind == FILE:
				found[folder + name] = number
		return found
