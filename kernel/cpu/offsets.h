/*
 * offsets.h - places in structures that assembly needs.  trap.c asserts that they are right.
 */
#pragma once

#define PDA_TASK	 4
#define PDA_NEED_RESCHED 16
#define PDA_SHIFT	 9 /* of an index into pda_array, in the array build */

#define THREAD_TASK 0
#define THREAD_PDA  4
#define THREAD_CPU  8

#define TASK_ESP	 0
#define TASK_SIG_PENDING 8
#define TASK_SIG_BLOCKED 12
#define TASK_SYSCALLS	 16
#define TASK_WINDOW	 20

#define TSS_ESP0 4

/* Only the gs build saves %gs at an entry: cpu/pda.h. */
#ifdef PDA_gs
#define FRAME_GS_BYTES 4
#else
#define FRAME_GS_BYTES 0
#endif
#define FRAME_EDI    (FRAME_GS_BYTES + 12)
#define FRAME_EBP    (FRAME_GS_BYTES + 20)
#define FRAME_EDX    (FRAME_GS_BYTES + 32)
#define FRAME_ECX    (FRAME_GS_BYTES + 36)
#define FRAME_EAX    (FRAME_GS_BYTES + 40)
#define FRAME_EIP    (FRAME_GS_BYTES + 52)
#define FRAME_CS     (FRAME_GS_BYTES + 56)
#define FRAME_EFLAGS (FRAME_GS_BYTES + 60)
#define FRAME_ESP    (FRAME_GS_BYTES + 64)
#define FRAME_BYTES  (FRAME_GS_BYTES + 72)
