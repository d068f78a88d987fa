/*
 * cache.c - the buffer cache seen from outside: bcache, drop.
 */
#include "block/buffer.h"
#include "lib/string.h"
#include "monitor/shell/shell.h"
#include "telemetry.h"

int cmd_bcache(int argc, char **argv)
{
	const struct telemetry_cache *c = &telemetry.cache;
	uint32_t looked = c->hits + c->misses;
	uint32_t tenths = looked ? (uint32_t)((uint64_t)c->hits * 1000 / looked) : 0;

	(void)argv;
	if (argc > 1)
		return usage("bcache");
	if (mon->keys) {
		out("buffers=%u free=%u dirty=%u hits=%u misses=%u reads=%u writes=%u readahead=%u "
		    "size=%u\n",
		    c->buffers, c->free, c->dirty, c->hits, c->misses, c->reads, c->writes,
		    c->readahead, buffer_size);
		return 0;
	}
	out("%u buffers of %u bytes: %u KB; %u free, %u dirty\n", c->buffers, buffer_size,
	    c->buffers * (buffer_size / 1024), c->free, c->dirty);
	out("%u look-ups: %u hits, %u misses: %u.%u %% hits\n", looked, c->hits, c->misses,
	    tenths / 10, tenths % 10);
	out("%u blocks read (%u ahead of need), %u written\n", c->reads, c->readahead, c->writes);
	for (uint32_t i = 0; block_devices[i]; i++)
		out("%s: %u requests, %u sectors read, %u written, %u errors\n",
		    block_devices[i]->name, block_devices[i]->requests,
		    block_devices[i]->sectors_read, block_devices[i]->sectors_written,
		    block_devices[i]->errors);
	return 0;
}

int cmd_drop(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return usage("drop");
	out("%u buffers dropped\n", buffer_drop());
	return 0;
}
