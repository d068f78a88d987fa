# count - the plainest machine: one instruction, one tick, nothing else modelled.
#
# It stands for no real computer.  Every instruction takes one virtual
# nanosecond, so times read as instruction counts; use it to count, not to time.

mhz = 1000
cpi = 1
icount_shift = 0	# 2^0 ns an instruction

cpu = pentium3		# has a local APIC, TSC and FXSAVE, like the default machine
