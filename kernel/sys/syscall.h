/*
 * syscall.h - the system-call table.
 *
 * A call gets the trapframe: arguments in ebx, ecx, edx, esi, edi, ebp; its result goes to eax.
 */
#pragma once

#include "cpu/trap.h"

#define SYSCALLS 450

typedef int32_t (*syscall_fn)(struct trapframe *f);

/* By Linux i386 number; those we do not have point to sys_none.  The entry stub indexes it
 * directly. */
extern const syscall_fn syscall_table[SYSCALLS];

/* What call `number` is called; NULL: there is none. */
const char *syscall_name(uint32_t number);

/* Calls made, by number; SYSCALLS: numbers beyond the table. */
extern uint32_t syscall_count[SYSCALLS + 1];
