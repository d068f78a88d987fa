# mm: frames, small objects, page tables, spaces, faults, user copies.

KERNEL_SRCS += $(addprefix kernel/mm/, frame.c bootmem.c kalloc.c paging.c space.c area.c fork.c fault.c usercopy.c \
	share.c swap.c swapin.c tables.c evict.c)
KERNEL_SMALL += $(addprefix kernel/mm/, bootmem.c tables.c share.c evict.c swap.c swapin.c)
