# fs: ext2, path lookup; files, pipes and devices.

KERNEL_SRCS += $(addprefix kernel/fs/, ext2_super.c ext2_alloc.c ext2_free.c ext2_change.c ext2_inode.c \
	ext2_map.c ext2_write.c ext2_cut.c ext2_dir.c ext2_names.c inode.c namei.c names.c file.c \
	pipe.c dev.c console.c terminal.c)
KERNEL_SMALL += $(addprefix kernel/fs/, ext2_super.c ext2_alloc.c ext2_free.c ext2_change.c ext2_cut.c \
	ext2_write.c ext2_names.c names.c dev.c console.c terminal.c)
