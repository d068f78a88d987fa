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
global = off		# came with the Pentium Pro

mem = 8M
cpus = 1
