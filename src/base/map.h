/* A table from 64-bit keys to ints. */
#ifndef TRAMMEL_BASE_MAP_H
#define TRAMMEL_BASE_MAP_H

#include "base/arena.h"

#include <stdint.h>

typedef struct {
    arena *arena;
    uint64_t *keys;
    int *values; // value + 1, or 0 where free
    int count, room;
} map;

void map_init(map *m, arena *a);
int map_get(const map *m, uint64_t key); // -1 if the key is not there; values are >= 0
void map_put(map *m, uint64_t key, int value);

/* Mixes a value into a running hash. */
uint64_t map_mix(uint64_t hash, uint64_t value);

#endif
