# lib: what needs nothing else.

KERNEL_SRCS += $(addprefix kernel/lib/, string.c printf.c log.c panic.c div64.c)
KERNEL_SMALL += kernel/lib/printf.c
