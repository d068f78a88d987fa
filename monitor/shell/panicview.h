/*
 * panicview.h - the report of a panic.
 */
#pragma once

#include "cpu/trap.h"

/* To the log: message, registers, task, backtrace, last loads of CR3.  Nothing in it can fault. */
void panic_report(const struct trapframe *f);
