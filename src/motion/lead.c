/* Where loops are closed, other joints follow those whose initial values are given, and often in several
 * ways. The way is taken on which a drive would lead there from the typed places: in small parts, with the
 * loops closed after each. Each begins where the last three lead on to, so that a position in which ways
 * part, such as a parallelogram that is flat, is passed straight ahead. */
#include "motion/assemble.h"

#include "mech/tree/tree.h"
#include "motion/project.h"

#include <math.h>
#include <string.h>

/* So much of a radian, or of the model's length, at a time; not more often than MOST. */
static const double PART = 0.1;
enum { MOST = 10000, BEHIND = 3 };

// values that the joints have on the way there
static void set_values(const trm_system *sys, trm_state *st, double part) {
    const model *m = sys->model;
    for (int i = 0; i < m->begins.count; i++) {
        const model_begin *b = &m->begins.at[i];
        if (b->label.rate)
            continue;
        state_put_turn(sys, st, b->target, part * b->given.value);
        if (b->counted >= 0)
            state_put_turn(sys, st, b->counted, part * b->given.value);
    }
}

// from the places of parts i - 1, i - 2, i - 3 to that of part i, by the parabola through them
static void go_on(double *const *past, int i, int n, double *now) {
    if (i < BEHIND)
        return;
    const double *a = past[(i - 1) % BEHIND], *b = past[(i - 2) % BEHIND], *c = past[(i - 3) % BEHIND];
    for (int k = 0; k < n; k++)
        now[k] = 3 * (a[k] - b[k]) + c[k];
}

bool lead(arena *work, const trm_system *sys, trm_state *st, double t, double tolerance, const bool *exact,
          double *q) {
    const model *m = sys->model;
    int parts = (int)fmin(MOST, ceil(mech_tree_begin_size(m) / PART));
    size_t size = (size_t)sys->n * sizeof *q;
    double *now = arena_doubles(work, (size_t)sys->n), *past[BEHIND];
    bool held = true;
    memcpy(now, mech_tree_typed(m), size);
    for (int i = 0; i < BEHIND; i++)
        past[i] = arena_doubles(work, (size_t)sys->n);
    for (int i = 0; i <= parts && held; i++) {
        double part = parts ? (double)i / parts : 1;
        go_on(past, i, sys->n, now);
        mech_tree_begin_part(work, m, part, now);
        for (int k = 0; k < sys->n; k++)
            now[k] = exact[k] ? q[k] : now[k];
        set_values(sys, st, part);
        held = project_position(sys, st, t, now, tolerance, exact).held;
        memcpy(past[i % BEHIND], now, size);
    }
    set_values(sys, st, 1);
    if (held)
        memcpy(q, now, size);
    return held;
}
