/* The Jacobian of a point of a body, column by column: velocities of the bodies with one rate 1 and all
 * others 0. */
#include "api/guard.h"
#include "api/objects.h"
#include "mech/bodies.h"
#include "system/state.h"

#include <string.h>

static const model *model_of(const trm_system *s) {
    return s->full ? s->full->model : s->model;
}

typedef struct {
    trm_system *system;
    const char *name;
    int found;
} naming;

static void find_body(void *context) {
    naming *k = context;
    const model *m = model_of(k->system);
    const mech_parts *parts = m->extension;
    text t;
    text_init(&t, k->system->arena);
    for (int i = 0; parts && i < parts->bodies.count; i++) {
        text_clear(&t);
        model_label(m, parts->bodies.at[i].label, &t);
        if (parts->bodies.at[i].rotation >= 0 && strcmp(text_string(&t), k->name) == 0)
            k->found = i;
    }
}

int trm_system_body(trm_system *s, const char *name) {
    naming k = {s, content_text(name), -1};
    return guard_run(s->arena, NULL, find_body, &k) ? k.found : -1;
}

// position and velocity by the model's coordinates where rate k is 1
typedef struct {
    const double *q, *v;
    int unit; // where v is NULL: 1 for this one, else 0
} moving;

static double rate(const moving *m, int i) {
    return m->v ? m->v[i] : i == m->unit;
}

static vector three(const double *at, int size) {
    return (vector){at[0], at[1], size > 2 ? at[2] : 0};
}

static vector velocity(const moving *m, const body *b, int size) {
    int at = b->position;
    return at < 0 ? (vector){0} : (vector){rate(m, at), rate(m, at + 1), size > 2 ? rate(m, at + 2) : 0};
}

// how the body turns, in the world: 2 q' o q^-1
static vector turning(const moving *m, const body *b, quaternion q) {
    int at = b->rotation;
    if (b->planar)
        return (vector){.z = rate(m, at)};
    quaternion by = {rate(m, at), rate(m, at + 1), rate(m, at + 2), rate(m, at + 3)};
    quaternion spin = rotation_product(by, rotation_inverse(q));
    return vector_scaled(2, (vector){spin.x, spin.y, spin.z});
}

static quaternion rotation_of(const moving *m, const body *b) {
    const double *p = m->q + b->rotation;
    return b->planar ? rotation_about((vector){.z = 1}, p[0]) : (quaternion){p[0], p[1], p[2], p[3]};
}

int trm_system_jacobian(const trm_system *s, trm_state *st, const double *q, int number, const double *point,
                        double *linear, double *angular) {
    const mech_parts *parts = model_of(s)->extension;
    if (parts == NULL || number < 0 || number >= parts->bodies.count || parts->bodies.at[number].rotation < 0)
        return 0;
    const body *b = &parts->bodies.at[number];
    int size = b->planar ? 2 : 3, n = s->n;
    state_set_known(st, false);
    state_set(s, st, 0, q, NULL);
    for (int k = 0; k < n; k++) {
        moving m = {q, NULL, k};
        if (s->full) {
            state_set_unit(s, st, k);
            state_run(s, st, STAGE_OUTPUT);
            m.q = state_output(st, STAGE_OUTPUT);
            m.v = m.q + s->full->n;
        }
        quaternion turn = rotation_of(&m, b);
        vector omega = turning(&m, b, turn), arm = rotation_apply(turn, three(point, size));
        vector moves = vector_sum(velocity(&m, b, size), vector_cross(omega, arm));
        const double along[] = {moves.x, moves.y, moves.z}, about[] = {omega.x, omega.y, omega.z};
        for (int i = 0; linear && i < size; i++)
            linear[i * n + k] = along[i];
        for (int i = 0; angular && i < (b->planar ? 1 : 3); i++)
            angular[i * n + k] = b->planar ? omega.z : about[i];
    }
    return size;
}
