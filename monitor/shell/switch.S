/*
 * switch.S - the monitor's three excursions that C cannot make.
 *
 * 1. To a stack of its own, since it may have stopped a CPU deep in some other one.
 * 2. Through step_stubs: while one instruction is stepped, every exception and the system call lead
 *    here.  The stub pretends that a debug trap came at the first instruction of the real
 *    handler, so that a step ends there, instead of letting the handler run away.
 * 3. Into ring 3 and back, for `tlb probe`: the emulator (and some processors) cache user
 *    and kernel translations apart, so only ring 3 can find out what ring 3 has cached.
 */
#include "cpu/gdt.h"

	.text

/* void on_stack(void (*fn)(void *), void *arg, void *top); */
	.globl	on_stack
on_stack:
	pushl	%ebp
	movl	%esp, %ebp
	movl	%ecx, %esp
	xchgl	%eax, %edx
	call	*%edx
	leave
	ret

/*
 * One stub a vector, 16 bytes each: 0 to 31, then the system call.  On the stack is what hardware
 * pushed; put a frame of "interrupted at the handler" on top and go to the debug stub.
 * %cs and %ss are flat here, %ds is still the user's.
 */
	.globl	step_stubs
	.balign	16
step_stubs:
	.set	index, 0
	.rept	33
	.balign	16
	pushfl
	pushl	$KERNEL_CS
	pushl	$index
	jmp	1f
	.set	index, index + 1
	.endr
1:	pushl	%eax
	movl	4(%esp), %eax
	movl	%eax, %ss:step_vector
	movl	%ss:step_handlers(,%eax,4), %eax
	movl	%eax, 4(%esp)
	popl	%eax
	jmp	*%ss:step_handlers + 4	/* of vector 1 */

/* --- ring 3 and back -------------------------------------------------------- */

/*
 * uint32_t probe_enter(uint32_t eip, uint32_t esp, uint32_t cs, uint32_t ds, uint32_t *esp0);
 *
 * Run at ring 3 from `eip` until it traps: the gates lead to probe_return.  *esp0 is the TSS's
 * ring-0 stack pointer: what traps must land below what we have on the stack now.  Returns
 * ring 3's %ecx: how many pages it had still to touch.
 */
	.globl	probe_enter
probe_enter:
	pushl	%ebp
	movl	%esp, %ebp
	pushl	%ebx
	pushl	%esi
	pushl	%edi
	pushl	%ds
	pushl	%es
	pushl	%fs
	pushl	%gs
	movl	12(%ebp), %esi
	movl	%esp, (%esi)
	movl	%esp, probe_saved_esp
	movl	8(%ebp), %esi
	movl	%esi, %ds
	movl	%esi, %es
	pushl	%esi			/* ss */
	pushl	%edx			/* esp */
	pushl	$2			/* eflags: interrupts off */
	pushl	%ecx			/* cs */
	pushl	%eax			/* eip */
	iret

	.globl	probe_return
probe_return:
	movl	%ss:probe_saved_esp, %esp
	movl	%ecx, %eax
	popl	%gs
	popl	%fs
	popl	%es
	popl	%ds
	popl	%edi
	popl	%esi
	popl	%ebx
	popl	%ebp
	ret

/*
 * What runs at ring 3, copied to a page that it may read.  Behind the code lie a count and
 * linear addresses: touch each, then trap.  Position-independent: the page's address is in %esp.
 */
	.globl	probe_code, probe_code_end
probe_code:
	movl	%esp, %ebx
	movl	(%ebx), %ecx		/* how many */
1:	addl	$4, %ebx
	movl	(%ebx), %edx
	movb	(%edx), %al
	decl	%ecx
	jnz	1b
	int	$3
probe_code_end:

	.bss
	.balign	4
probe_saved_esp:
	.skip	4
