#include "system/slopes.h"

#include "system/element.h"

typedef void entry_act(sparsity_builder *b, int i, int j);

static void announce(sparsity_builder *b, int i, int j) {
    (void)j;
    sparsity_announce(b, i);
}

static bool is_of_force(mech_quantity q) {
    return q == MECH_FORCE_BY_P || q == MECH_FORCE_BY_V;
}

static bool is_of_row(mech_quantity q) {
    return q == MECH_ROW_BY_P || q == MECH_ROW_BY_V;
}

static void for_slopes(const trm_system *s, sparsity_builder *b, entry_act *act) {
    for (int i = 0; i < s->model->shapes.count; i++) {
        element at = element_of(s, STAGE_JACOBIAN, i);
        for (int k = 0; k < at.derived->entries.count; k++) {
            const mech_entry *e = &at.derived->entries.at[k];
            bool force = is_of_force(e->quantity), any = force || is_of_row(e->quantity);
            for (at.instance = 0; any && at.instance < at.shape->count; at.instance++)
                act(b, element_coordinate(&at, e->j),
                    force ? element_coordinate(&at, e->i) : s->n + element_target(&at));
        }
    }
}

sparsity slopes_pattern(const trm_system *s) {
    sparsity_builder b = sparsity_begin(s->arena, s->n);
    for_slopes(s, &b, announce);
    for_slopes(s, &b, sparsity_put);
    return sparsity_end(&b);
}

static void for_metric(const trm_system *s, sparsity_builder *b, entry_act *act) {
    for (int i = 0; i < s->n; i++) {
        for (int e = s->M.start[i]; e < s->M.start[i + 1]; e++)
            act(b, i, s->M.to[e]);
        for (int e = s->slope_pattern.start[i]; e < s->slope_pattern.start[i + 1]; e++)
            if (s->slope_pattern.to[e] < s->n) {
                act(b, i, s->slope_pattern.to[e]);
                act(b, s->slope_pattern.to[e], i);
            }
    }
}

sparsity slopes_metric(arena *a, const trm_system *s) {
    sparsity_builder b = sparsity_begin(a, s->n);
    for_metric(s, &b, announce);
    for_metric(s, &b, sparsity_put);
    return sparsity_end(&b);
}
