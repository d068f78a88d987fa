/*
 * test_lib.c - the kernel's own printf, strings and 64-bit division, against the host's.
 *
 * They are compiled with other names (unit.mk), so that both stand side by side.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

int k_snprintf(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void *k_memset(void *dst, int c, size_t n);
void *k_memcpy(void *dst, const void *src, size_t n);
void *k_memmove(void *dst, const void *src, size_t n);
int k_memcmp(const void *a, const void *b, size_t n);
size_t k_strlen(const char *s);
size_t k_strnlen(const char *s, size_t max);
int k_strcmp(const char *a, const char *b);
int k_strncmp(const char *a, const char *b, size_t n);
char *k_strchr(const char *s, int c);
char *k_strrchr(const char *s, int c);
char *k_strstr(const char *s, const char *what);
size_t str_copy(char *dst, const char *src, size_t size);
bool parse_u32(const char *s, uint32_t *out);
uint64_t k_udivdi3(uint64_t n, uint64_t d);
uint64_t k_umoddi3(uint64_t n, uint64_t d);
int64_t k_divdi3(int64_t n, int64_t d);
int64_t k_moddi3(int64_t n, int64_t d);

/* The same call to both; the text and the length must be the same. */
#define SAME(...)                                                               \
	do {                                                                    \
		char ours_[200], theirs_[200];                                  \
		int our_n_ = k_snprintf(ours_, sizeof(ours_), __VA_ARGS__);     \
		int their_n_ = snprintf(theirs_, sizeof(theirs_), __VA_ARGS__); \
		assert_string_equal(ours_, theirs_);                            \
		assert_int_equal(our_n_, their_n_);                             \
	} while (0)

static void test_printf_prints_what_the_hosts_prints(void **state)
{
	static const int numbers[] = { 0, 1, -1, 9, 10, 255, 4096, -12345, INT_MAX, INT_MIN };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		int n = numbers[i];
		unsigned int u = n;

		SAME("%d|%i|%u|%x|%X|%o", n, n, u, u, u, u);
		SAME("%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|", n, n, n, n, n, n, n, n);
		SAME("%#x|%#X|%08x|%#010x|%-12x|%.0u", u, u, u, u, u, u);
		SAME("%*d|%-*d|%.*d", 7, n, 7, n, 4, n);
		SAME("%hd|%hu|%hhd|%hhu", (short)n, (unsigned short)n, (signed char)n,
		     (unsigned char)n);
		SAME("%lld|%llu|%llx|%ld", n * 1234567891ll, n * 123456789012345ull,
		     n * 0x123456789ull, (long)n);
	}
	SAME("%lld %llu", LLONG_MIN, ULLONG_MAX);
	SAME("%zu", (size_t)12345);
	SAME("100%%, %c%c", 'o', 'k');
	SAME("%s|%10s|%-10s|%.2s|%10.3s|%.*s", "text", "text", "text", "text", "text", 3, "text");
	SAME("%s", "");
	SAME("nothing");
}

static void test_printf_never_writes_beyond_its_buffer(void **state)
{
	char buf[12];

	(void)state;
	for (size_t size = 0; size <= 10; size++) {
		memset(buf, '#', sizeof(buf));
		assert_int_equal(k_snprintf(buf, size, "%s-%d", "abc", 1234), 8);
		for (size_t i = size; i < sizeof(buf); i++)
			assert_int_equal(buf[i], '#');
		if (size)
			assert_memory_equal(buf, "abc-1234", size - 1 < 8 ? size - 1 : 8);
		if (size)
			assert_int_equal(buf[size - 1 < 8 ? size - 1 : 8], '\0');
	}
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void test_memory_functions(void **state)
{
	uint8_t a[64], b[64], c[64];

	(void)state;
	for (size_t at = 0; at < 9; at++) {
		for (size_t n = 0; n < 40; n++) {
			for (size_t i = 0; i < sizeof(a); i++)
				a[i] = b[i] = (uint8_t)(i * 37 + n);
			assert_ptr_equal(k_memset(a + at, 0x1C3, n), a + at);
			memset(b + at, 0xC3, n);
			assert_memory_equal(a, b, sizeof(a));
			memset(c, 0, sizeof(c));
			assert_ptr_equal(k_memcpy(c + at, a + 3, n), c + at);
			assert_memory_equal(c + at, a + 3, n);
			for (size_t to = 0; to < 20; to++) { /* overlapping both ways */
				for (size_t i = 0; i < sizeof(a); i++)
					a[i] = b[i] = (uint8_t)(i * 37 + n);
				assert_ptr_equal(k_memmove(a + to, a + at, n), a + to);
				memmove(b + to, b + at, n);
				assert_memory_equal(a, b, sizeof(a));
			}
		}
	}
	for (int i = 0; i < 256; i++) {
		memcpy(a, "same\0bytes", 10);
		memcpy(b, a, 10);
		b[i % 10] = (uint8_t)i;
		assert_int_equal(sign(k_memcmp(a, b, 10)), sign(memcmp(a, b, 10)));
		assert_int_equal(k_memcmp(a, b, i % 10), 0);
	}
}

static void test_string_functions(void **state)
{
	static const char *const texts[] = { "",   "a",	  "ab",	      "abc", "b",	 "abab",
					     "ba", "aab", "\xff\x80", "A",   "abcabcabd" };
	const size_t n = sizeof(texts) / sizeof(*texts);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		const char *s = texts[i];

		assert_int_equal(k_strlen(s), strlen(s));
		for (size_t max = 0; max < 5; max++)
			assert_int_equal(k_strnlen(s, max), strnlen(s, max));
		for (int c = 0; c < 256; c++) {
			assert_ptr_equal(k_strchr(s, c), strchr(s, c));
			assert_ptr_equal(k_strrchr(s, c), strrchr(s, c));
		}
		for (size_t j = 0; j < n; j++) {
			assert_int_equal(sign(k_strcmp(s, texts[j])), sign(strcmp(s, texts[j])));
			assert_ptr_equal(k_strstr(s, texts[j]), strstr(s, texts[j]));
			for (size_t max = 0; max < 5; max++)
				assert_int_equal(sign(k_strncmp(s, texts[j], max)),
						 sign(strncmp(s, texts[j], max)));
		}
	}
}

static void test_str_copy_always_ends_its_text(void **state)
{
	char buf[8] = "#######";

	(void)state;
	assert_int_equal(str_copy(buf, "hello", 0), 5);
	assert_int_equal(buf[0], '#');
	assert_int_equal(str_copy(buf, "hello", 4), 5);
	assert_string_equal(buf, "hel");
	assert_int_equal(buf[4], '#');
	assert_int_equal(str_copy(buf, "hello", sizeof(buf)), 5);
	assert_string_equal(buf, "hello");
}

static void test_parse_u32_takes_numbers_and_nothing_else(void **state)
{
	static const char *const bad[] = { "",
					   " 1",
					   "1 ",
					   "-1",
					   "+1",
					   "x",
					   "0x",
					   "12a",
					   "4294967296",
					   "0x100000000",
					   "0xg",
					   "1e3",
					   "99999999999999999999" };
	uint32_t v;

	(void)state;
	assert_true(parse_u32("0", &v) && v == 0);
	assert_true(parse_u32("42", &v) && v == 42);
	assert_true(parse_u32("007", &v) && v == 7);
	assert_true(parse_u32("4294967295", &v) && v == UINT32_MAX);
	assert_true(parse_u32("0xfFfFfFfF", &v) && v == UINT32_MAX);
	assert_true(parse_u32("0X1c", &v) && v == 0x1c);
	v = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(parse_u32(bad[i], &v));
	assert_int_equal(v, 77);
}

static void test_division_of_64_bits(void **state)
{
	static const uint64_t numbers[] = { 1,
					    2,
					    3,
					    7,
					    10,
					    1000000000,
					    0x7FFFFFFF,
					    0x80000000,
					    0xFFFFFFFF,
					    0x100000000,
					    0x100000001,
					    0x123456789ABCDEF,
					    0x7FFFFFFFFFFFFFFF,
					    0x8000000000000001,
					    0xFFFFFFFFFFFFFFFF };
	const size_t count = sizeof(numbers) / sizeof(*numbers);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < count; j++) {
			uint64_t n = numbers[i], d = numbers[j];

			assert_int_equal(k_udivdi3(n, d), n / d);
			assert_int_equal(k_umoddi3(n, d), n % d);
			assert_int_equal(k_divdi3(n, d), (int64_t)n / (int64_t)d);
			assert_int_equal(k_moddi3(n, d), (int64_t)n % (int64_t)d);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_printf_prints_what_the_hosts_prints),
		cmocka_unit_test(test_printf_never_writes_beyond_its_buffer),
		cmocka_unit_test(test_memory_functions),
		cmocka_unit_test(test_string_functions),
		cmocka_unit_test(test_str_copy_always_ends_its_text),
		cmocka_unit_test(test_parse_u32_takes_numbers_and_nothing_else),
		cmocka_unit_test(test_division_of_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
