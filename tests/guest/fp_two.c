/*
 * fp_two.c - floating point belongs to its process, whoever runs in between.
 *
 * Processes compute different sequences at once, long enough to be pre-empted often;
 * each keeps values in the registers of the floating-point unit all the time.  Results
 * are printed bit by bit: the host must agree.
 */

#include "guest.h"

#define PROCESSES 3
#define STEPS	  400000

struct result {
	double sum, product, root;
};

static struct result compute(int which)
{
	struct result r = { which, 1.0, 2.0 + which };
	double step = 1.0 / (3 + which);

	for (int i = 1; i <= STEPS; i++) {
		r.sum += step / i;
		r.product *= 1.0 + step / ((double)i * i);
		r.root = (r.root + (2.0 + which) / r.root) / 2.0 + step / i;
	}
	return r;
}

static void show(const char *who, int which, const struct result *r)
{
	unsigned long long bits[3];

	memcpy(bits, r, sizeof(bits));
	printf("%s %d: %016llx %016llx %016llx\n", who, which, bits[0], bits[1], bits[2]);
}

static unsigned short control_word(void)
{
	unsigned short cw;

	__asm__ volatile("fnstcw %0" : "=m"(cw));
	return cw;
}

static int changes_rounding(void)
{
	unsigned short cw = control_word() | 0x0c00; /* truncate (SDM 1, 8.1.5) */

	__asm__ volatile("fldcw %0" : : "m"(cw));
	return compute(0).sum == 0;
}

static int child_inherits(void)
{
	printf("a child's control word: %04x\n", control_word());
	return 0;
}

int main(void)
{
	int fds[PROCESSES][2];
	struct result r, mine;
	unsigned short cw = 0x027f; /* 53 bits (SDM 1, 8.1.5) */

	printf("control word at the start: %04x\n", control_word());
	fflush(stdout);
	for (int i = 0; i < PROCESSES; i++) {
		pipe(fds[i]);
		if (fork() == 0) {
			r = compute(i);
			write(fds[i][1], &r, sizeof(r));
			_exit(0);
		}
	}
	mine = compute(PROCESSES);
	for (int i = 0; i < PROCESSES; i++) {
		read(fds[i][0], &r, sizeof(r));
		show("process", i, &r);
		wait(NULL);
	}
	show("parent", PROCESSES, &mine);

	in_child(changes_rounding);
	printf("control word after a child changed its own: %04x\n", control_word());
	__asm__ volatile("fldcw %0" : : "m"(cw));
	in_child(child_inherits);
	return 0;
}
