/*
 * calls.h - the system calls bench makes, by int 0x80 and nothing around it.
 *
 * Linux i386: number in %eax, arguments in %ebx, %ecx and %edx, the result in %eax.  Inline, so
 * that what is measured is the call and the loading of its registers.
 */

#ifndef CALLS_H
#define CALLS_H

enum {
	CALL_EXIT = 1,
	CALL_FORK = 2,
	CALL_READ = 3,
	CALL_WRITE = 4,
	CALL_OPEN = 5,
	CALL_CLOSE = 6,
	CALL_WAITPID = 7,
	CALL_EXECVE = 11,
	CALL_LSEEK = 19,
	CALL_GETPID = 20,
	CALL_PIPE = 42,
	CALL_BRK = 45,
	CALL_GETPPID = 64,
	CALL_UNAME = 122,
	CALL_STAT64 = 195,
};

static inline int call(int number, unsigned a, unsigned b, unsigned c)
{
	int result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "0"(number), "b"(a), "c"(b), "d"(c)
			 : "memory", "cc");
	return result;
}

static inline int call0(int number)
{
	int result;

	__asm__ volatile("int $0x80" : "=a"(result) : "0"(number) : "memory", "cc");
	return result;
}

/* By SYSENTER: the stack pointer in %ebp, the return address in %edi; %ecx and %edx are lost. */
static inline int call0_sysenter(int number)
{
	int result;

	__asm__ volatile("pushl %%ebp\n\t"
			 "movl %%esp, %%ebp\n\t"
			 "movl $1f, %%edi\n\t"
			 "sysenter\n"
			 "1:	popl %%ebp"
			 : "=a"(result)
			 : "0"(number)
			 : "ecx", "edx", "edi", "memory", "cc");
	return result;
}

/* The time-stamp counter's lower half: differences up to 2^32 ticks are right. */
static inline unsigned rdtsc(void)
{
	unsigned low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return low;
}

#endif
