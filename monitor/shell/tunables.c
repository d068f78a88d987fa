/*
 * tunables.c - set and show: the design choices of tunable.c at the prompt.
 */
#include "lib/errno.h"
#include "lib/string.h"
#include "monitor/shell/shell.h"
#include "tunable.h"

#define ALLOWED	    80
#define HELP_COLUMN 17

int cmd_set(int argc, char **argv)
{
	char allowed[ALLOWED];
	const struct tunable *t;
	bool known = false; /* as the beginning of some */

	if (argc != 3)
		return usage("set");
	t = tunable_find(argv[1]);
	if (!t) {
		for (uint32_t i = 0; i < tunable_count; i++)
			known = known || is_prefix(argv[1], tunables[i].name);
		fail("%s: no such tunable%s", argv[1],
		     known ? "; there are" : nearest(argv[1], words_tunables));
		for (uint32_t i = 0; i < tunable_count; i++)
			if (!known || is_prefix(argv[1], tunables[i].name))
				out("  %-16s %s\n", tunables[i].name,
				    tunable_allowed(&tunables[i], allowed, sizeof(allowed)));
		return 1;
	}
	if (t->changed && mon->stopped) /* what it does may sleep */
		return fail("%s: needs a world that runs; `go` first", t->name);
	switch (tunable_set(argv[1], argv[2], false)) {
	case 0:
		return 0;
	case -EBUSY:
		return fail("%s is decided at boot: reboot %s=%s", argv[1], argv[1], argv[2]);
	default:
		return fail("%.16s: not a value; %s is %s", argv[2], argv[1],
			    tunable_allowed(t, allowed, sizeof(allowed)));
	}
}

static void show(const struct tunable *t)
{
	char value[24], allowed[ALLOWED];
	const char *now = tunable_text(t, value, sizeof(value));

	if (mon->keys) {
		out("name=%s value=%s boot=%u\n", t->name, now, t->boot_only);
		return;
	}
	out("%-16s %-10s (%s%s)\n", t->name, now, tunable_allowed(t, allowed, sizeof(allowed)),
	    t->boot_only ? "; at boot" : "");
	out("%*s", HELP_COLUMN, "");
	out_wrapped(t->help ? t->help : "", HELP_COLUMN);
	if (t->lesson)
		out("%*slesson %s\n", HELP_COLUMN, "", t->lesson);
}

int cmd_show(int argc, char **argv)
{
	uint32_t shown = 0;

	if (argc > 2)
		return usage("show");
	for (uint32_t i = 0; i < tunable_count; i++) {
		if (argc == 2 && !is_prefix(argv[1], tunables[i].name))
			continue;
		show(&tunables[i]);
		shown++;
	}
	return shown ? 0 : fail("%s: no such tunable%s", argv[1], nearest(argv[1], words_tunables));
}
