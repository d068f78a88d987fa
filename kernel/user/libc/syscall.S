/*
 * syscall.S - the one door into the kernel: int 0x80.
 *
 * Number in %eax, arguments in %ebx, %ecx, %edx, %esi, %edi, %ebp; the answer in
 * %eax, -4095..-1 being a negated error number.  Everything else in this library
 * that needs the kernel calls syscall().
 */

	.section .text.syscall, "ax", @progbits
	.globl	syscall
	.type	syscall, @function
/*
 * long syscall(long number, ...): loads six arguments, whether or not there are
 * so many: below them the stack always holds at least main()'s frame to read.
 */
syscall:
	pushl	%ebp
	pushl	%edi
	pushl	%esi
	pushl	%ebx
	movl	20(%esp), %eax
	movl	24(%esp), %ebx
	movl	28(%esp), %ecx
	movl	32(%esp), %edx
	movl	36(%esp), %esi
	movl	40(%esp), %edi
	movl	44(%esp), %ebp
	int	$0x80
	popl	%ebx
	popl	%esi
	popl	%edi
	popl	%ebp
	jmp	finish
	.size	syscall, . - syscall

	.globl	vfork
	.type	vfork, @function
/*
 * pid_t vfork(void): the child runs on our stack and will write over it, so the
 * return address waits in a register meanwhile.
 */
vfork:
	popl	%ecx
	movl	$190, %eax			/* SYS_vfork */
	int	$0x80
	pushl	%ecx
	jmp	finish
	.size	vfork, . - vfork

/* Turns the kernel's answer in %eax into C's: -1 and errno. */
finish:
	cmpl	$-4095, %eax
	jb	1f
	negl	%eax
	movl	%eax, errno
	movl	$-1, %eax
1:	ret

	.section .text.sigreturn, "ax", @progbits
	.globl	__sigreturn
	.type	__sigreturn, @function
/*
 * Where a signal handler returns to.  The handler's ret has taken this address off
 * the frame; the signal number goes next; what is left is what sigreturn() restores.
 */
__sigreturn:
	popl	%eax
	movl	$119, %eax			/* SYS_sigreturn */
	int	$0x80
	.size	__sigreturn, . - __sigreturn

	.section .note.GNU-stack, "", @progbits
