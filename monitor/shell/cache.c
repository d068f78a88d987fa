/*
 * cache.c - the buffer cache and the disks seen from outside: bcache, disk, sync, drop.
 *
 * A buffer knows whose block it has by the inode's number.  The name beside it comes out of the
 * cache, too: from a directory whose blocks are in memory.  So looking reads no disk, sleeps
 * nowhere, and does not change what it looks at.
 *
 * Lessons 8 and 9.
 */
#include "block/buffer.h"
#include "block/disktime.h"
#include "fs/ext2.h"
#include "lib/string.h"
#include "monitor/shell/shell.h"
#include "telemetry.h"

#define OWNERS	     32
#define OWNERS_SHOWN 16
#define MAP_COLUMNS  64

struct owner {
	uint32_t ino, buffers, dirty;
};

/* Who fills the cache: one row each, most buffers first; the last also stands for all that found no
 * room. */
struct owners {
	struct owner row[OWNERS];
	uint32_t count;
	bool others;
};

static void count_owner(struct owners *o, const struct buffer *b)
{
	uint32_t n = 0;

	while (n < o->count && o->row[n].ino != b->ino)
		n++;
	if (n == OWNERS) {
		o->others = true;
		n--;
	} else if (n == o->count) {
		o->row[o->count++] = (struct owner){ .ino = b->ino };
	}
	o->row[n].buffers++;
	o->row[n].dirty += b->dirty;
}

static void sort(struct owners *o)
{
	uint32_t end = o->others ? o->count - 1 : o->count;

	for (uint32_t i = 1; i < end; i++) {
		struct owner row = o->row[i];
		uint32_t n = i;

		for (; n && o->row[n - 1].buffers < row.buffers; n--)
			o->row[n] = o->row[n - 1];
		o->row[n] = row;
	}
}

static void find_owners(struct owners *o)
{
	memset(o, 0, sizeof(*o));
	for (struct buffer *b = buffer_next(NULL); b; b = buffer_next(b))
		if (b->dev)
			count_owner(o, b);
	sort(o);
}

/* The entry for `ino` in a directory's block, if that is what it is: nothing in it is believed. */
static const struct ext2_entry *entry_of(const struct buffer *b, uint32_t ino)
{
	for (uint32_t at = 0; at + sizeof(struct ext2_entry) <= buffer_size;) {
		const struct ext2_entry *e = (const struct ext2_entry *)(b->data + at);

		if (e->rec_len < sizeof(*e) + e->name_len || e->rec_len > buffer_size - at)
			return NULL;
		if (e->ino == ino && e->name_len && e->name[0] != '.')
			return e;
		at += e->rec_len;
	}
	return NULL;
}

/* A name of the inode, if one is in memory. */
static void out_owner(uint32_t ino)
{
	const struct ext2_entry *e = NULL;

	if (!ino) {
		out("maps, inodes, lists of blocks");
		return;
	}
	if (ino == EXT2_ROOT_INO) {
		out("/");
		return;
	}
	for (struct buffer *b = buffer_next(NULL); b && !e; b = buffer_next(b))
		if (b->dev && b->valid && b->meta && b->ino)
			e = entry_of(b, ino);
	if (e)
		out("%.*s", MIN(e->name_len, 40), e->name);
	else
		out("?");
}

static void show_owners(const struct owners *o, uint32_t most)
{
	if (!mon->keys)
		out_heading(" BUFFERS  DIRTY  INODE  WHOSE");
	for (uint32_t i = 0; i < MIN(o->count, most); i++) {
		const struct owner *w = &o->row[i];
		bool others = o->others && i == o->count - 1;

		if (mon->keys) {
			out("ino=%d buffers=%u dirty=%u\n", others ? -1 : (int)w->ino, w->buffers,
			    w->dirty);
			continue;
		}
		out("%8u %6u %6u  ", w->buffers, w->dirty, others ? 0 : w->ino);
		if (others)
			out("all others");
		else
			out_owner(w->ino);
		out("\n");
	}
}

static int show_counts(void)
{
	const struct telemetry_cache *c = &telemetry.cache;
	uint32_t looked = c->hits + c->misses;
	uint32_t share = looked ? (uint32_t)((uint64_t)c->hits * 1000 / looked) : 0;
	struct owners o;

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
	    share / 10, share % 10);
	out("%u blocks read (%u ahead of need), %u written\n", c->reads, c->readahead, c->writes);
	find_owners(&o);
	show_owners(&o, OWNERS_SHOWN);
	if (o.count > OWNERS_SHOWN)
		out("and more: bcache files\n");
	return 0;
}

static int show_files(void)
{
	struct owners o;

	find_owners(&o);
	show_owners(&o, OWNERS);
	return 0;
}

/* The letter of an owner: by its place in the table. */
static char letter_of(const struct owners *o, const struct buffer *b)
{
	uint32_t n = 0;

	if (!b->ino)
		return '+';
	while (n < MIN(o->count, OWNERS_SHOWN) && o->row[n].ino != b->ino)
		n++;
	return n < OWNERS_SHOWN && n < o->count ? 'a' + n : 'z';
}

static char cell_of(const struct owners *o, const struct buffer *b)
{
	char letter;

	if (!b->dev)
		return '.';
	if (b->locked)
		return '*';
	letter = letter_of(o, b);
	if (!b->dirty)
		return letter;
	return letter == '+' ? '#' : letter - 'a' + 'A';
}

static int show_map(void)
{
	uint32_t cell = 0;
	struct owners o;

	find_owners(&o);
	for (struct buffer *b = buffer_next(NULL); b; b = buffer_next(b), cell++) {
		if (cell % MAP_COLUMNS == 0)
			out("%s%6u ", cell ? "\n" : "", cell);
		out("%c", cell_of(&o, b));
	}
	out("\na cell is a buffer:  . free  * on its way  + maps, inodes, lists of blocks\n"
	    "(# dirty)  a to z files (A to Z dirty):\n");
	for (uint32_t i = 0; i < MIN(o.count, OWNERS_SHOWN); i++) {
		if (!o.row[i].ino || (o.others && i == o.count - 1))
			continue;
		out("  %c  inode %u ", 'a' + i, o.row[i].ino);
		out_owner(o.row[i].ino);
		out("\n");
	}
	out("  z  others\n");
	return 0;
}

static int show_block(uint32_t block)
{
	struct buffer *b = buffer_next(NULL);

	if (ext2.dev && block >= ext2.blocks)
		return fail("block %u: the disk has blocks 0 to %u", block, ext2.blocks - 1);
	while (b && !(b->dev && b->block == block))
		b = buffer_next(b);
	if (mon->keys) {
		out("block=%u cached=%u", block, b != NULL);
		if (b)
			out(" ino=%u meta=%u valid=%u dirty=%u locked=%u refs=%u written=%u",
			    b->ino, b->meta, b->valid, b->dirty, b->locked, b->refs, b->written);
		out("\n");
		return 0;
	}
	if (!b) {
		out("block %u is not in the cache\n", block);
		return 0;
	}
	out("block %u of %s: %s%s%s, %u users, written %u times\n", block, b->dev->name,
	    b->valid ? "valid" : "not read yet", b->dirty ? ", dirty" : "",
	    b->locked ? ", on its way" : "", b->refs, b->written);
	out("inode %u: ", b->ino);
	out_owner(b->ino);
	out("\n");
	return 0;
}

int cmd_bcache(int argc, char **argv)
{
	static const char words[] = "files map find";
	enum { FILES, MAP, FIND };
	uint32_t block;
	int what;

	if (argc == 1)
		return show_counts();
	what = choose("bcache", argv[1], words);
	if (what < 0)
		return 1;
	if (argc != (what == FIND ? 3 : 2))
		return usage("bcache");
	if (what == MAP && mon->keys)
		return fail("bcache map: a picture, without records; `bcache files -k` has them");
	if (what != FIND)
		return what == MAP ? show_map() : show_files();
	return arg_number(argv[2], &block) ? show_block(block) : 1;
}

static void out_seconds(const char *what, uint64_t ns)
{
	uint32_t ms = ns / 1000000;

	out("%s %u.%03u s", what, ms / 1000, ms % 1000);
}

static void show_disk(struct block_device *d)
{
	const struct request *r;

	if (mon->keys) {
		out("name=%s requests=%u read=%u written=%u errors=%u seeks=%u arm=%u busy=%u\n",
		    d->name, d->requests, d->sectors_read, d->sectors_written, d->errors, d->seeks,
		    d->arm, d->busy);
		return;
	}
	out("%-6s %9u %9u %9u %7u %7u %9u\n", d->name, d->requests, d->sectors_read / 2,
	    d->sectors_written / 2, d->seeks, d->errors, d->arm);
	list_for_each_entry (r, &d->queue, link)
		out("       %s %u sectors at %u%s\n", r->write ? "write" : "read", r->count,
		    r->sector, d->busy && r == block_head(d) ? ": the disk is at it" : "");
}

int cmd_disk(int argc, char **argv)
{
	const struct disk_spent *t = &disk_spent;

	(void)argv;
	if (argc > 1)
		return usage("disk");
	if (!mon->keys)
		out_heading("DISK    REQUESTS   READ KB  WRITTEN   SEEKS  ERRORS ARM AT SECTOR");
	for (uint32_t i = 0; block_devices[i]; i++)
		show_disk(block_devices[i]);
	if (mon->keys) {
		out("name=model ns_seek=%llu ns_turn=%llu ns_move=%llu\n", t->seek, t->turn,
		    t->move);
		return 0;
	}
	if (!disk_rpm) {
		out("disk.rpm is 0: no disk of 1992 is waited for\n");
		return 0;
	}
	out_seconds("disk of the profile:", t->seek + t->turn + t->move);
	out_seconds(": seeking", t->seek);
	out_seconds(", turning", t->turn);
	out_seconds(", moving", t->move);
	out("\n");
	return 0;
}

int cmd_sync(int argc, char **argv)
{
	uint32_t before = telemetry.cache.writes;
	int error;

	(void)argv;
	if (argc > 1)
		return usage("sync");
	error = fs_sync();
	out("%u blocks written\n", telemetry.cache.writes - before);
	if (error)
		return fail("sync: error %d: %u blocks could not be written", -error,
			    telemetry.cache.dirty);
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
