/* Names as small numbers: equal texts get the same number, counted from 0. */
#ifndef TRAMMEL_BASE_NAMES_H
#define TRAMMEL_BASE_NAMES_H

#include "base/arena.h"

typedef struct names names;

names *names_new(arena *a);
int names_intern(names *table, const char *text, int length);     // adds the name if it is new
int names_find(const names *table, const char *text, int length); // -1 if it is not there
const char *names_text(const names *table, int name);
int names_count(const names *table);

/* How far apart two spellings are: single letters inserted, left out, changed, or two neighbours swapped. */
int names_distance(const char *a, const char *b);

/* The candidate closest to a misspelt name, or NULL when none is close enough to be worth proposing. Offer
 * each candidate in turn; start with *best = {0}. */
typedef struct {
    const char *text;
    int distance;
} name_guess;
void names_offer(name_guess *best, const char *wrong, const char *candidate);

#endif
