/*
 * nearest.c - which word did you mean?
 *
 * Edit distance: the fewest insertions, deletions, changes and swaps of neighbours that make one
 * word of another.  Kept to short words and small distances: a guess far away helps nobody.
 */
#include "lib/printf.h"
#include "lib/string.h"
#include "monitor/shell/words.h"

#define WORD_MAX 20

uint32_t edit_distance(const char *a, const char *b, uint32_t limit)
{
	uint8_t row[3][WORD_MAX + 1]; /* of the table: two above, above, this one */
	uint32_t la = strlen(a), lb = strlen(b);
	uint32_t i, j;

	if (la > WORD_MAX || lb > WORD_MAX || la > lb + limit || lb > la + limit)
		return limit + 1;
	for (j = 0; j <= lb; j++)
		row[0][j] = j;
	for (i = 1; i <= la; i++) {
		uint8_t *up2 = row[(i + 1) % 3], *up = row[(i + 2) % 3], *now = row[i % 3];

		now[0] = i;
		for (j = 1; j <= lb; j++) {
			uint32_t d = up[j - 1] + (a[i - 1] != b[j - 1]);

			d = MIN(d, MIN(up[j], now[j - 1]) + 1u);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = MIN(d, up2[j - 2] + 1u);
			now[j] = d;
		}
	}
	return MIN((uint32_t)row[la % 3][lb], limit + 1);
}

struct guess {
	const char *word;
	char best[WORD_MAX + 1];
	uint32_t distance;
};

static void consider(void *arg, const char *word)
{
	struct guess *g = arg;
	uint32_t d = edit_distance(g->word, word, g->distance - 1);

	if (d >= g->distance)
		return;
	g->distance = d;
	str_copy(g->best, word, sizeof(g->best));
}

/* Two wrong letters may be a slip; of a short word they make another word. */
static void guess_start(struct guess *g, const char *word)
{
	g->word = word;
	g->best[0] = 0;
	g->distance = strlen(word) < 6 ? 2 : 3;
}

static const char *guess_text(const struct guess *g)
{
	static char text[40];

	if (!g->best[0])
		return "";
	snprintf(text, sizeof(text), ", did you mean %s?", g->best);
	return text;
}

const char *nearest(const char *word, word_set set)
{
	struct guess g;

	guess_start(&g, word);
	set(consider, &g);
	return guess_text(&g);
}

const char *nearest_of(const char *word, const char *words)
{
	struct guess g;
	char one[WORD_MAX + 1];
	uint32_t n;

	guess_start(&g, word);
	for (; *words; words += n + (words[n] == ' ')) {
		const char *end = strchr(words, ' ');

		n = end ? (uint32_t)(end - words) : strlen(words);
		str_copy(one, words, MIN(n + 1, sizeof(one)));
		consider(&g, one);
	}
	return guess_text(&g);
}
