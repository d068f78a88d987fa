/*
 * apic.h - the local APIC: interrupts between CPUs, and a timer for each.
 */
#pragma once

#include "lib/types.h"

/* True when this machine has local APICs, and apic_init() mapped them. */
extern bool apic_present;

/* CPU 0, once: map the registers (at physical `address`). */
void apic_init(paddr_t address);

/* Every CPU: enable it; on CPU 0 the 8259's interrupts pass through. */
void apic_enable(bool boot_cpu);

uint32_t apic_id(void);
void apic_eoi(void);

/* Send an interrupt to one CPU; returns when the APIC has accepted it. */
void apic_send(uint32_t apic_id, uint32_t vector);

/* To all others. */
void apic_send_nmi_others(void);

/* INIT, then start the CPU in real mode at `start` (a page below 1 MB).  SDM 3A 8.4.4. */
void apic_start_cpu(uint32_t apic_id, paddr_t start);

/* Timer: let it count down once from `count`, or read how far it is. */
void apic_timer_start(uint32_t count, bool periodic, bool masked);
uint32_t apic_timer_left(void);
