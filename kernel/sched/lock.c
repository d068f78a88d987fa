/*
 * lock.c - waiting for the kernel lock.
 *
 * Who waits here has interrupts off, so it must answer what cannot wait: a shootdown, or the lock's
 * holder and this CPU would wait for each other; and now and then the keyboard, or a holder that
 * never lets go could not be broken into.
 */
#include "sched/lock.h"
#include "cpu/tlb.h"
#include "cpu/uart.h"

#define SPINS_PER_POLL 1024

volatile uint32_t kernel_lock_word;

void kernel_lock_slow(void)
{
	uint32_t spins = 0;

	do {
		while (kernel_lock_word) {
			cpu_pause();
			tlb_answer();
			if (++spins % SPINS_PER_POLL == 0)
				uart_poll(NULL);
		}
	} while (xchg32(&kernel_lock_word, 1));
}
