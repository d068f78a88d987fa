# pentium-90 - 1994: a split TLB, twice as many entries for data, a part for 4 MB pages.

mhz = 90
cpi = 1.4		# clocks an instruction, unverified: 15.6 ns
icount_shift = 4	# the nearest the emulator has: 16 ns (clock.pit makes up the rest)

tlb = pentium
miss_low = 5		# cycles a TLB miss costs: unverified, the 386's ends
miss_high = 20

cpu = pentium3		# what runs it: has a local APIC, so that CPUS=4 works
invlpg = on		# what the kernel may use of it
wp = on
global = off		# came with the Pentium Pro

mem = 16M
cpus = 1
