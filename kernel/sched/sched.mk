# sched: tasks, who runs, sleep and wake, the kernel lock.

KERNEL_SRCS += $(addprefix kernel/sched/, task.c sched.c wait.c lock.c switch.S)
