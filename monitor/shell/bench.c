/*
 * bench.c - what the kernel's operations cost.
 *
 * The measuring is done from ring 3, where the cost is felt: by /bin/bench, which runs on Linux
 * too.  This starts it.
 */
#include "monitor/shell/shell.h"

int cmd_bench(int argc, char **argv)
{
	char *words[ARGS_MAX + 2] = { argv[0], argv[0] };
	int n = 2;

	if (mon->keys)
		words[n++] = "-k";
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	return cmd_run(n, words);
}
