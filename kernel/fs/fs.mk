# fs: ext2, path lookup; files, pipes and devices.

KERNEL_SRCS += $(addprefix kernel/fs/, ext2_super.c ext2_inode.c ext2_map.c ext2_dir.c inode.c namei.c \
	file.c pipe.c dev.c console.c terminal.c)
