/*
 * entry.S - into the kernel and out again.
 *
 * Every way in builds the same struct trapframe (cpu/trap.h) on the kernel stack: the processor
 * pushes the first part, the stub the trap's number (and a zero where hardware has no error code),
 * then come the registers.  User code owns the segment registers, so they are saved, and ours loaded:
 * flat data, and in the gs build %gs for the PDA.  What depends on how the kernel finds its PDA is in
 * macros: cpu/pda.h.
 *
 * All gates are interrupt gates: the kernel runs with interrupts off.
 * System calls have a path of their own, with nothing in it that they do not need: lesson 11
 * counts its instructions.
 */
#include "cpu/gdt.h"
#include "cpu/offsets.h"
#include "cpu/pda.h"

#define TRAP_PROTECTION_NR 13
#define TRAP_SYSCALL_NR	   0x80
#define SYSCALLS_NR	   450
#define ENOSYS_NR	   38
#define EFLAGS_VM_BIT	   0x20000
#define EFLAGS_TF_BIT	   0x100
#define EFLAGS_IF_BIT	   0x200
#define EFLAGS_FIXED_BIT   0x2
#define EFLAGS_ODD_BITS	   0x54500	/* TF, DF, NT, RF, AC: IRET brings them back */

.macro save_registers scratch
	pushal
	pushl	%ds
	pushl	%es
	pushl	%fs
	pda_enter \scratch
	movl	$KERNEL_DS, \scratch
	movl	\scratch, %ds
	movl	\scratch, %es
	cld
.endm

	.text

/*
 * The way through the kernel: from a frame on the stack, with the number in %eax, to the frame with
 * its answer.  The task is in %ebx at the end.
 */
.macro system_call
	movl	$1, %edx
	xchgl	%edx, kernel_lock_word
	testl	%edx, %edx
	jnz	4f
1:	find_task %ebx
	cmpl	$SYSCALLS_NR, %eax
	jae	5f
	incl	syscall_count(,%eax,4)
	incl	TASK_SYSCALLS(%ebx)
	movl	%eax, %ecx
	movl	%esp, %eax		/* the frame: arguments go in %eax, %edx, %ecx */
	call	*syscall_table(,%ecx,4)
2:	movl	%eax, FRAME_EAX(%esp)

	test_need_resched %ecx
	jne	6f
	movl	TASK_SIG_BLOCKED(%ebx), %ecx
	notl	%ecx
	testl	%ecx, TASK_SIG_PENDING(%ebx)
	jnz	6f
3:	movl	$0, kernel_lock_word

	.subsection 1
4:	pushl	%eax
	call	kernel_lock_slow
	popl	%eax
	jmp	1b
5:	incl	syscall_count + 4 * SYSCALLS_NR
	movl	$-ENOSYS_NR, %eax
	jmp	2b
6:	movl	%esp, %eax
	call	leave_kernel		/* schedule, act on signals */
	jmp	3b
	.previous
.endm

/* --- system calls: int $0x80, number in %eax ------------------------------ */

	.globl	syscall_entry
syscall_entry:
	pushl	%eax
	pushl	$TRAP_SYSCALL_NR
	save_registers %edx
	system_call

trap_return:
	pda_leave
	pop_segment fs
	pop_segment es
	pop_segment ds
	popal
	addl	$8, %esp		/* trap number and error code */
14:	iret
	on_fault 14b, 24f

/* A frame that IRET refuses kills the program. */
24:	pushl	$0
	pushl	$TRAP_PROTECTION_NR
	save_registers %eax
	movl	%esp, %eax
	call	trap_bad_return
	jmp	trap_return

/* --- the same by SYSENTER (SDM 2B) ---------------------------------------- */

/*
 * The processor gives no more than a place in the kernel and a stack, and saves nothing: the program
 * brings its stack pointer in %ebp and where to return to in %edi, which leaves room for four
 * arguments.  Neither is believed: they go into a frame like any other.  The stack it gives lies in
 * the TSS, where the first instruction finds the task's own.
 *
 * SYSEXIT's segments are flat and its flags ours.  So who has a window, or odd flags, or goes elsewhere
 * than where he came from, returns by IRET.
 */
	.globl	sysenter_entry
sysenter_entry:
	movl	TSS_ESP0(%esp), %esp
sysenter_on_stack:
	pushl	$USER_DS
	pushl	%ebp
	pushfl
	orl	$EFLAGS_IF_BIT, (%esp)
sysenter_with_flags:
	pushl	$EFLAGS_FIXED_BIT	/* an interrupt gate would have cleared TF and NT */
	popfl
	pushl	$USER_CS
	pushl	%edi
	pushl	%eax
	pushl	$TRAP_SYSCALL_NR
	save_registers %edx
	system_call

	movl	FRAME_EIP(%esp), %edx
	cmpl	%edx, FRAME_EDI(%esp)
	jne	trap_return
	movl	FRAME_ESP(%esp), %ecx
	cmpl	%ecx, FRAME_EBP(%esp)
	jne	trap_return
	cmpl	$0, TASK_WINDOW(%ebx)
	jne	trap_return
	testl	$EFLAGS_ODD_BITS, FRAME_EFLAGS(%esp)
	jnz	trap_return
	movl	%edx, FRAME_EDX(%esp)
	movl	%ecx, FRAME_ECX(%esp)
	pda_leave
	pop_segment fs
	pop_segment es
	pop_segment ds
	popal
	sti				/* holds from the next instruction but one */
	sysexit

/* --- exceptions and interrupts -------------------------------------------- */

trap_common:
	save_registers %eax
	movl	%esp, %eax
	call	trap_dispatch
	jmp	trap_return

/* The first thing a new task runs: schedule() switched to it and left the kernel lock to it. */
	.globl	task_first_user
task_first_user:
	call	schedule_tail
	movl	%esp, %eax
	call	leave_kernel
	movl	$0, kernel_lock_word
	jmp	trap_return

	.globl	task_first_kernel
task_first_kernel:			/* function in %ebx, argument in %esi */
	call	schedule_tail
	movl	%esi, %eax
	call	*%ebx
	ud2

	/* A stub for each vector, and a table of them for idt.c. */
	.macro stub vector, has_error=0, to=trap_common
	.pushsection .rodata.stubs, "a"
	.long	\vector, 30f
	.popsection
30:	.if \has_error == 0
	pushl	$0
	.endif
	pushl	$\vector
	jmp	\to
	.endm

	.pushsection .rodata.stubs, "a"
	.globl	trap_stubs
trap_stubs:
	.popsection

	stub 0
	stub 4
	stub 5
	stub 6
	stub 7
	stub 10, 1
	stub 11, 1
	stub 12, 1
	stub 13, 1
	stub 14, 1
	stub 16
	stub 17, 1
	stub 18
	stub 19
	.irp line, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	stub (0x20 + \line)
	.endr
	stub 0xF0
	stub 0xF1
	stub 0xF2
	stub 0xFF

/*
 * A debug trap or an NMI may come before sysenter_entry's one instruction, on the stack in the TSS (the
 * PDA has room below it).  Then go to the task's stack, as that instruction would.  A debug trap is
 * over with that: it was the program that steps itself, since SYSENTER leaves TF set; it goes on
 * doing so when the call returns.
 */
	.macro early_stub vector
	.pushsection .rodata.stubs, "a"
	.long	\vector, 30f
	.popsection
30:	cmpl	$sysenter_entry, (%esp)
	jne	31f
	cmpw	$KERNEL_CS, 4(%esp)
	jne	31f
	movl	12 + TSS_ESP0(%esp), %esp
	.if \vector == 1
	pushl	$USER_DS
	pushl	%ebp
	pushfl
	orl	$(EFLAGS_IF_BIT | EFLAGS_TF_BIT), (%esp)
	jmp	sysenter_with_flags
	.else
	pushl	$EFLAGS_FIXED_BIT
	pushl	$KERNEL_CS
	pushl	$sysenter_on_stack
	.endif
31:	pushl	$0
	pushl	$\vector
	jmp	debug_common
	.endm

/*
 * What the monitor stops by: debug trap, NMI, breakpoint.  Between these two labels no breakpoint
 * can be, and none works while such a trap is handled: else one in what the handler runs through,
 * or a watchpoint on what it reads, would trap without end.
 */
	.globl	debug_entry, debug_entry_end
debug_entry:
	early_stub 1
	early_stub 2
	stub 3, 0, debug_common
debug_common:
	save_registers %eax
	xorl	%eax, %eax
	movl	%eax, %dr7
	movl	%esp, %eax
	call	trap_dispatch
	movl	debug_control, %eax
	movl	%eax, %dr7
	testl	$EFLAGS_VM_BIT, FRAME_EFLAGS(%esp)
	jnz	trap_return
	testl	$3, FRAME_CS(%esp)
	jnz	trap_return
	pda_leave			/* as in trap_return, but no breakpoint can be here */
	pop_segment fs
	pop_segment es
	pop_segment ds
	popal
	addl	$8, %esp
	iret
debug_entry_end:

	.pushsection .rodata.stubs, "a"
	.long	0, 0
	.popsection
