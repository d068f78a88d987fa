# block: disks, the request layer above them, the buffer cache above that.

KERNEL_SRCS += $(addprefix kernel/block/, request.c ide.c ramdisk.c disktime.c buffer.c pool.c \
	flush.c order.c)
KERNEL_SMALL += $(addprefix kernel/block/, ide.c request.c pool.c flush.c order.c)
