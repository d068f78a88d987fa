/*
 * libc_text.c - our libc's printf, numbers, strings and sorting.
 *
 * It says the same as the host's own library too, compiled with that: the one guest
 * test that is also built natively.
 */

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_printf(void)
{
	char small[8];

	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%d]\n", 42, 42, 42, 42, 42, 42, INT_MIN);
	printf("[%u] [%x] [%X] [%#x] [%o] [%#x] [%08x]\n", UINT_MAX, 48879, 48879, 48879, 8, 0,
	       0xbeef);
	printf("[%lld] [%llu] [%llx] [%20lld] [%-20lld]\n", LLONG_MIN, ULLONG_MAX,
	       0x123456789abcdefULL, -5LL, -5LL);
	printf("[%hd] [%hhd] [%hu] [%hhu] [%zu] [%ld]\n", (short)-1, (signed char)-1,
	       (unsigned short)-1, (unsigned char)-1, sizeof(int), 77L);
	printf("[%.3d] [%8.3d] [%-8.3d] [%.0d]\n", 7, 7, 7, 0);
	printf("[%s] [%5s] [%-5s] [%.2s] [%*s] [%-*s] [%.*s]\n", "abc", "abc", "abc", "abc", 6,
	       "abc", 6, "abc", 1, "abc");
	printf("[%c] [%3c] [%-3c] [%%] [%5s]\n", 'x', 'y', 'z', "longer than five");
	printf("%d\n", snprintf(small, sizeof(small), "%s", "more than fits"));
	printf("[%s]\n", small);
	printf("%d %d\n", snprintf(NULL, 0, "%d", 12345), printf("count %d\n", 1));
}

static void test_numbers(void)
{
	static const char *texts[] = { "0",	      "42", "-42",  "+7",  "  9 ", "12x",
				       "x",	      "",   "0x1f", "017", "1000", "2147483647",
				       "-2147483648", "zz", "- 1" };
	static const int bases[] = { 0, 8, 10, 16, 36 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		printf("[%s]", texts[i]);
		for (size_t b = 0; b < sizeof(bases) / sizeof(bases[0]); b++) {
			char *end;
			long n = strtol(texts[i], &end, bases[b]);

			/* Base 36 makes some of these too long for 32 bits only. */
			if (n <= INT_MAX && n >= INT_MIN && strlen(texts[i]) < 6)
				printf(" %ld+%d", n, (int)(end - texts[i]));
		}
		printf(" %d\n", atoi(texts[i]));
	}
}

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void test_strings(void)
{
	char buf[32] = "0123456789";

	memmove(buf + 2, buf, 5);
	printf("%s\n", buf);
	memmove(buf, buf + 1, 5);
	printf("%s\n", buf);
	memset(buf, '-', 3);
	printf("%s %zu %zu\n", buf, strlen(buf), strnlen(buf, 4));
	strcpy(buf, "abc");
	strcat(buf, "def");
	printf("%s %d %d %d\n", buf, sign(strcmp("a", "b")), sign(strcmp("b", "a")),
	       sign(strcmp("", "")));
	printf("%d %d\n", sign(strncmp("abx", "aby", 2)), sign(strncmp("abx", "aby", 3)));
	printf("%d %d\n", sign(memcmp("\xff", "\x01", 1)), sign(strcmp("\xff", "\x01")));
	printf("%s %s %s\n", strchr("hello", 'l'), strrchr("hello", 'l'), strstr("hello", "lo"));
	printf("%d %d %d\n", strchr("hello", 'x') == NULL, *strchr("hello", 0),
	       strstr("hello", "x") == NULL);
	memset(buf, 'x', sizeof(buf));
	strncpy(buf, "ab", 5);
	printf("%d %d %c\n", buf[2], buf[4], buf[5]);
	for (int c = 0; c < 128; c++)
		putchar('0' + !!isdigit(c) + 2 * !!isalpha(c) + 4 * !!isspace(c) +
			8 * !!isprint(c));
	putchar('\n');
	for (int c = 'A' - 2; c < 'z' + 3; c++)
		printf("%c%c", tolower(c), toupper(c));
	putchar('\n');
}

static int by_value(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void test_sorting(void)
{
	int numbers[200];
	unsigned seed = 1;

	for (int n = 0; n <= 200; n += n < 10 ? 1 : 19) {
		int sorted = 1;

		for (int i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			numbers[i] = seed >> 16 & 63;
		}
		qsort(numbers, n, sizeof(numbers[0]), by_value);
		for (int i = 1; i < n; i++)
			sorted &= numbers[i - 1] <= numbers[i];
		printf("%d numbers sorted: %s\n", n, sorted ? "yes" : "NO");
	}
}

int main(void)
{
	test_printf();
	test_numbers();
	test_strings();
	test_sorting();
	for (unsigned long long n = 1; n < 1ULL << 60; n *= 977)
		printf("%llu %llu %llu %lld\n", n / 10, n % 1000003, (n * n) / (n + 1),
		       -(long long)n / 12345678901LL);
	return 0;
}
