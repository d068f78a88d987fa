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
global = off		# no global pages

mem = 16M
cpus = 1
