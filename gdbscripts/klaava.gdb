# klaava.gdb - what GDB is told before you get its prompt.
#
# `make gdb` starts QEMU frozen before its first instruction, attaches GDB and reads
# this file (by -x; nothing is loaded behind your back).  The guest stops at the first
# C function of the kernel.  A hardware breakpoint, since the kernel is not in
# memory yet and a software one would be overwritten when it is loaded.

set pagination off
set print pretty on
set disassemble-next-line off
set history save off
hbreak kernel_main
continue
delete

echo \n
echo Klaava, stopped where its C code begins; the processor is yours.  Try:\n
echo \ \ next                       the boot order, line by line\n
echo \ \ break cr3_load             stop whenever CR3 is about to change; continue\n
echo \ \ print/x $cr3               which page directory rules now\n
echo \ \ info threads, thread 2     processors are threads (make gdb CPUS=2)\n
echo \ \ x/8i $eip, bt, Ctrl-C, kill   the usual ones; quit ends the machine\n
