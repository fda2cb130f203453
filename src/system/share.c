#include "system/share.h"

#include <math.h>

/* Squares of factors are added relative to the largest factor of a group, so that none overflows. */
typedef struct {
    double most, squares; // the sum is most^2 squares
} group;

static void put(sharing *s, int row, int of, double factor, group g) {
    s->entries[s->count++] = (share_entry){row, of, factor, factor / g.most / g.squares / g.most};
}

sharing *share_new(arena *a, const mech_repeats *repeats) {
    sharing *s = arena_alloc(a, sizeof *s);
    s->entries = arena_array(a, share_entry, 2 * repeats->count);
    arena *scratch = arena_child(a);
    group *groups = arena_array(scratch, group, repeats->rows); // of the first rows
    for (int i = 0; i < repeats->rows; i++)
        if (repeats->of[i] >= 0) {
            group *g = &groups[repeats->of[i]];
            g->most = fmax(fmax(g->most, 1), fabs(repeats->factor[i]));
        }
    for (int i = 0; i < repeats->rows; i++)
        if (repeats->of[i] >= 0) {
            group *g = &groups[repeats->of[i]];
            double own = 1 / g->most, factor = repeats->factor[i] / g->most;
            g->squares += factor * factor + (g->squares == 0 ? own * own : 0);
        }
    for (int i = 0; i < repeats->rows; i++)
        if (repeats->of[i] >= 0)
            put(s, i, repeats->of[i], repeats->factor[i], groups[repeats->of[i]]);
    for (int i = 0; i < repeats->rows; i++)
        if (groups[i].squares > 0)
            put(s, i, i, 1, groups[i]);
    arena_free(scratch);
    return s;
}

void share_multipliers(const sharing *s, double *multiplier) {
    for (int i = 0; i < s->count; i++)
        multiplier[s->entries[i].row] = s->entries[i].part * multiplier[s->entries[i].of];
}

void share_scale(const sharing *s, double *scale) {
    for (int i = 0; i < s->count; i++)
        if (s->entries[i].row == s->entries[i].of)
            scale[s->entries[i].row] = 1 / sqrt(s->entries[i].part);
}
