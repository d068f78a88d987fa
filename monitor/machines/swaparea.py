#!/usr/bin/env python3
"""swaparea.py FILE BYTES - makes a disk that Klaava may swap to.

As mkswap(8) does: a first page with a version, the number of the last page, and at its end the
signature without which the kernel writes to no disk.  Behind it so many bytes of nothing (the
file is sparse).  The launcher makes one for each run; `make image` makes one for who starts
QEMU by hand, as a second drive (-drive file=build/swap.img,format=raw,if=ide,index=2).
"""

import struct
import sys

PAGE = 4096
VERSION_AT = 1024	# and the last page's number behind it
SIGNATURE = b"SWAPSPACE2"


def make(path, size):
	with open(path, "wb") as drive:
		drive.seek(VERSION_AT)
		drive.write(struct.pack("<II", 1, size // PAGE))
		drive.seek(PAGE - len(SIGNATURE))
		drive.write(SIGNATURE)
		drive.truncate(PAGE + size)


if __name__ == "__main__":
	make(sys.argv[1], int(sys.argv[2]))
