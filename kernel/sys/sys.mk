# sys: the system-call table and what it points to.

KERNEL_SRCS += $(addprefix kernel/sys/, table.c process.c identity.c signals.c files.c paths.c \
	names.c stat.c attributes.c disk.c memory.c tls.c random.c time.c)
KERNEL_SMALL += $(addprefix kernel/sys/, identity.c memory.c tls.c random.c signals.c \
	names.c attributes.c disk.c time.c)
