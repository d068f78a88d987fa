/*
 * trampoline.S - from real mode to the kernel, for every CPU but the first.
 *
 * smp.c copies this page to TRAMPOLINE_PHYS and fills in the four words at its start.  The CPU begins in
 * real mode at the first byte, turns on protection, then paging (by the same
 * function as the first CPU did), and calls `entry(argument)` on `stack`.
 */
#include "boot/trampoline.h"

#define HERE(label) (TRAMPOLINE_PHYS + label - trampoline_start)
#define CR0_PE 1

	.section .rodata
	.globl	trampoline_start, trampoline_end
	.code16
trampoline_start:
	jmp	1f
	.org	trampoline_start + 8
	.long	0, 0, 0, 0

1:	cli
	cld
	xorw	%ax, %ax
	movw	%ax, %ds
	lgdtl	HERE(gdt_pointer)
	movl	%cr0, %eax
	orl	$CR0_PE, %eax
	movl	%eax, %cr0
	ljmpl	$0x08, $HERE(protected)

	.code32
protected:
	movw	$0x10, %ax
	movw	%ax, %ds
	movw	%ax, %es
	movw	%ax, %ss
	movl	$(TRAMPOLINE_PHYS + 4096), %esp
	movl	TRAMPOLINE_PHYS + TRAMPOLINE_DIR, %eax
	movl	$cr3_first_load, %edx
	call	*%edx
	movl	TRAMPOLINE_PHYS + TRAMPOLINE_STACK, %esp
	xorl	%ebp, %ebp
	movl	TRAMPOLINE_PHYS + TRAMPOLINE_ARGUMENT, %eax
	movl	TRAMPOLINE_PHYS + TRAMPOLINE_ENTRY, %edx
	call	*%edx
	ud2

	.align	8
gdt:	.quad	0
	.quad	0x00CF9A000000FFFF	/* code, flat, ring 0 */
	.quad	0x00CF92000000FFFF	/* data */
gdt_pointer:
	.word	. - gdt - 1
	.long	HERE(gdt)
trampoline_end:
