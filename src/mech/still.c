/* Whether a derivation holds with the numbers that its model has now. What it has in symbols does: looked at
 * were numbers by what does nothing, by what holds the norm of a quaternion, and by velocity constraints that
 * may do work. */
#include "mech/derive.h"

#include <string.h>

static derivation of_shape(const mech *m, int number, arena *scratch, mech_shape *out) {
    return (derivation){.arena = scratch,
                        .model = (model *)m->model,
                        .pool = m->model->pool,
                        .mech = (mech *)m,
                        .shape = &m->model->shapes.at[number],
                        .out = out};
}

static bool does_as_much(const mech *m, int number, arena *scratch) {
    mech_shape asked = m->shapes[number];
    derivation d = of_shape(m, number, scratch, &asked);
    if (asked.asked == 0)
        return true;
    asked.entries.count = asked.asked;
    return derive_does_nothing(&d) == asked.does_nothing;
}

static bool works_as_much(const mech *m, int number, arena *scratch) {
    const shape *s = &m->model->shapes.at[number];
    mech_shape derived = m->shapes[number];
    derivation d = of_shape(m, number, scratch, &derived);
    if (s->kind != SHAPE_ROW || derived.level != ROW_NONHOLONOMIC || s->steps.count == 0)
        return true;
    return derive_homogeneous(&d, s->part[PART_VALUE]) == derived.homogeneous;
}

static bool same_quaternions(const mech *m, arena *scratch) {
    mech now = *m;
    now.quaternions.at = NULL;
    now.quaternions.count = now.quaternions.room = 0;
    if (!derive_norms_hold_numbers(m))
        return true;
    derive_quaternions(scratch, &now);
    return now.quaternions.count == m->quaternions.count &&
           (now.quaternions.count == 0 ||
            memcmp(now.quaternions.at, m->quaternions.at,
                   (size_t)now.quaternions.count * sizeof *now.quaternions.at) == 0);
}

static bool holds(const mech *m, arena *scratch) {
    bool alike = same_quaternions(m, scratch);
    for (int i = 0; i < m->model->shapes.count && alike; i++)
        alike = does_as_much(m, i, scratch) && works_as_much(m, i, scratch);
    for (int i = 0; i < 2 && alike; i++)
        alike = m->starting[i] == NULL || holds(m->starting[i], scratch);
    return alike;
}

bool mech_still_holds(const mech *m) {
    arena *scratch = arena_child(m->model->arena);
    for (int i = 0; i < 2; i++)
        if (m->starting[i]) // of a copy, in which this stands by itself
            ((model *)m->starting[i]->model)->simulate = m->model->simulate;
    bool alike = holds(m, scratch);
    arena_free(scratch);
    return alike;
}
