# proc: how programs begin, what interrupts them, how they end.

KERNEL_SRCS += $(addprefix kernel/proc/, proc.c exec.c exec_args.c stack.c fork.c exit.c family.c \
	signal.c signal_frame.c fault.c oom.c)
KERNEL_SMALL += $(addprefix kernel/proc/, proc.c signal.c signal_frame.c fault.c oom.c)
