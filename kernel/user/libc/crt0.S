/*
 * crt0.S - where a program begins.
 *
 * The kernel enters with the stack of the i386 ABI: argc, argv[0..argc-1], NULL,
 * the environment, NULL, the auxiliary vector.  %ebp = 0 ends a backtrace here.
 */

	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%ebp, %ebp
	movl	(%esp), %eax			/* argc */
	leal	4(%esp), %ecx			/* argv */
	leal	8(%esp, %eax, 4), %edx		/* envp */
	movl	%edx, environ
	andl	$-16, %esp
	pushl	%eax				/* keeps the call aligned to 16 */
	pushl	%edx
	pushl	%ecx
	pushl	%eax
	call	main
	movl	%eax, (%esp)
	call	exit
	.size	_start, . - _start

	.section .note.GNU-stack, "", @progbits
