/* Constraints that are zero only where they are least or largest: abs(e) = 0, e^2 = 0, a^2 + b^2 = 0. Their
 * rows vanish, or jump, wherever they hold, so that nothing tells the way back onto them, and no acceleration
 * follows from them. They are found by their values beside a state in which they hold, on both sides of it in
 * some directions, which need no derivative: where a row has a gradient, both signs are there, if only the
 * distance is short enough. */
#include "motion/assemble.h"

#include "linear/linalg.h"
#include "system/natural.h"

#include <math.h>

static const double FARTHEST = 1e-3, NEARER = 1e-2, NEAREST = 1e-250; // distances, as parts of size + |x|
static const double CLEAR = 1e3; // values count that are larger, by this, than that of the state itself
enum { DIRECTIONS = 3 };
enum { ABOVE = 1, BELOW = 2 };

typedef struct {
    const trm_system *sys;
    trm_state *st;
    double t;
    const double *q, *v;
    double *q_beside, *v_beside; // (n)
    double *here;                // (m) values at the state
    unsigned *seen;              // (m) signs
} surroundings;

static const double *values_at(surroundings *s, double t, const double *q, const double *v) {
    state_set(s->sys, s->st, t, q, v);
    state_run(s->sys, s->st, STAGE_RESIDUAL);
    return state_output(s->st, STAGE_RESIDUAL);
}

// the same numbers in every run, between 0.3 and 1 or their opposites
static double component(int direction, int i) {
    double x = 0.6180339887498949 * (i + 1) * (direction + 1) + 0.7548776662466927 * direction;
    x -= floor(x); // as fmod(x, 1), which took a quarter of the start of a chain of 1e5
    return x < 0.5 ? 0.3 + 1.4 * x : 0.4 - 1.4 * x;
}

static void look_beside(surroundings *s, int direction, double by) {
    int n = s->sys->n;
    const natural *u = s->sys->natural;
    for (int i = 0; i < n; i++) {
        double q = natural_size(u, i, false) + fabs(s->q[i]), v = natural_size(u, i, true) + fabs(s->v[i]);
        s->q_beside[i] = s->q[i] + by * q * component(direction, i + 1);
        s->v_beside[i] = s->v[i] + by * v * component(direction, n + i + 1);
    }
    double t = s->t + by * (1 / u->rate + fabs(s->t)) * component(direction, 0);
    const double *value = values_at(s, t, s->q_beside, s->v_beside);
    for (int i = 0; i < s->sys->m; i++)
        if (isfinite(value[i]) && fabs(value[i]) > CLEAR * fabs(s->here[i]))
            s->seen[i] |= value[i] > 0 ? ABOVE : BELOW;
}

static bool is_held(const trm_system *sys, const trm_state *st, int row) {
    const system_row *r = &sys->rows[row];
    return r->level != ROW_ACCELERATION && !r->weighted && !state_idle(st, row);
}

// a row of which not both signs were seen; with one_sign, one of them was
static int unbalanced(const surroundings *s, bool one_sign) {
    for (int i = 0; i < s->sys->m; i++)
        if (is_held(s->sys, s->st, i) && s->seen[i] != (ABOVE | BELOW) && (s->seen[i] || !one_sign))
            return i;
    return -1;
}

int one_sided_row(arena *a, const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                  bool *above) {
    size_t n = (size_t)sys->n;
    surroundings s = {.sys = sys, .st = st, .t = t, .q = q, .v = v};
    s.q_beside = arena_doubles(a, n);
    s.v_beside = arena_doubles(a, n);
    s.here = arena_doubles(a, (size_t)sys->m);
    s.seen = arena_array(a, unsigned, sys->m + 1);
    const double *value = values_at(&s, t, q, v);
    for (int i = 0; i < sys->m; i++)
        s.here[i] = value[i];
    for (double by = FARTHEST; by > NEAREST && unbalanced(&s, false) >= 0; by *= NEARER)
        for (int k = 0; k < DIRECTIONS && unbalanced(&s, false) >= 0; k++) {
            look_beside(&s, k, by);
            look_beside(&s, k, -by);
        }
    int row = unbalanced(&s, true);
    *above = row >= 0 && s.seen[row] == ABOVE;
    return row;
}
