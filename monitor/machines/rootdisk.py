"""rootdisk.py - the disk that `make run` writes to.

What somebody wrote on Klaava is there at the next `make run`: it works on a copy of the image,
build/disk-BLOCK.img.  The copy is made anew when the image is another one (a program or a source
was changed); the old one is then put aside, so that nothing is lost without a word.  All other
ways to start Klaava begin with the image itself and forget what is written, unless KEEP= says
otherwise.

A disk that was not left in order (Ctrl-\\, a panic, a killed emulator) is repaired before it is used
again, as at every boot of those days: by `e2fsck -p`, which asks nobody.
"""

import fcntl
import os
import shutil
import struct
import subprocess
import sys

STATE_AT = 1024 + 58	# s_state in the superblock of ext2
CLEAN = 1
E2FSCK_CANNOT = 4	# its status has this bit or a higher one: not repaired


def say(text):
	print(f"klaava: {text}", file=sys.stderr, flush=True)


def short(path):
	"""As somebody would type it here."""
	return os.path.relpath(path)


def origin(image):
	"""What tells one image from another: enough to know that it was made anew."""
	about = image.stat()
	return f"{about.st_mtime_ns} {about.st_size}\n"


def make(disk, image):
	"""A copy of the image, if there is none or it is one of another image."""
	note = disk.with_suffix(".from")
	if disk.is_file() and note.is_file() and note.read_text() == origin(image):
		say(f"the disk is {short(disk)}, with what was written on it")
		return
	if disk.is_file():
		old = disk.with_suffix(".old.img")
		disk.rename(old)
		say(f"the image is new: {short(disk)} is a copy of it; the old one is\n{short(old)}, to use with KEEP=")
	else:
		say(f"the disk is {short(disk)}, which keeps what is written")
	shutil.copyfile(image, disk)
	note.write_text(origin(image))


def repair(disk):
	"""Put in order what a crash left; say what that was."""
	with open(disk, "rb") as drive:
		drive.seek(STATE_AT)
		state = struct.unpack("<H", drive.read(2))[0]
	if state & CLEAN:
		return
	path = os.pathsep.join((os.environ.get("PATH", ""), "/sbin", "/usr/sbin"))
	tool = shutil.which("e2fsck", path=path)
	if not tool:
		say("the disk was not left in order, and e2fsck is not there to repair it")
		return
	say("the disk was not left in order: e2fsck -p")
	done = subprocess.run([tool, "-p", disk], capture_output=True, text=True, check=False)
	for line in (done.stdout + done.stderr).splitlines():
		print(f"    {line[:76]}", file=sys.stderr, flush=True)
	if done.returncode >= E2FSCK_CANNOT:
		say(f"not repaired: `e2fsck -y {short(disk)}` may, or remove it")


def take(options):
	"""Let this run have the disk: sets options.keep.  The lock is its as long as what is returned
	is open.  Somebody else has it: then what this run writes is forgotten."""
	disk = options.disk
	if not disk or options.keep or not options.image.is_file():
		return None
	disk.parent.mkdir(exist_ok=True)
	lock = open(disk.with_suffix(".lock"), "w")
	try:
		fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
	except BlockingIOError:
		lock.close()
		say(f"another run has {short(disk)}: what this one writes is forgotten")
		return None
	make(disk, options.image)
	repair(disk)
	options.keep = disk
	return lock
