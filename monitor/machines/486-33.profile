# 486-33 - the machine one wished for in 1992.

mhz = 33
cpi = 2			# clocks an instruction, unverified: 60.6 ns
icount_shift = 6	# the nearest the emulator has: 64 ns (clock.pit makes up the rest)

tlb = 486
miss_low = 5		# cycles a TLB miss costs: unverified, the 386's ends
miss_high = 20

cpu = pentium3		# what runs it: has a local APIC, so that CPUS=4 works
invlpg = on		# what the kernel may use of it
wp = on
sysenter = off		# came with the Pentium II
global = off		# came with the Pentium Pro

disk_rpm = 3300		# a disk of 1992: half a turn takes 9 ms,
disk_seek_min = 4000	# the arm to the next cylinder takes 4 ms, across all of
disk_seek_max = 27000	# them 27, and to a random one 16 to 17,
disk_cylinders = 750	# 80 MB in all,
disk_heads = 4
disk_sectors = 53	# and 12 Mbit/s pass under the head

mem = 8M
cpus = 1
