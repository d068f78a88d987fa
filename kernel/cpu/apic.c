/*
 * apic.c - the local APIC.
 *
 * Each CPU has one, at the same physical address: its timer is that CPU's tick, its command
 * register sends interrupts to the others.  Device interrupts still come from the old pair of 8259,
 * which CPU 0's APIC lets through (virtual wire mode): one interrupt controller less to learn.
 *
 * Registers: SDM 3A 10.4.1.
 */
#include "cpu/apic.h"
#include "cpu/timer.h"
#include "cpu/trap.h"
#include "cpu/x86.h"
#include "mm/paging.h"

#define REG_ID		  0x020
#define REG_TASK_PRIORITY 0x080
#define REG_EOI		  0x0B0
#define REG_SPURIOUS	  0x0F0
#define REG_COMMAND_LOW	  0x300
#define REG_COMMAND_HIGH  0x310
#define REG_LVT_TIMER	  0x320
#define REG_LVT_LINT0	  0x350
#define REG_LVT_LINT1	  0x360
#define REG_LVT_ERROR	  0x370
#define REG_TIMER_START	  0x380
#define REG_TIMER_NOW	  0x390
#define REG_TIMER_DIVIDE  0x3E0

#define SPURIOUS_ENABLE (1u << 8)
#define LVT_MASKED	(1u << 16)
#define LVT_PERIODIC	(1u << 17)
#define LVT_NMI		(4u << 8)
#define LVT_EXTINT	(7u << 8)
#define DIVIDE_BY_16	3u
#define COMMAND_NMI	(4u << 8)
#define COMMAND_INIT	(5u << 8)
#define COMMAND_STARTUP (6u << 8)
#define COMMAND_PENDING (1u << 12)
#define COMMAND_ASSERT	(1u << 14)
#define COMMAND_LEVEL	(1u << 15)
#define COMMAND_OTHERS	(3u << 18)

bool apic_present;
static volatile uint32_t *registers;

static uint32_t apic_read(uint32_t reg)
{
	return registers[reg / 4];
}

static void apic_write(uint32_t reg, uint32_t v)
{
	registers[reg / 4] = v;
}

void apic_init(paddr_t address)
{
	registers = map_phys(address, PAGE_SIZE);
	apic_present = registers != NULL;
}

void apic_enable(bool boot_cpu)
{
	apic_write(REG_SPURIOUS, SPURIOUS_ENABLE | TRAP_SPURIOUS);
	apic_write(REG_LVT_TIMER, LVT_MASKED);
	apic_write(REG_LVT_LINT0, boot_cpu ? LVT_EXTINT : LVT_MASKED);
	apic_write(REG_LVT_LINT1, LVT_NMI);
	apic_write(REG_LVT_ERROR, LVT_MASKED);
	apic_write(REG_TIMER_DIVIDE, DIVIDE_BY_16);
	apic_write(REG_TASK_PRIORITY, 0);
	apic_eoi();
}

uint32_t apic_id(void)
{
	return apic_present ? apic_read(REG_ID) >> 24 : 0;
}

void apic_eoi(void)
{
	apic_write(REG_EOI, 0);
}

static void command(uint32_t id, uint32_t low)
{
	apic_write(REG_COMMAND_HIGH, id << 24);
	apic_write(REG_COMMAND_LOW, low);
	while (apic_read(REG_COMMAND_LOW) & COMMAND_PENDING)
		cpu_pause();
}

void apic_send(uint32_t id, uint32_t vector)
{
	command(id, COMMAND_ASSERT | vector);
}

void apic_send_nmi_others(void)
{
	if (apic_present)
		command(0, COMMAND_ASSERT | COMMAND_NMI | COMMAND_OTHERS);
}

void apic_start_cpu(uint32_t id, paddr_t start)
{
	command(id, COMMAND_INIT | COMMAND_LEVEL | COMMAND_ASSERT);
	timer_wait_us(200);
	command(id, COMMAND_INIT | COMMAND_LEVEL);
	timer_wait_us(10000);
	for (int i = 0; i < 2; i++) { /* the second is for those that missed the first */
		command(id, COMMAND_STARTUP | start >> 12);
		timer_wait_us(200);
	}
}

void apic_timer_start(uint32_t count, bool periodic, bool masked)
{
	apic_write(REG_LVT_TIMER,
		   TRAP_APIC_TIMER | (periodic ? LVT_PERIODIC : 0) | (masked ? LVT_MASKED : 0));
	apic_write(REG_TIMER_START, count);
}

uint32_t apic_timer_left(void)
{
	return apic_read(REG_TIMER_NOW);
}
