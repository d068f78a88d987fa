/*
 * symbols.c - the kernel's own names.
 *
 * The table is made from the linked kernel by ksyms.py and linked in again: sorted addresses, each
 * with the place of its name.  Before the second link there is none, and addresses stay numbers.
 */
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/shell.h"

struct ksym {
	uint32_t addr;
	uint32_t name; /* offset behind the entries */
};

struct ksyms {
	uint32_t count;
	uint32_t stamp; /* of all names and addresses: which kernel this is */
	struct ksym entry[];
};

/* Weak: the first link has none. */
extern const struct ksyms ksyms __attribute__((weak));

static const struct ksyms *table(void)
{
	const struct ksyms *k = &ksyms;

	asm("" : "+r"(k)); /* the compiler must not know that it is not NULL */
	return k;
}

static uint32_t count(void)
{
	return table() ? table()->count : 0;
}

static const char *name_of(uint32_t i)
{
	return (const char *)&table()->entry[table()->count] + table()->entry[i].name;
}

uint32_t symbol_stamp(void)
{
	return table() ? table()->stamp : 0;
}

bool symbol_find(const char *name, uint32_t *addr)
{
	for (uint32_t i = 0; i < count(); i++) {
		if (!strcmp(name_of(i), name)) {
			*addr = table()->entry[i].addr;
			return true;
		}
	}
	return false;
}

/* How many symbols lie at or below `addr`. */
static uint32_t symbols_up_to(uint32_t addr)
{
	uint32_t low = 0, high = count();

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (table()->entry[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const char *symbol_at(uint32_t addr, uint32_t *offset)
{
	uint32_t low = symbols_up_to(addr);

	/* Beyond the last symbol there is nothing that could have a name. */
	if (!low || low == count())
		return NULL;
	*offset = addr - table()->entry[low - 1].addr;
	return name_of(low - 1);
}

const char *symbol_of_page(uint32_t page)
{
	uint32_t i = symbols_up_to(page - 1);

	if (i < count() && table()->entry[i].addr < page + PAGE_SIZE)
		return name_of(i);
	return i ? name_of(i - 1) : NULL;
}

const char *symbol_text(uint32_t addr, char *buf, uint32_t size)
{
	uint32_t offset;
	const char *name = symbol_at(addr, &offset);

	buf[0] = 0;
	if (name && offset)
		snprintf(buf, size, "%s+0x%x", name, offset);
	else if (name)
		str_copy(buf, name, size);
	return buf;
}

void words_symbols(word_fn each, void *arg)
{
	for (uint32_t i = 0; i < count(); i++)
		each(arg, name_of(i));
}
