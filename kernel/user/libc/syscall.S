/*
 * syscall.S - the one door into the kernel: int 0x80, or SYSENTER.
 *
 * Number in %eax, arguments in %ebx, %ecx, %edx, %esi, %edi, %ebp; the answer in
 * %eax, -4095..-1 being a negated error number.  Everything else in this library
 * that needs the kernel calls syscall().
 *
 * SYSENTER saves nothing, so two registers must say where to go back to, and with
 * which stack: %edi and %ebp.  Calls with more than four arguments keep to int 0x80;
 * so does a call that a signal interrupted and that starts again, since the kernel
 * steps back to what stands before the return address.
 *
 * Build-time choice: SYSCALL=int80|sysenter (a processor without the latter kills
 * the program).  Lesson 11.
 */

#define MANY_WORDS 15		/* of 32 numbers */

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
#ifdef SYSCALL_sysenter
	cmpl	$32 * MANY_WORDS, %eax
	jae	1f
	btl	%eax, many_arguments
	jc	1f
	movl	$2f, %edi
	movl	%esp, %ebp
	sysenter
1:
#endif
	movl	40(%esp), %edi
	movl	44(%esp), %ebp
	int	$0x80
2:	popl	%ebx
	popl	%esi
	popl	%edi
	popl	%ebp
	jmp	finish
	.size	syscall, . - syscall

#ifdef SYSCALL_sysenter
	.pushsection .rodata.many, "a"
	.balign	4
many_arguments:				/* a bit each: five or six */
	.set	word, 0
	.rept	MANY_WORDS
	.set	bits, 0
	/* clone, _llseek, pread64, pwrite64, mmap2, waitid, fchownat, linkat, fallocate, renameat2, statx */
	.irp	number, 120, 140, 180, 181, 192, 284, 298, 303, 324, 353, 383
	.if	\number / 32 == word
	.set	bits, bits | 1 << (\number % 32)
	.endif
	.endr
	.long	bits
	.set	word, word + 1
	.endr
	.popsection
#endif

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
