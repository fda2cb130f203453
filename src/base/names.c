#include "base/names.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const char *text;
    int length;
    uint32_t hash;
} entry;

struct names {
    arena *arena;
    vec(entry) entries;
    int *buckets; // name + 1, or 0 where free; open addressing
    int bucket_count;
};

static uint32_t hash_of(const char *text, int length) {
    uint32_t h = 2166136261u; // FNV-1a
    for (int i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h;
}

names *names_new(arena *a) {
    names *table = arena_alloc(a, sizeof *table);
    table->arena = a;
    table->bucket_count = 64;
    table->buckets = arena_array(a, int, table->bucket_count);
    return table;
}

// the bucket that holds the name, or the free one where it belongs
static int *bucket_of(const names *table, const char *text, int length, uint32_t hash) {
    uint32_t mask = (uint32_t)table->bucket_count - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        int *bucket = &table->buckets[i];
        if (*bucket == 0)
            return bucket;
        const entry *e = &table->entries.at[*bucket - 1];
        if (e->hash == hash && e->length == length && memcmp(e->text, text, (size_t)length) == 0)
            return bucket;
    }
}

static void grow(names *table) {
    table->buckets = arena_array(table->arena, int, 2 * table->bucket_count);
    table->bucket_count *= 2; // after that: without memory the old buckets stay good
    for (int i = 0; i < table->entries.count; i++) {
        const entry *e = &table->entries.at[i];
        *bucket_of(table, e->text, e->length, e->hash) = i + 1;
    }
}

int names_intern(names *table, const char *text, int length) {
    uint32_t hash = hash_of(text, length);
    int *bucket = bucket_of(table, text, length, hash);
    if (*bucket)
        return *bucket - 1;
    entry added = {arena_copy(table->arena, text, (size_t)length), length, hash};
    vec_push(table->arena, table->entries, added);
    *bucket = table->entries.count;
    if (table->entries.count * 2 > table->bucket_count)
        grow(table);
    return table->entries.count - 1;
}

int names_find(const names *table, const char *text, int length) {
    return *bucket_of(table, text, length, hash_of(text, length)) - 1;
}

const char *names_text(const names *table, int name) {
    return table->entries.at[name].text;
}

int names_count(const names *table) {
    return table->entries.count;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

int names_distance(const char *a, const char *b) {
    enum { LONGEST = 48 };
    int rows = (int)strlen(a), columns = (int)strlen(b);
    if (rows > LONGEST || columns > LONGEST)
        return LONGEST;
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= rows; i++)
        for (int j = 0; j <= columns; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int change = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + change);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[rows][columns];
}

static int same_but_for_case(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
        a++, b++;
    return *a == *b;
}

void names_offer(name_guess *best, const char *wrong, const char *candidate) {
    int distance = same_but_for_case(wrong, candidate) ? 1 : names_distance(wrong, candidate);
    int allowed = strlen(wrong) <= 2 ? 0 : strlen(wrong) <= 5 ? 1 : 2;
    if (same_but_for_case(wrong, candidate))
        allowed = 1;
    if (distance <= allowed && (best->text == NULL || distance < best->distance))
        *best = (name_guess){candidate, distance};
}
