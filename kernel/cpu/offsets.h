/*
 * offsets.h - places in structures that assembly needs.  trap.c asserts that they are right.
 */
#pragma once

#define PDA_TASK	 4
#define PDA_NEED_RESCHED 16

#define TASK_ESP	 0
#define TASK_SIG_PENDING 8
#define TASK_SIG_BLOCKED 12
#define TASK_SYSCALLS	 16

#define FRAME_EAX    44
#define FRAME_CS     60
#define FRAME_EFLAGS 64
