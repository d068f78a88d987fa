/*
 * pic.h - the pair of 8259 interrupt controllers.
 */
#pragma once

#include "cpu/trap.h"

void pic_init(void);

/* Acknowledge line `irq` and call its handler. */
void pic_dispatch(uint32_t irq, struct trapframe *f);
