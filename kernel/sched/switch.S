/*
 * switch.S - from one kernel stack to another.
 *
 * switch_stack(struct task *prev, struct task *next): called by prev, returns in next, at the place where next
 * once called it.  Only what a C function must preserve is saved; everything else the caller expects to lose.
 */
#include "cpu/offsets.h"

	.text
	.globl	switch_stack
switch_stack:
	pushl	%ebp
	pushl	%ebx
	pushl	%esi
	pushl	%edi
	movl	%esp, TASK_ESP(%eax)
	movl	TASK_ESP(%edx), %esp
	popl	%edi
	popl	%esi
	popl	%ebx
	popl	%ebp
	ret
