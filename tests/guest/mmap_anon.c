/*
 * mmap_anon.c - anonymous memory: fresh, private, where asked, gone when unmapped.
 */

#include <signal.h>
#include <sys/mman.h>

#include "guest.h"

#define RW  (PROT_READ | PROT_WRITE)
#define HOW (MAP_PRIVATE | MAP_ANONYMOUS)

static char *area;

static int read_second(void)
{
	return *(volatile char *)(area + PAGE);
}

static int write_second(void)
{
	*(volatile char *)(area + PAGE) = 1;
	return 0;
}

static int all_zero(const char *p, long n)
{
	while (n--)
		if (*p++)
			return 0;
	return 1;
}

int main(void)
{
	char *again, *p, *pieces[16];
	int good = 1;

	area = mmap(NULL, 8 * PAGE, RW, HOW, -1, 0);
	yes("mapped", area != MAP_FAILED);
	yes("starts at a page", ((unsigned long)area & (PAGE - 1)) == 0);
	yes("is zero", all_zero(area, 8 * PAGE));
	memset(area, 1, 8 * PAGE);

	answer("unmap the second page", munmap(area + PAGE, PAGE));
	report_child("read it", read_second);
	yes("the first stays", area[0] == 1 && area[PAGE - 1] == 1);
	yes("the third stays", area[2 * PAGE] == 1 && area[8 * PAGE - 1] == 1);
	again = mmap(area + PAGE, PAGE, RW, HOW | MAP_FIXED, -1, 0);
	yes("mapped again where it was", again == area + PAGE);
	yes("and zero", all_zero(again, PAGE));

	p = mmap(area, 2 * PAGE, PROT_READ, HOW | MAP_FIXED, -1, 0);
	yes("mapped over", p == area);
	yes("what was there is gone", all_zero(area, 2 * PAGE));
	report_child("read where only reading is allowed", read_second);
	report_child("write there", write_second);
	p = mmap(area, 2 * PAGE, PROT_NONE, HOW | MAP_FIXED, -1, 0);
	report_child("read where nothing is allowed", read_second);

	answer("unmap twice, first", munmap(area, 8 * PAGE));
	answer("unmap twice, second", munmap(area, 8 * PAGE));
	answer("unmap at an odd address", munmap(area + 1, PAGE));
	answer("unmap nothing", munmap(area, 0));

	yes("no size", mmap(NULL, 0, RW, HOW, -1, 0) == MAP_FAILED && errno == EINVAL);
	yes("too large", mmap(NULL, 0xfffff000, RW, HOW, -1, 0) == MAP_FAILED && errno == ENOMEM);
	yes("fixed at an odd address",
	    mmap((void *)0x10000001, PAGE, RW, HOW | MAP_FIXED, -1, 0) == MAP_FAILED &&
		    errno == EINVAL);
	yes("neither shared nor private",
	    mmap(NULL, PAGE, RW, MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == EINVAL);

	/* Many, then every other one away, then as many again. */
	for (int i = 0; i < 16; i++) {
		pieces[i] = mmap(NULL, 3 * PAGE, RW, HOW, -1, 0);
		memset(pieces[i], i + 1, 3 * PAGE);
	}
	for (int i = 0; i < 16; i += 2)
		munmap(pieces[i], 3 * PAGE);
	for (int i = 0; i < 16; i += 2) {
		pieces[i] = mmap(NULL, 3 * PAGE, RW, HOW, -1, 0);
		good &= all_zero(pieces[i], 3 * PAGE);
		memset(pieces[i], i + 1, 3 * PAGE);
	}
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 3 * PAGE; j++)
			good &= pieces[i][j] == i + 1;
	yes("sixteen areas keep apart", good);
	return 0;
}
