/*
 * main.c - the boot order.
 *
 * Two lists.  The first runs on the boot stack with interrupts off and cannot sleep; the second
 * runs in a task, where a disk may be waited for, and that task then becomes the monitor. The boot
 * stack goes on as CPU 0's idle task.
 */
#include "block/buffer.h"
#include "boot/boot.h"
#include "boot/multiboot.h"
#include "cpu/apic.h"
#include "cpu/cr3.h"
#include "cpu/pda.h"
#include "cpu/pic.h"
#include "cpu/smp.h"
#include "cpu/timer.h"
#include "cpu/tlb.h"
#include "cpu/trap.h"
#include "cpu/uart.h"
#include "cpu/x86.h"
#include "fs/console.h"
#include "fs/inode.h"
#include "lib/panic.h"
#include "lib/printf.h"
#include "mm/bootmem.h"
#include "mm/frame.h"
#include "mm/paging.h"
#include "mm/space.h"
#include "mm/swap.h"
#include "monitor/shell/monitor.h"
#include "proc/proc.h"
#include "sched/lock.h"
#include "sched/sched.h"
#include "telemetry.h"

#define APIC_ADDRESS 0xFEE00000u /* where every PC's is after reset, SDM 3A 10.4.1 */

void kernel_main(uint32_t magic, paddr_t info);

static void boot_telemetry(void)
{
	telemetry.version = TELEMETRY_VERSION;
	telemetry.size = sizeof(telemetry);
	telemetry.cpus = 1;
	asm volatile("" : : : "memory"); /* who finds the magic number may read the rest */
	telemetry.magic = TELEMETRY_MAGIC;
}

static void boot_cpu(void)
{
	pda_init(&boot_pda, 0);
	sched_init();
	gdt_load(&boot_pda);
	trap_init();
	trap_load();
	cr3_booted();
	cpu_init();
	boot_pda.online = 1;
}

static void boot_memory(void)
{
	boot_memory_begin();
	paging_init();
	boot_move_disk();
	frame_init(boot_info.mem_limit);
	space_init();
	tlb_publish(0);
}

static void boot_interrupts(void)
{
	pic_init();
	if (cpu_features & CPUID_APIC) {
		apic_init(APIC_ADDRESS);
		if (apic_present)
			apic_enable(true);
	}
	timer_init();
	uart_irq_init();
	console_init();
}

static void boot_processors(void)
{
	smp_start();
	paging_init_cpu();
	klog("processors: %u\n", cpu_count);
}

/* Not before something is to be written: whoever only reads has one task less. */
static bool start_flusher(void)
{
	return !kernel_task("flusher", flusher, NULL, NULL);
}

static void boot_root(void)
{
	struct block_device *root = block_init(boot_info.root);

	flusher_start = start_flusher;
	if (!root)
		klog("root: no disk found; programs cannot be run\n");
	else if (ext2_mount(root))
		klog("root: %s could not be mounted; programs cannot be run\n", root->name);
}

static void boot_init(void)
{
	int error = root_inode ? proc_init() : 0;

	if (error)
		klog("init: /bin/init could not be started (error %d)\n", -error);
}

typedef void (*boot_step)(void);

static const boot_step on_the_boot_stack[] = {
	boot_telemetry, boot_cpu, boot_memory, boot_interrupts, boot_processors,
};

static const boot_step in_a_task[] = {
	cmdline_report,
	boot_root,
	swap_init,
	boot_init,
};

static void boot_task(void *arg)
{
	(void)arg;
	for (uint32_t i = 0; i < ARRAY_SIZE(in_a_task); i++)
		in_a_task[i]();
	monitor_enter(MON_BOOT, NULL);
	panic("the monitor came to an end");
}

void kernel_main(uint32_t magic, paddr_t info)
{
	struct task *monitor;
	bool multiboot = multiboot_read(magic, info);

	kernel_lock(); /* the other processors start before this one is done */
	cmdline_parse();
	uart_init();
	klog("Klaava\n");
	for (uint32_t i = 0; i < ARRAY_SIZE(on_the_boot_stack); i++)
		on_the_boot_stack[i]();
	if (!multiboot)
		panic("not started by a multiboot loader");
	if (kernel_task("monitor", boot_task, NULL, &monitor))
		panic("no memory for the first task");
	idle_loop();
}
