# 386-40 - the fastest 386 there was, with much memory for its time: the machine of claims A2, A7.
#
# CPI of a 386: no source gives one; 4 to 5 is folklore.  Change it and measure again.

mhz = 40
cpi = 4.5		# clocks an instruction: 112.5 ns
icount_shift = 7	# the nearest the emulator has: 128 ns (clock.pit makes up the rest)

tlb = 386
miss_low = 5		# cycles a TLB miss costs: T. Ts'o's upper figure,
miss_high = 20		# and what a gate-level re-creation of the 386 says

cpu = pentium3		# what runs it: has a local APIC, so that CPUS=4 works
invlpg = off		# what the kernel may use of it: a 386 has no INVLPG,
wp = off		# no CR0.WP,
sysenter = off		# came with the Pentium II
global = off		# no global pages

disk_rpm = 3300		# a disk of 1992: half a turn takes 9 ms,
disk_seek_min = 4000	# the arm to the next cylinder takes 4 ms, across all of
disk_seek_max = 27000	# them 27, and to a random one 16 to 17,
disk_cylinders = 750	# 80 MB in all,
disk_heads = 4
disk_sectors = 53	# and 12 Mbit/s pass under the head

mem = 16M
cpus = 1
