/*
 * test_tlb.c - the TLB model keeps its rules, and the short cuts to it change nothing.
 *
 * Directed cases on hand-made traces; that the model agrees with an independent one on a million
 * random references is tlb_reference.py's part.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "monitor/tlb/feed.h"
#include "monitor/tlb/guest.h"

#define P  0x001u
#define D  0x040u
#define PS 0x080u
#define G  0x100u

#define KERNEL KERNEL_BASE
#define BITS   10

/* Page tables that tests change: frames are the page's number plus `moved`. */
static struct {
	uint32_t moved;
	uint32_t flags;
	uint32_t global_from; /* pages at and above are global */
	uint32_t large_from;  /* and these are 4 MB */
	bool absent;
} tables;

static struct tlb tlb;
static struct telemetry_tlb out;
static uint64_t buckets[1 << BITS][TLB_SEEN_WAYS];

static bool walk(void *context, uint32_t linear, struct tlb_walk *w)
{
	(void)context;
	if (tables.absent)
		return false;
	w->pfn = ((linear >> 12) + tables.moved) & 0xfffff;
	w->flags = tables.flags | (linear >= tables.global_from ? G : 0);
	w->large = linear >= tables.large_from;
	w->reads = w->large ? 1 : 2;
	return true;
}

static void start(const char *text)
{
	struct tlb_geometry g;
	char error[160];

	assert_null(tlb_geometry(&g, text, error));
	memset(&out, 0, sizeof(out));
	memset(buckets, 0, sizeof(buckets));
	memset(&tables, 0, sizeof(tables));
	tables.flags = P | D;
	tables.global_from = tables.large_from = UINT32_MAX;
	tlb_init(&tlb, &g, text, &out, walk, NULL, (struct tlb_seen){ buckets, BITS });
	tlb_space(&tlb, 1);
}

/* Page n of set 0 of an 8-set TLB. */
static uint32_t conflict(uint32_t n)
{
	return n << 15;
}

static enum tlb_result touch(uint32_t linear)
{
	enum tlb_result r = tlb_reference(&tlb, linear, TLB_READ);

	assert_int_equal(out.misses, out.miss_first + out.miss_replaced + out.miss_flush);
	assert_int_equal(telemetry_tlb_references(&out), telemetry_tlb_hits(&out) + out.misses);
	return r;
}

static bool is_cached(uint32_t linear)
{
	for (uint32_t i = 0; i < TELEMETRY_TLB_ENTRIES; i++)
		if (out.entry[i].flags && out.entry[i].vpn == linear >> 12)
			return true;
	return false;
}

static uint32_t cached(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < TELEMETRY_TLB_ENTRIES; i++)
		n += out.entry[i].flags != 0;
	return n;
}

/* --- replacement ------------------------------------------------------------- */

static void test_four_pages_of_a_set_fit_and_the_fifth_replaces_one(void **state)
{
	static const char *const all[] = { "386", "486", "386:replacement=lru",
					   "386:replacement=rr", "386:replacement=random" };

	(void)state;
	for (uint32_t k = 0; k < 5; k++) {
		start(all[k]);
		for (uint32_t n = 1; n <= 4; n++)
			assert_int_equal(touch(conflict(n)), TLB_MISS_FIRST);
		for (uint32_t n = 1; n <= 4; n++)
			assert_int_equal(touch(conflict(n)), TLB_HIT);
		assert_int_equal(touch(conflict(5)), TLB_MISS_FIRST);
		assert_int_equal(cached(), 4);
		assert_true(is_cached(conflict(5)));
		/* a page of another set takes nobody's place */
		assert_int_equal(touch(conflict(1) + 4096), TLB_MISS_FIRST);
		assert_int_equal(cached(), 5);
	}
}

/* Who is not there any more, of pages 1 to 4 of set 0. */
static uint32_t gone(void)
{
	uint32_t who = 0;

	for (uint32_t n = 1; n <= 4; n++)
		if (!is_cached(conflict(n))) {
			assert_int_equal(who, 0);
			who = n;
		}
	return who;
}

static uint32_t replaced_after(const char *geometry, const char *trace)
{
	start(geometry);
	for (; *trace; trace++)
		touch(conflict(*trace - '0'));
	return gone();
}

static void test_lru_replaces_the_one_used_longest_ago(void **state)
{
	(void)state;
	assert_int_equal(replaced_after("386:replacement=lru", "12345"), 1);
	assert_int_equal(replaced_after("386:replacement=lru", "123415"), 2);
	assert_int_equal(replaced_after("386:replacement=lru", "123421435"), 2);
}

static void test_plru_goes_to_the_half_not_used_last(void **state)
{
	(void)state;
	assert_int_equal(replaced_after("486", "12345"), 1);
	assert_int_equal(replaced_after("486", "123415"), 3); /* LRU would take 2 */
	assert_int_equal(replaced_after("486", "1234135"), 2);
}

static void test_round_robin_does_not_care_about_hits(void **state)
{
	(void)state;
	assert_int_equal(replaced_after("386:replacement=rr", "12345"), 1);
	assert_int_equal(replaced_after("386:replacement=rr", "12341115"), 1);
	start("386:replacement=rr");
	for (uint32_t n = 1; n <= 6; n++)
		touch(conflict(n));
	assert_false(is_cached(conflict(1)) || is_cached(conflict(2)));
}

static void test_the_pointer_never_stands_on_the_last_used(void **state)
{
	(void)state;
	/* filling moves it on from each way in turn: back on the first */
	assert_int_equal(replaced_after("386", "12345"), 1);
	/* a hit there pushes it on */
	assert_int_equal(replaced_after("386", "123415"), 2);
	/* a hit elsewhere does not */
	assert_int_equal(replaced_after("386", "1234325"), 1);
}

static void test_random_repeats_with_its_seed(void **state)
{
	uint64_t misses[3];

	(void)state;
	for (uint32_t k = 0; k < 3; k++) {
		start(k < 2 ? "386:replacement=random,seed=7" : "386:replacement=random,seed=8");
		for (uint32_t i = 0; i < 5000; i++)
			touch(conflict(1 + i * i % 11));
		misses[k] = out.misses;
	}
	assert_int_equal(misses[0], misses[1]);
	assert_int_not_equal(misses[0], misses[2]);
}

/* --- flushes ------------------------------------------------------------------- */

static void test_a_cr3_load_keeps_exactly_the_globals_when_on(void **state)
{
	(void)state;
	for (uint32_t on = 0; on < 2; on++) {
		start("custom:global=1");
		tables.global_from = KERNEL;
		tlb_globals(&tlb, on);
		for (uint32_t n = 0; n < 8; n++) {
			touch(0x400000 + n * 4096);
			touch(KERNEL + n * 4096);
		}
		tlb_flush(&tlb, 1);
		assert_int_equal(cached(), on ? 8 : 0);
		for (uint32_t n = 0; n < 8; n++)
			assert_int_equal(is_cached(KERNEL + n * 4096), on);
		tlb_flush_global(&tlb, 2);
		assert_int_equal(cached(), 0);
	}
}

static void test_a_386_knows_no_globals(void **state)
{
	(void)state;
	start("386");
	tables.global_from = KERNEL;
	tlb_globals(&tlb, true);
	touch(KERNEL);
	tlb_flush(&tlb, 1);
	assert_int_equal(cached(), 0);
}

static void test_invlpg_drops_one_page(void **state)
{
	(void)state;
	start("386");
	for (uint32_t n = 1; n <= 4; n++)
		touch(conflict(n));
	tlb_flush_page(&tlb, conflict(2) + 123);
	assert_int_equal(gone(), 2);
	assert_int_equal(touch(conflict(2)), TLB_MISS_FIRST);
	for (uint32_t n = 1; n <= 4; n++)
		assert_int_equal(touch(conflict(n)), TLB_HIT);
}

/* --- causes --------------------------------------------------------------------- */

static void test_what_a_flush_dropped_is_charged_to_it_once(void **state)
{
	(void)state;
	start("386");
	touch(KERNEL);
	touch(0x1000);
	tlb_flush(&tlb, 42);
	assert_int_equal(touch(KERNEL), TLB_MISS_FLUSH);
	assert_int_equal(tlb.charged, 42);
	assert_int_equal(touch(KERNEL), TLB_HIT);
	tlb_flush(&tlb, 43);
	tlb_flush(&tlb, 44);
	/* 0x1000 was there only at the first, KERNEL at the second: the third found nothing */
	assert_int_equal(touch(0x1000), TLB_MISS_FLUSH);
	assert_int_equal(tlb.charged, 42);
	assert_int_equal(touch(KERNEL), TLB_MISS_FLUSH);
	assert_int_equal(tlb.charged, 43);
	assert_int_equal(out.miss_flush, 3);
}

static void test_what_would_have_been_replaced_anyway_is_not_charged_to_a_flush(void **state)
{
	(void)state;
	start("386:replacement=lru");
	touch(conflict(1));
	tlb_flush(&tlb, 1);
	for (uint32_t n = 2; n <= 5; n++)
		touch(conflict(n));
	assert_int_equal(touch(conflict(1)), TLB_MISS_REPLACED);
	assert_int_equal(out.miss_flush, 0);
}

static void test_a_flush_is_charged_at_most_the_entries_it_dropped(void **state)
{
	static const char *const all[] = { "386",
					   "486",
					   "386:replacement=lru",
					   "386:replacement=rr",
					   "386:replacement=random",
					   "pentium" };
	uint32_t charged[400];

	(void)state;
	srand(5);
	for (uint32_t k = 0; k < 6; k++) {
		start(all[k]);
		memset(charged, 0, sizeof(charged));
		for (uint32_t load = 0; load < 400; load++) {
			tlb_space(&tlb, 1 + load % 3);
			for (uint32_t i = 0; i < 200; i++)
				if (touch((rand() % 2 ? KERNEL : 0) + rand() % 40 * 4096) ==
				    TLB_MISS_FLUSH)
					charged[tlb.charged]++;
			tlb_flush(&tlb, load);
		}
		for (uint32_t load = 0; load < 400; load++)
			assert_in_range(charged[load], 0, 32 << (k == 5));
	}
}

/* --- what is published for those who look -------------------------------------------- */

static void test_the_victim_told_is_the_one_that_goes(void **state)
{
	static const char *const all[] = { "386", "486", "386:replacement=lru",
					   "386:replacement=rr" };

	(void)state;
	srand(9);
	for (uint32_t k = 0; k < 4; k++) {
		start(all[k]);
		for (uint32_t i = 0; i < 5000; i++) {
			uint32_t page = conflict(rand() % 7), before = out.victim[0];
			bool full = out.entry[0].flags && out.entry[1].flags &&
				    out.entry[2].flags && out.entry[3].flags;

			if (rand() % 100 == 0)
				tlb_flush_page(&tlb, conflict(rand() % 7));
			else if (touch(page) != TLB_HIT && full)
				assert_int_equal(out.entry[before].vpn, page >> 12);
		}
		start("386:replacement=random");
		assert_int_equal(out.victim[0], TELEMETRY_TLB_ANY);
	}
}

static void test_an_entry_tells_why_it_came_and_a_flush_what_it_took(void **state)
{
	(void)state;
	start("386");
	touch(0x1000);
	touch(0x2000);
	assert_int_equal(out.entry[4].cause, TELEMETRY_TLB_FIRST);
	tlb_flush(&tlb, 7);
	assert_int_equal(out.last_flush, 7);
	assert_int_equal(out.held[4], 1 | TELEMETRY_TLB_HELD);
	touch(0x1000);
	assert_int_equal(out.held[4], 1 | TELEMETRY_TLB_HELD | TELEMETRY_TLB_CHARGED);
	assert_int_equal(out.held[8], 2 | TELEMETRY_TLB_HELD);
	assert_int_equal(out.entry[4].cause, TELEMETRY_TLB_FLUSH);
	assert_int_equal(out.entry[4].flush, 7);
	tlb_flush(&tlb, 8);
	assert_int_equal(out.held[8], 0); /* it was not there any more */
	assert_int_equal(out.part[0].misses, out.misses);
}

static void test_another_space_is_another_page(void **state)
{
	(void)state;
	start("386");
	touch(0x1000);
	touch(KERNEL);
	tlb_flush(&tlb, 1);
	tlb_space(&tlb, 2);
	tables.moved = 7;
	assert_int_equal(touch(0x1000), TLB_MISS_FIRST);
	tables.moved = 0;
	assert_int_equal(touch(KERNEL), TLB_MISS_FLUSH); /* the kernel's is the same in both */
	tlb_flush(&tlb, 2);
	tlb_space(&tlb, 1);
	assert_int_equal(touch(0x1000), TLB_MISS_FLUSH);
	assert_int_equal(tlb.charged, 1);
}

static void test_a_page_that_maps_another_frame_starts_anew(void **state)
{
	(void)state;
	start("386");
	touch(0x1000);
	tlb_flush(&tlb, 1);
	tables.moved = 1;
	assert_int_equal(touch(0x1000), TLB_MISS_FIRST);
	for (uint32_t n = 0; n < 4; n++)
		touch(0x1000 + conflict(1 + n));
	assert_int_equal(touch(0x1000), TLB_MISS_REPLACED);
}

static void test_a_write_to_a_clean_entry_walks_again_and_is_a_hit(void **state)
{
	(void)state;
	start("386");
	tables.flags = P;
	touch(0x1000);
	assert_int_equal(out.walk_reads, 2);
	assert_int_equal(tlb_reference(&tlb, 0x1000, TLB_WRITE), TLB_HIT);
	assert_int_equal(out.rewalks, 1);
	assert_int_equal(out.walk_reads, 4);
	assert_int_equal(tlb_reference(&tlb, 0x1000, TLB_WRITE), TLB_HIT);
	assert_int_equal(out.rewalks, 1);
	assert_int_equal(tlb_reference(&tlb, 0x2000, TLB_WRITE), TLB_MISS_FIRST);
	assert_int_equal(tlb_reference(&tlb, 0x2000, TLB_WRITE), TLB_HIT);
	assert_int_equal(out.rewalks, 1);
}

static void test_what_is_not_mapped_is_not_cached(void **state)
{
	(void)state;
	start("386");
	tables.absent = true;
	assert_int_equal(touch(0x1000), TLB_MISS_FIRST);
	assert_int_equal(cached(), 0);
}

/* --- the Pentium ------------------------------------------------------------------ */

static void test_a_split_tlb_keeps_code_and_data_apart(void **state)
{
	(void)state;
	start("pentium");
	assert_int_equal(tlb_reference(&tlb, 0x1000, TLB_READ), TLB_MISS_FIRST);
	assert_int_equal(tlb_reference(&tlb, 0x1000, TLB_FETCH), TLB_MISS_REPLACED);
	assert_int_equal(tlb_reference(&tlb, 0x1000, TLB_FETCH), TLB_HIT);
	assert_int_equal(cached(), 2);
}

static void test_large_pages_have_entries_of_their_own(void **state)
{
	(void)state;
	start("pentium");
	tables.large_from = KERNEL;
	assert_int_equal(touch(KERNEL + 5 * 4096), TLB_MISS_FIRST);
	assert_int_equal(touch(KERNEL + 900 * 4096), TLB_HIT);
	assert_int_equal(cached(), 1);
	assert_int_equal(out.entry[out.part[2].first].vpn, KERNEL >> 12);
	/* the part for instructions takes them in pieces */
	assert_int_equal(tlb_reference(&tlb, KERNEL + 4096, TLB_FETCH), TLB_MISS_FIRST);
	assert_int_equal(tlb_reference(&tlb, KERNEL + 8192, TLB_FETCH), TLB_MISS_FIRST);
	tlb_flush_page(&tlb, KERNEL + 77 * 4096);
	assert_int_equal(touch(KERNEL), TLB_MISS_FIRST);
}

/* --- what the kernel learns of walks --------------------------------------------------- */

/*
 * A guest: its directory in frame 1, in frame 2 the table of its first 4 MB, which is also that of
 * the kernel's, in frame 3 the bitmap.
 */
#define FRAMES	256u
#define BITMAP	0x3000u
#define FOREIGN 1000u /* a frame the kernel does not count */

static uint32_t ram[8][1024];
static struct telemetry told;
static struct guest guest = { (uint8_t *)ram, sizeof(ram), &told };
static struct guest_cpu mmu = { .guest = &guest, .cr3 = 0x1000, .large_pages = true };

static void map(uint32_t page, uint32_t frame, uint32_t flags)
{
	ram[2][page] = frame << 12 | flags;
}

/* Pages 1 to 255 map the frames of those numbers. */
static void start_guest(void)
{
	struct tlb_geometry g;
	char error[160];

	start("386");
	memset(ram, 0, sizeof(ram));
	told = (struct telemetry){ .accessed = BITMAP, .accessed_frames = FRAMES };
	ram[1][0] = ram[1][KERNEL >> 22] = 0x2000 | P;
	for (uint32_t i = 1; i < FRAMES; i++)
		map(i, i, P);
	assert_null(tlb_geometry(&g, "386", error));
	memset(&out, 0, sizeof(out));
	tlb_init(&tlb, &g, "386", &out, guest_walk, &mmu, (struct tlb_seen){ buckets, BITS });
}

static uint32_t marks(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < 1024; i++)
		n += __builtin_popcount(ram[3][i]);
	return n;
}

/* As the kernel asks: in words. */
static bool is_marked(uint32_t frame)
{
	return ram[3][frame / 32] >> frame % 32 & 1;
}

static void test_only_a_walk_marks_the_frame_as_used(void **state)
{
	(void)state;
	start_guest();
	map(5, 77, P);
	touch(0x5000);
	assert_true(is_marked(77));
	assert_int_equal(marks(), 1);
	assert_int_equal(told.accessed_kept, 1);
	ram[3][77 / 32] = 0;
	touch(0x5000);
	tlb_reference(&tlb, 0x5008, TLB_FETCH);
	assert_int_equal(marks(), 0); /* in use, but nobody walks */
	tlb_flush(&tlb, 1);
	assert_int_equal(marks(), 0);
	tlb_reference(&tlb, 0x5000, TLB_FETCH);
	assert_true(is_marked(77));
}

static void test_a_write_to_a_clean_entry_marks_the_frame_again(void **state)
{
	(void)state;
	start_guest();
	touch(0x5000);
	ram[3][0] = 0;
	tlb_reference(&tlb, 0x5000, TLB_WRITE);
	assert_int_equal(ram[3][0], 1 << 5);
	ram[3][0] = 0;
	tlb_reference(&tlb, 0x5000, TLB_WRITE);
	assert_int_equal(marks(), 0);
}

static void test_the_kernels_own_mapping_of_a_frame_marks_nothing(void **state)
{
	(void)state;
	start_guest();
	touch(KERNEL + 0x5000);
	tlb_reference(&tlb, KERNEL + 0x5000, TLB_WRITE);
	assert_int_equal(out.walk_reads, 4);
	assert_int_equal(marks(), 0);
	touch(0x5000);
	assert_int_equal(marks(), 1);
}

static void test_what_is_not_a_frame_of_the_kernels_is_not_marked(void **state)
{
	(void)state;
	start_guest();
	map(4, 4, 0);
	map(6, FRAMES, P);
	map(7, FOREIGN, P);
	ram[1][1] = P | PS;
	touch(0x4000);
	touch(0x6000);
	touch(0x7000);
	touch(0x405000); /* large */
	touch(0x805000);
	assert_int_equal(marks(), 0);
	guest_read(&mmu, 0x5000); /* the plugin's own look */
	assert_int_equal(marks(), 0);
	told.accessed = sizeof(ram) - 4; /* most of it is beyond RAM: a kernel that lies */
	touch(0xff000);
	assert_int_equal(told.accessed_kept, 0);
}

static void test_marks_begin_when_the_kernel_has_a_place_for_them(void **state)
{
	(void)state;
	start_guest();
	told.accessed = 0;
	touch(0x5000);
	assert_int_equal(told.accessed_kept, 0);
	told.accessed = BITMAP;
	touch(0x6000);
	assert_int_equal(ram[3][0], 1 << 6);
	assert_int_equal(told.accessed_kept, 1);
}

/* A processor that walks for each eighth page: all of a word's bits are set by several. */
static void *eighth_walks(void *first)
{
	struct tlb_walk w;

	for (uint32_t page = (uintptr_t)first; page < FRAMES; page += 8)
		guest_walk(&mmu, page << 12, &w);
	return NULL;
}

static void test_processors_that_mark_at_the_same_time_lose_nothing(void **state)
{
	(void)state;
	start_guest();
	for (uint32_t round = 0; round < 300; round++) {
		pthread_t thread[8];

		memset(ram[3], 0, sizeof(ram[3]));
		for (uintptr_t i = 0; i < 8; i++)
			assert_int_equal(pthread_create(&thread[i], NULL, eighth_walks, (void *)i),
					 0);
		for (uint32_t i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
		assert_int_equal(marks(), FRAMES - 1); /* page 0 is not mapped */
	}
}

/* --- geometries --------------------------------------------------------------------- */

static const char *refused(const char *text)
{
	static char error[160];
	struct tlb_geometry g;

	return tlb_geometry(&g, text, error);
}

static void test_a_bad_geometry_says_what_is_wrong(void **state)
{
	(void)state;
	assert_string_equal(refused("foo"),
			    "unknown TLB geometry `foo`; known: 386, 486, pentium, custom");
	assert_string_equal(refused("custom:entries=32,ways=3"),
			    "custom:entries=32,ways=3: ways does not divide entries");
	assert_non_null(strstr(refused("custom:entries=24,ways=4"), "not a power of two"));
	assert_non_null(strstr(refused("custom:entries=12,ways=6"), "plru needs ways"));
	assert_non_null(strstr(refused("custom:entries=128,large=8"), "more than 128"));
	assert_non_null(strstr(refused("custom:entries=129"), "1 to 128"));
	assert_non_null(strstr(refused("custom:entries="), "1 to 128"));
	assert_non_null(strstr(refused("custom:ways=0"), "1 to 64"));
	assert_non_null(strstr(refused("custom:replacement=fifo"), "known: pointer, plru"));
	assert_non_null(strstr(refused("custom:sets=8"), "known: entries, ways"));
	assert_non_null(strstr(refused("custom:global"), "needs =VALUE"));
	assert_non_null(strstr(refused("custom:seed=0,replacement=random"), "1 to 4294967295"));
	assert_non_null(strstr(refused("386,replacement=lru"), "unknown"));
	assert_null(refused("custom:entries=12,ways=3,replacement=lru"));
	assert_null(refused("custom:entries=64,ways=64,replacement=plru"));
	assert_null(refused("386:replacement=random,seed=4294967295"));
}

/* --- the short cuts -------------------------------------------------------------------- */

/*
 * The same random program, of blocks with data, traps and flushes in between, goes to the feed
 * and, each reference by itself, to a model.  Everything visible must agree at the end of each
 * block.
 */
#define BLOCKS	      24
#define MOST_IN_BLOCK 12

static struct feed feed;
static struct telemetry_tlb feed_out;
static uint64_t feed_buckets[1 << BITS][TLB_SEEN_WAYS];
static struct feed_block *block[BLOCKS];
static uint32_t space;

static uint32_t some_page(void)
{
	static const uint32_t base[] = { 0x400, 0x408, 0xC0100, 0xC0200 };

	return base[rand() % 4] + rand() % 3 + rand() % 2 * 16;
}

static void make_blocks(void)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct feed_block *b = block[i];
		uint32_t n = 1 + rand() % MOST_IN_BLOCK, at;

		free(b);
		block[i] = b = calloc(1, sizeof(*b) + n * sizeof(b->site[0]));
		b->n = n;
		b->vpn = some_page();
		b->careful = rand() % 4 == 0;
		at = b->careful ? 4096 - rand() % (3 * n) : (uint32_t)rand() % 4000;
		for (uint32_t k = 0; k < n; k++) {
			b->site[k] = (struct feed_site){ k, at & 4095, 1 + rand() % 5 };
			at += b->site[k].bytes;
		}
	}
}

static void both_data(const struct feed_site *site)
{
	uint32_t linear = some_page() << 12 | rand() % 4096, bytes = 1u << rand() % 3;
	enum tlb_kind kind = rand() % 2 ? TLB_READ : TLB_WRITE;

	if (rand() % 3)
		linear = (0xC0300u + rand() % 2) << 12; /* a stack: mostly the same page */
	tlb_reference(&tlb, linear, kind);
	if ((linear & 4095) + bytes > 4096)
		tlb_reference(&tlb, (linear + bytes) & ~4095u, kind);
	if (!feed_data_quickly(&feed, linear, kind == TLB_WRITE, site))
		feed_data_slowly(&feed, linear, bytes, kind == TLB_WRITE, site);
}

static void one_fetch(const struct feed_site *site)
{
	uint32_t linear = feed_linear(site), end = linear + site->bytes - 1;

	tlb_reference(&tlb, linear, TLB_FETCH);
	if (end >> 12 != linear >> 12) {
		tlb_reference(&tlb, end & ~4095u, TLB_FETCH);
		out.straddles++;
	}
}

static void both_run(struct feed_block *b)
{
	/* where it ends early, if it does, and whether because it is run again alone */
	uint32_t ends = rand() % 8 ? b->n : rand() % b->n, alone = rand() % 2;

	if (!b->careful && !feed_block_quickly(&feed, b))
		feed_block(&feed, b);
	for (uint32_t k = 0; k < b->n; k++) {
		const struct feed_site *site = &b->site[k];

		one_fetch(site);
		if (b->careful)
			feed_fetch(&feed, b, site);
		if (k == ends && !alone) { /* a fault: its trap's own references follow */
			feed_trap(&feed, feed_linear(site));
			tlb_reference(&tlb, KERNEL, TLB_READ);
			feed_plain(&feed, KERNEL, TLB_READ);
			return;
		}
		if (k == ends && !b->careful) {
			struct feed_block *only = calloc(1, sizeof(*b) + sizeof(b->site[0]));

			*only = (struct feed_block){ .vpn = b->vpn, .n = 1 };
			only->site[0] = *site;
			only->site[0].index = 0;
			both_data(feed_alone(&feed, only->site));
			free(only);
			return;
		}
		for (uint32_t n = rand() % 4; n > 1; n--)
			both_data(site);
		if (rand() % 40 == 0) {
			uint32_t linear = some_page() << 12;

			tlb_flush_page(&tlb, linear);
			feed_flush_page(&feed, site, linear);
		}
		if (rand() % 100 == 0) {
			uint32_t name = rand();

			tlb_flush(&tlb, name);
			feed_flush(&feed, site, name, false);
			space = 1 + rand() % 3;
			tlb_space(&tlb, space);
		}
	}
}

/* Owed fetches are made by ending the running block, as the next one's beginning would. */
static void assert_same(void)
{
	feed_trap(&feed, FEED_ALL_DONE);
	assert_memory_equal(&out, &feed_out, sizeof(out));
	/* LRU's times differ, what counts is their order: it shows in whom it replaces */
	assert_memory_equal(tlb.order.set, feed.tlb.order.set, sizeof(tlb.order.set));
	assert_int_equal(tlb.order.random, feed.tlb.order.random);
}

static void test_short_cuts_change_nothing(void **state)
{
	static const char *const all[] = {
		"386",
		"486",
		"pentium",
		"386:replacement=lru",
		"386:replacement=rr",
		"386:replacement=random",
		"386:ways=2",
		"custom:entries=8,ways=1",
		"custom:entries=2,ways=2",
		"custom:entries=4,ways=4,replacement=pointer",
		"custom:entries=1,ways=1",
		"custom:entries=6,ways=3,replacement=pointer",
		"custom:entries=4,ways=2,replacement=rr",
		"custom:entries=4,ways=4,replacement=random",
		"custom:entries=8,ways=4,split=1",
		"custom:entries=4,ways=4,replacement=lru",
	};

	(void)state;
	for (uint32_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		struct tlb_geometry g;
		char error[160];

		srand(k + 1);
		start(all[k]);
		tables.flags = P;
		space = 1;
		memset(&feed_out, 0, sizeof(feed_out));
		memset(feed_buckets, 0, sizeof(feed_buckets));
		memset(&feed, 0, sizeof(feed));
		feed_init(&feed);
		assert_null(tlb_geometry(&g, all[k], error));
		feed_attach(&feed, &g, all[k], &feed_out, &space, walk, NULL,
			    (struct tlb_seen){ feed_buckets, BITS });
		for (uint32_t i = 0; i < 6000; i++) {
			if (i % 500 == 0) {
				assert_same();
				make_blocks();
			}
			both_run(block[rand() % (1 + rand() % BLOCKS)]);
			if (rand() % 3 == 0)
				assert_same();
		}
		assert_same();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_four_pages_of_a_set_fit_and_the_fifth_replaces_one),
		cmocka_unit_test(test_lru_replaces_the_one_used_longest_ago),
		cmocka_unit_test(test_plru_goes_to_the_half_not_used_last),
		cmocka_unit_test(test_round_robin_does_not_care_about_hits),
		cmocka_unit_test(test_the_pointer_never_stands_on_the_last_used),
		cmocka_unit_test(test_random_repeats_with_its_seed),
		cmocka_unit_test(test_a_cr3_load_keeps_exactly_the_globals_when_on),
		cmocka_unit_test(test_a_386_knows_no_globals),
		cmocka_unit_test(test_invlpg_drops_one_page),
		cmocka_unit_test(test_what_a_flush_dropped_is_charged_to_it_once),
		cmocka_unit_test(
			test_what_would_have_been_replaced_anyway_is_not_charged_to_a_flush),
		cmocka_unit_test(test_a_flush_is_charged_at_most_the_entries_it_dropped),
		cmocka_unit_test(test_the_victim_told_is_the_one_that_goes),
		cmocka_unit_test(test_an_entry_tells_why_it_came_and_a_flush_what_it_took),
		cmocka_unit_test(test_another_space_is_another_page),
		cmocka_unit_test(test_a_page_that_maps_another_frame_starts_anew),
		cmocka_unit_test(test_a_write_to_a_clean_entry_walks_again_and_is_a_hit),
		cmocka_unit_test(test_what_is_not_mapped_is_not_cached),
		cmocka_unit_test(test_a_split_tlb_keeps_code_and_data_apart),
		cmocka_unit_test(test_large_pages_have_entries_of_their_own),
		cmocka_unit_test(test_only_a_walk_marks_the_frame_as_used),
		cmocka_unit_test(test_a_write_to_a_clean_entry_marks_the_frame_again),
		cmocka_unit_test(test_the_kernels_own_mapping_of_a_frame_marks_nothing),
		cmocka_unit_test(test_what_is_not_a_frame_of_the_kernels_is_not_marked),
		cmocka_unit_test(test_marks_begin_when_the_kernel_has_a_place_for_them),
		cmocka_unit_test(test_processors_that_mark_at_the_same_time_lose_nothing),
		cmocka_unit_test(test_a_bad_geometry_says_what_is_wrong),
		cmocka_unit_test(test_short_cuts_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
