/* Which statement gave a value that is not finite. Kernels mix statements, so that each is evaluated again,
 * as it was derived, for the state at hand. */
#include "solve/solve_inside.h"
#include "system/element.h"

#include <math.h>

typedef struct {
    element at;
    const double *x;
} view;

static double input(void *context, sym_kind kind, int index) {
    const view *v = context;
    return v->x[element_input(&v->at, kind, index)];
}

static bool is_force(mech_quantity q) {
    return q == MECH_M || q == MECH_Q || q == MECH_C || q == MECH_Q_ON_FORCES;
}

// whether an instance of a shape gives the coordinate such a value
static bool gives(view *v, int coordinate) {
    const mech_shape *derived = v->at.derived;
    for (int i = 0; i < derived->entries.count; i++) {
        const mech_entry *e = &derived->entries.at[i];
        if (is_force(e->quantity) && element_coordinate(&v->at, e->i) == coordinate &&
            !isfinite(expr_eval(v->at.sys->model->pool, element_expression(&v->at, e), input, v)))
            return true;
    }
    return false;
}

place solve_culprit(const trm_system *sys, const trm_state *st, int coordinate) {
    for (int i = 0; i < sys->model->shapes.count; i++) {
        view v = {element_of(sys, STAGE_DYNAMICS, i), st->x};
        for (; v.at.instance < v.at.shape->count; v.at.instance++)
            if (gives(&v, coordinate))
                return v.at.shape->at;
    }
    return (place){0};
}
