/*
 * chmod.c - changes who may do what with files.
 *
 * MODE is octal, or says what to add, take away or set: u+x, go-w, a=r, +x (everybody's).
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "args.h"

static const char text[] = "chmod MODE FILE...     (MODE: 644, or u+x, go-w, a=r, +x ...)";

#define ALL_RIGHTS 07777

/* What MODE makes of `mode`. */
static mode_t changed(const char *s, mode_t mode)
{
	mode_t who = 0, bits = 0;
	char *end, what;

	if (isdigit((unsigned char)*s)) {
		unsigned long value = strtoul(s, &end, 8);

		if (*end || value > ALL_RIGHTS)
			usage(text);
		return value;
	}
	for (; *s && strchr("ugoa", *s); s++)
		who |= *s == 'u' ? 0700 : *s == 'g' ? 0070 : *s == 'o' ? 0007 : 0777;
	if (!who)
		who = 0777;
	what = *s++;
	if (what != '+' && what != '-' && what != '=')
		usage(text);
	for (; *s; s++) {
		if (!strchr("rwx", *s))
			usage(text);
		bits |= *s == 'r' ? 0444 : *s == 'w' ? 0222 : 0111;
	}
	bits &= who;
	if (what == '=')
		return (mode & ~who) | bits;
	return what == '+' ? mode | bits : mode & ~bits;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc < 3)
		usage(text);
	changed(argv[1], 0); /* is it one? */
	for (int i = 2; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) < 0 ||
		    chmod(argv[i], changed(argv[1], st.st_mode & ALL_RIGHTS)) < 0) {
			complain("chmod", argv[i]);
			bad = 1;
		}
	}
	return bad;
}
