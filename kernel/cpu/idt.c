/*
 * idt.c - which stub the processor enters for which vector.
 *
 * Everything is an interrupt gate, so interrupts are off in the kernel from its first
 * instruction on.  Users may raise only the breakpoint, overflow and system-call vectors; INT with
 * another one is a protection fault.  A double fault gets a task of its own, since the stack may be
 * what broke.
 */
#include "cpu/gdt.h"
#include "cpu/pda.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "telemetry.h"

/* Gate types, SDM 3A 6.11 */
#define GATE_TASK      0x85u
#define GATE_INTERRUPT 0x8Eu
#define GATE_DPL3      0x60u

struct gate {
	uint16_t offset_low, selector;
	uint8_t zero, type;
	uint16_t offset_high;
};

struct stub {
	uint32_t vector, address;
};

extern const struct stub trap_stubs[]; /* entry.S; ends with address 0 */
extern char syscall_entry[];

static struct gate idt[256];

static void set_gate(uint32_t vector, uint32_t address, uint8_t type)
{
	idt[vector] = (struct gate){
		.offset_low = address & 0xffff,
		.selector = KERNEL_CS,
		.type = type,
		.offset_high = address >> 16,
	};
}

void trap_init(void)
{
	for (const struct stub *s = trap_stubs; s->address; s++)
		set_gate(s->vector, s->address, GATE_INTERRUPT);
	idt[TRAP_BREAKPOINT].type |= GATE_DPL3;
	idt[TRAP_OVERFLOW].type |= GATE_DPL3;
	set_gate(TRAP_SYSCALL, (uint32_t)syscall_entry, GATE_INTERRUPT | GATE_DPL3);
	idt[TRAP_DOUBLE] = (struct gate){ .selector = GDT_DOUBLE << 3, .type = GATE_TASK };
}

void trap_load(void)
{
	struct __attribute__((packed)) {
		uint16_t limit;
		uint32_t base;
	} pointer = { sizeof(idt) - 1, (uint32_t)idt };

	pda_read(stats)->idt = pointer.base;
	asm volatile("lidt %0" : : "m"(pointer));
}
