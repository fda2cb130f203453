#include "base/map.h"

void map_init(map *m, arena *a) {
    *m = (map){.arena = a, .room = 16};
    m->keys = arena_array(a, uint64_t, m->room);
    m->values = arena_array(a, int, m->room);
}

uint64_t map_mix(uint64_t hash, uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdu; // the multiplier of MurmurHash3's finish
    return hash ^ (hash >> 32);
}

static int slot_of(const map *m, uint64_t key) {
    uint64_t mask = (uint64_t)m->room - 1;
    uint64_t i = map_mix(0, key) & mask;
    while (m->values[i] && m->keys[i] != key)
        i = (i + 1) & mask;
    return (int)i;
}

int map_get(const map *m, uint64_t key) {
    return m->values[slot_of(m, key)] - 1;
}

void map_put(map *m, uint64_t key, int value) {
    int slot = slot_of(m, key);
    if (m->values[slot] == 0)
        m->count++;
    m->keys[slot] = key;
    m->values[slot] = value + 1;
    if (m->count * 2 <= m->room)
        return;
    map old = *m, grown = old;
    grown.room *= 2;
    grown.keys = arena_array(m->arena, uint64_t, grown.room);
    grown.values = arena_array(m->arena, int, grown.room);
    *m = grown; // not before: without memory the map stays as it was
    for (int i = 0; i < old.room; i++)
        if (old.values[i]) {
            int to = slot_of(m, old.keys[i]);
            m->keys[to] = old.keys[i];
            m->values[to] = old.values[i];
        }
}
