/*
 * entry.S - the first instructions.
 *
 * A multiboot loader (QEMU's -kernel, GRUB) puts the kernel at 1 MB and jumps to boot_entry in
 * 32-bit protected mode, paging off.  The kernel is linked 3 GB higher: so map the first
 * 4 MB twice, at 0 and at KERNEL_BASE, turn paging on, and jump up.  These two pages, a directory and a
 * table, remain the kernel's own for good.
 */
#define KERNEL_BASE 0xC0000000
#define KERNEL_DIR_OFFSET (KERNEL_BASE >> 20)	/* 4 bytes for each 4 MB */
#define PTE_P_W 3

/* Multiboot 0.6.96, section 3.1 */
#define MULTIBOOT_MAGIC 0x1BADB002
#define MULTIBOOT_FLAGS 0x00000003	/* modules page-aligned; memory map wanted */

	.section .multiboot, "a"
	.align	4
	.long	MULTIBOOT_MAGIC, MULTIBOOT_FLAGS, -(MULTIBOOT_MAGIC + MULTIBOOT_FLAGS)

	.section .boot.text, "ax"
	.globl	boot_entry
boot_entry:
	cli
	cld
	movl	%eax, %esi			/* the loader's magic number */
	movl	$(boot_stack + 4096 - KERNEL_BASE), %esp

	xorl	%eax, %eax
	movl	$(kernel_bss_start - KERNEL_BASE), %edi
	movl	$(kernel_bss_end - KERNEL_BASE), %ecx
	subl	%edi, %ecx
	shrl	$2, %ecx
	rep stosl

	movl	$(boot_table - KERNEL_BASE), %edi
	movl	$PTE_P_W, %eax
1:	stosl
	addl	$4096, %eax
	cmpl	$(0x400000 + PTE_P_W), %eax
	jb	1b

	movl	$(boot_dir - KERNEL_BASE), %edi
	movl	$(boot_table - KERNEL_BASE + PTE_P_W), %eax
	movl	%eax, (%edi)
	movl	%eax, KERNEL_DIR_OFFSET(%edi)
	movl	%edi, %eax
	call	cr3_first_load
	movl	$boot_high, %eax
	jmp	*%eax

	.text
boot_high:				/* a name for backtraces */
	movl	$(boot_stack + 4096), %esp
	xorl	%ebp, %ebp
	movl	%ebx, %edx			/* physical address of the loader's information */
	movl	%esi, %eax
	call	kernel_main
	ud2

	.section .bss.stacks, "aw", @nobits
	.align	4096
	.globl	boot_stack, boot_dir, boot_table
boot_stack:
	.skip	4096
boot_dir:
	.skip	4096
boot_table:
	.skip	4096
