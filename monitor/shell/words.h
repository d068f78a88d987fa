/*
 * words.h - sets of words: what Tab completes, and which of them a mistyped one is near to.
 */
#pragma once

#include "lib/types.h"

/* A set of words: calls each(arg, word) for all of them. */
typedef void (*word_fn)(void *arg, const char *word);
typedef void (*word_set)(word_fn each, void *arg);

void words_commands(word_fn each, void *arg);
void words_tunables(word_fn each, void *arg);
void words_programs(word_fn each, void *arg);
void words_pids(word_fn each, void *arg);
void words_symbols(word_fn each, void *arg);
void words_signals(word_fn each, void *arg);

/* ", did you mean X?" or "", for the end of a complaint about `word`.  Static buffer. */
const char *nearest(const char *word, word_set set);

/* The same for one of `words`, blank-separated. */
const char *nearest_of(const char *word, const char *words);

/* Edits (insert, delete, change, swap neighbours) from a to b, at most `limit` + 1. */
uint32_t edit_distance(const char *a, const char *b, uint32_t limit);
