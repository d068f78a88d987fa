/*
 * geometry.c - from words to the shape of a TLB.
 *
 * NAME[:key=value,...].  A name sets everything, keys then change it; one rule book for
 * all who ask (launcher, plugin, tests), and each mistake has its own line.
 */
#include "monitor/tlb/model.h"

#define KNOWN "386, 486, pentium, custom"
#define KEYS  "entries, ways, replacement, seed, global, large, split"

static const struct {
	const char *name;
	struct tlb_geometry geometry;
} presets[] = {
	{ "386", { .entries = 32, .ways = 4, .replacement = TLB_POINTER } },
	{ "486", { .entries = 32, .ways = 4, .replacement = TLB_PLRU } },
	{ "pentium",
	  { .entries = 64, .ways = 4, .fetch_entries = 32, .large = 8, .replacement = TLB_PLRU } },
	{ "custom", { .entries = 32, .ways = 4, .replacement = TLB_PLRU } },
};

/* --- text ---------------------------------------------------------------------- */

/* A piece of the text being read. */
struct word {
	const char *at;
	uint32_t length;
};

static struct word word_until(const char *s, const char *ends)
{
	struct word w = { s, 0 };

	for (; s[w.length]; w.length++)
		for (const char *e = ends; *e; e++)
			if (s[w.length] == *e)
				return w;
	return w;
}

static bool is(struct word w, const char *s)
{
	uint32_t i = 0;

	while (i < w.length && s[i] == w.at[i])
		i++;
	return i == w.length && !s[i];
}

static void say(char error[160], const char *s, uint32_t most)
{
	uint32_t n = 0;

	while (error[n])
		n++;
	for (; *s && most && n < 159; most--)
		error[n++] = *s++;
	error[n] = '\0';
}

/* The line "<before><what><after>", always to be returned as the error. */
static const char *wrong(char error[160], const char *before, struct word what, const char *after)
{
	error[0] = '\0';
	say(error, before, 159);
	say(error, what.at, what.length < 40 ? what.length : 40);
	say(error, after, 159);
	return error;
}

static bool number(struct word w, uint32_t most, uint32_t *out)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < w.length; i++) {
		if (w.at[i] < '0' || w.at[i] > '9')
			return false;
		n = n * 10 + w.at[i] - '0';
		if (n > most)
			return false;
	}
	*out = n;
	return w.length > 0;
}

/* --- keys ---------------------------------------------------------------------- */

static const char *set_key(struct tlb_geometry *g, struct word key, struct word value, char *error)
{
	uint32_t n;

	if (is(key, "replacement")) {
		for (uint32_t i = 0; tlb_replacement_name[i]; i++)
			if (is(value, tlb_replacement_name[i])) {
				g->replacement = i;
				return NULL;
			}
		return wrong(error, "replacement=", value,
			     ": known: pointer, plru, lru, rr, random");
	}
	if (is(key, "seed"))
		return number(value, UINT32_MAX, &g->seed) && g->seed
			       ? NULL
			       : wrong(error, "seed=", value, ": allowed: 1 to 4294967295");
	if (is(key, "global") || is(key, "split")) {
		if (!number(value, 1, &n))
			return wrong(error, is(key, "global") ? "global=" : "split=", value,
				     ": allowed: 0 or 1");
		if (is(key, "global"))
			g->has_global = n;
		else
			g->fetch_entries = n ? g->entries : 0;
		return NULL;
	}
	if (is(key, "entries")) {
		if (!number(value, TLB_MOST_ENTRIES, &n) || !n)
			return wrong(error, "entries=", value, ": allowed: 1 to 128");
		g->entries = n;
		if (g->fetch_entries)
			g->fetch_entries = n;
		return NULL;
	}
	if (is(key, "ways"))
		return number(value, TLB_MOST_WAYS, &g->ways) && g->ways
			       ? NULL
			       : wrong(error, "ways=", value, ": allowed: 1 to 64");
	if (is(key, "large"))
		return number(value, TLB_MOST_ENTRIES, &g->large)
			       ? NULL
			       : wrong(error, "large=", value, ": allowed: 0 to 128");
	return wrong(error, "", key, ": unknown; known: " KEYS);
}

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* Do entries, ways and policy fit together? */
static const char *check(const struct tlb_geometry *g, struct word all, char *error)
{
	if (g->entries % g->ways || g->fetch_entries % g->ways)
		return wrong(error, "", all, ": ways does not divide entries");
	if (!power_of_two(g->entries / g->ways) ||
	    (g->fetch_entries && !power_of_two(g->fetch_entries / g->ways)))
		return wrong(error, "", all, ": entries / ways, the sets, is not a power of two");
	if (g->replacement == TLB_PLRU && !power_of_two(g->ways))
		return wrong(error, "", all, ": plru needs ways that are a power of two");
	if (g->large && !power_of_two(g->large))
		return wrong(error, "", all, ": large is not a power of two");
	if (g->entries + g->fetch_entries + g->large > TLB_MOST_ENTRIES)
		return wrong(error, "", all, ": more than 128 entries in all");
	return NULL;
}

const char *tlb_geometry(struct tlb_geometry *g, const char *text, char error[static 160])
{
	struct word all = word_until(text, ""), name = word_until(text, ":");
	const char *at = text + name.length;
	bool known = false;

	for (uint32_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (is(name, presets[i].name)) {
			*g = presets[i].geometry;
			known = true;
		}
	if (!known)
		return wrong(error, "unknown TLB geometry `", name, "`; known: " KNOWN);
	g->seed = 1;
	if (all.length >= sizeof(((struct telemetry_tlb *)0)->geometry))
		return wrong(error, "", all, "...: too long");
	while (*at) {
		struct word key = word_until(++at, "=,"), value;

		at += key.length;
		if (*at != '=')
			return wrong(error, "", key, ": needs =VALUE; known: " KEYS);
		value = word_until(++at, ",");
		at += value.length;
		if (set_key(g, key, value, error))
			return error;
	}
	return check(g, all, error);
}
