# block: disks, the request layer above them, the buffer cache above that.

KERNEL_SRCS += $(addprefix kernel/block/, request.c ide.c ramdisk.c disktime.c buffer.c)
KERNEL_SMALL += kernel/block/ide.c
