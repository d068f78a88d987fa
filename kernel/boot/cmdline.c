/*
 * cmdline.c - the kernel command line.
 *
 * Words separated by blanks: NAME=VALUE or NAME="VALUE with blanks"; inside quotes \" and \\ stand
 * for " and
 * \.  A few names are the boot's own, below; the rest are tunables.  A word without '=' is the
 * kernel's path, which loaders put first, and means nothing.
 */
#include "boot/boot.h"
#include "boot/multiboot.h"
#include "cpu/power.h"
#include "cpu/uart.h"
#include "lib/errno.h"
#include "lib/printf.h"
#include "lib/string.h"
#include "mm/frame.h"
#include "tunable.h"

static char bad[80]; /* the first word that meant nothing, and why */

#define MEM_MIN (1024u * 1024u) /* 0: all there is.  With less not even page tables find room. */

/* Bytes, or with K or M behind it as many KB or MB. */
static bool parse_size(const char *v, uint32_t *bytes)
{
	char digits[12];
	size_t n = strlen(v);
	uint32_t unit = 1, value;

	if (n == 0 || n >= sizeof(digits))
		return false;
	str_copy(digits, v, sizeof(digits));
	switch (v[n - 1]) {
	case 'K':
	case 'k':
		unit = 1024;
		break;
	case 'M':
	case 'm':
		unit = 1024 * 1024;
		break;
	}
	if (unit > 1)
		digits[n - 1] = '\0';
	if (!parse_u32(digits, &value) || value > UINT32_MAX / unit)
		return false;
	*bytes = value * unit;
	return true;
}

static bool set_mem(const char *v)
{
	uint32_t bytes;

	if (!parse_size(v, &bytes) || (bytes && bytes < MEM_MIN))
		return false;
	boot_info.mem_limit = bytes;
	return true;
}

static bool set_swap(const char *v)
{
	uint32_t bytes;

	if (!parse_size(v, &bytes) || bytes % PAGE_SIZE || bytes > DIRECT_MAX)
		return false;
	boot_info.swap_size = bytes;
	return true;
}

static bool set_mon(const char *v)
{
	boot_info.mon = v;
	return true;
}

static bool set_root(const char *v)
{
	str_copy(boot_info.root, v, sizeof(boot_info.root));
	return !strcmp(v, "ide") || !strcmp(v, "ram");
}

static bool set_batch(const char *v)
{
	batch = !strcmp(v, "1");
	return batch || !strcmp(v, "0");
}

static const struct {
	const char *name;
	bool (*set)(const char *value);
} words[] = {
	{ "mem", set_mem },	/* pretend there is no more, in bytes, K or M */
	{ "swap", set_swap },	/* so much of the RAM disk behind its image, for memory to go to */
	{ "mon", set_mon },	/* monitor commands to run at boot */
	{ "root", set_root },	/* ide or ram: the disk the root is on */
	{ "batch", set_batch }, /* 1: run `mon` and end; no UART */
};

static void apply(const char *name, const char *value)
{
	for (uint32_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i].name, name))
			continue;
		if (!words[i].set(value) && !bad[0])
			snprintf(bad, sizeof(bad), "%s=%s: no such value", name, value);
		return;
	}
	int error = tunable_set(name, value, true);

	if (error && !bad[0])
		snprintf(bad, sizeof(bad), "%s=%s: no such %s", name, value,
			 error == -ENOENT ? "word or tunable" : "value");
}

/*
 * Cut the next word off *p, in place: *name, and *value or NULL.  False at the end.
 */
static bool next_word(char **p, char **name, char **value)
{
	char *r = *p, *w;
	bool quoted = false;

	while (*r == ' ')
		r++;
	if (!*r)
		return false;
	*name = w = r;
	*value = NULL;
	for (; *r && (quoted || *r != ' '); r++) {
		if (*r == '"') {
			quoted = !quoted;
		} else if (*r == '=' && !*value) {
			*w++ = '\0';
			*value = w;
		} else {
			if (quoted && *r == '\\' && (r[1] == '"' || r[1] == '\\'))
				r++;
			*w++ = *r;
		}
	}
	*p = *r ? r + 1 : r;
	*w = '\0';
	return true;
}

void cmdline_parse(void)
{
	char *p = boot_info.cmdline, *name, *value;
	size_t n = strlen(boot_info.cmdline);

	if (n + 1 == sizeof(boot_info.cmdline))
		snprintf(bad, sizeof(bad), "longer than %u characters: cut", n);
	snprintf(boot_info.cmdline + n, sizeof(boot_info.cmdline) - n, " %s", boot_note());
	boot_info.mon = "";
	while (next_word(&p, &name, &value))
		if (value)
			apply(name, value);
}

void cmdline_report(void)
{
	if (!bad[0])
		return;
	klog("command line: %s (see `show` for tunables)\n", bad);
	if (batch) /* nobody sees that line in time: better no result than one of another machine */
		power_off(EXIT_REFUSED);
}
