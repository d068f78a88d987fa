/*
 * faults.c - what a program must not do ends that program, with the right signal.
 */

#include <signal.h>
#include <sys/mman.h>

#include "guest.h"

#define KERNEL 0xc0100000UL

static const int constant = 1;
static unsigned char code[16] = { 0xf4 }; /* hlt: whether data may be executed or not, it dies */
static volatile int zero;

static int read_null(void)
{
	return *(volatile int *)(unsigned long)zero;
}

static int write_null(void)
{
	*(volatile int *)(zero + 4UL) = 1;
	return 0;
}

static int call_null(void)
{
	((void (*)(void))(unsigned long)zero)();
	return 0;
}

static int read_kernel(void)
{
	return *(volatile int *)KERNEL;
}

static int write_kernel(void)
{
	*(volatile int *)KERNEL = 1;
	return 0;
}

static int call_kernel(void)
{
	((void (*)(void))KERNEL)();
	return 0;
}

static int write_text(void)
{
	*(volatile char *)read_null = 0;
	return 0;
}

static int write_constant(void)
{
	*(volatile int *)&constant = 2;
	return 0;
}

static int jump_into_data(void)
{
	((void (*)(void))code)();
	return 0;
}

static int overflow(int n)
{
	volatile char frame[2000];

	frame[0] = n;
	return zero ? 0 : overflow(n + 1) + frame[0];
}

static int overflow_stack(void)
{
	return overflow(0);
}

static int halt(void)
{
	__asm__ volatile("hlt");
	return 0;
}

static int disable_interrupts(void)
{
	__asm__ volatile("cli");
	return 0;
}

static int read_cr3(void)
{
	__asm__ volatile("movl %%cr3, %%eax" : : : "eax");
	return 0;
}

static int port(void)
{
	__asm__ volatile("outb %%al, $0xf4" : : "a"(0));
	return 0;
}

static int divide(void)
{
	volatile int one = 1;

	return one / zero;
}

static int undefined(void)
{
	__asm__ volatile("ud2");
	return 0;
}

static int breakpoint(void)
{
	__asm__ volatile("int3");
	return 0;
}

/* A gate meant for the processor alone. */
static int wrong_interrupt(void)
{
	__asm__ volatile("int $0x0e");
	return 0;
}

static int wrong_segment(void)
{
	__asm__ volatile("movw %w0, %%ds" : : "r"(0x8b));
	return 0;
}

static int wild_stack(void)
{
	__asm__ volatile("movl $0x10, %%esp\n\tpushl $1" : : : "memory");
	return 0;
}

/* Only the kernel may return into virtual-8086 mode; %cs 8 would be the kernel's segment. */
static int return_to_8086_mode(void)
{
	__asm__ volatile("pushl $0\n\tpushl $0\n\tpushl $0\n\tpushl $0\n\t"
			 "pushl $0\n\tpushl $0x1000\n\tpushl $0x20202\n\tpushl $8\n\tpushl $0\n\t"
			 "iret"
			 :
			 :
			 : "memory");
	return 0;
}

/* Handlers may catch most of these, and end as they like. */
static void handler(int sig)
{
	_exit(100 + sig);
}

static int caught_null(void)
{
	signal(SIGSEGV, handler);
	return read_null();
}

static int caught_division(void)
{
	signal(SIGFPE, handler);
	return divide();
}

static int ignored_null(void)
{
	signal(SIGSEGV, SIG_IGN);
	return read_null();
}

int main(void)
{
	static const struct {
		const char *what;
		int (*child)(void);
	} faults[] = {
		{ "read null", read_null },
		{ "write near null", write_null },
		{ "call null", call_null },
		{ "read kernel memory", read_kernel },
		{ "write kernel memory", write_kernel },
		{ "call kernel memory", call_kernel },
		{ "write program text", write_text },
		{ "write a constant", write_constant },
		{ "jump into data", jump_into_data },
		{ "overflow the stack", overflow_stack },
		{ "hlt", halt },
		{ "cli", disable_interrupts },
		{ "read CR3", read_cr3 },
		{ "write to a port", port },
		{ "divide by zero", divide },
		{ "undefined instruction", undefined },
		{ "breakpoint", breakpoint },
		{ "wrong interrupt", wrong_interrupt },
		{ "wrong segment", wrong_segment },
		{ "stack pointer near null", wild_stack },
		{ "return to 8086 mode", return_to_8086_mode },
		{ "read null, caught", caught_null },
		{ "divide by zero, caught", caught_division },
		{ "read null, ignored", ignored_null },
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		report_child(faults[i].what, faults[i].child);
	printf("the parent is well\n");
	return 0;
}
