#include "report/findings.h"

static bool shown_unique(const trm_system *sys, const rank_report *rank, const model_result *r, int *row) {
    int count = r->kind == RESULT_MULTIPLIER ? 1 : r->count;
    for (int i = r->first; i < r->first + count; i++)
        if (sys->rows[i].hard >= 0 && !rank->unique[sys->rows[i].hard]) {
            *row = i;
            return false;
        }
    return true;
}

static bool used_by_nonideal(const trm_system *sys, int which) {
    const model *m = sys->model;
    for (int i = 0; i < m->shapes.count; i++) {
        const shape *s = &m->shapes.at[i];
        for (int k = 0; s->kind == SHAPE_NONIDEAL && k < s->results.count; k++)
            if (s->results.at[k] == which)
                return true;
    }
    return false;
}

static void warn_unique(findings *f, arena *a, const rank_report *rank, int which) {
    const trm_system *sys = f->sys;
    const model_result *r = &sys->model->results.at[which];
    bool per_row = r->kind == RESULT_MULTIPLIER || r->kind == RESULT_SHARE || r->kind == RESULT_POWER;
    int row = -1;
    if (!per_row || shown_unique(sys, rank, r, &row))
        return;
    const char *name = failure_row_name(a, sys, row);
    const char *warning =
        used_by_nonideal(sys, which)
            ? arena_print(
                  a,
                  "a non-ideal force depends on the multiplier of '%s', which is not unique: the one of "
                  "least norm is used, but another would give another motion",
                  name)
            : arena_print(
                  a, "the force of constraint '%s' is not unique: the multipliers of least norm are shown",
                  name);
    vec_push(a, f->warnings, warning);
}

void findings_warn(findings *f, arena *a, const rank_report *rank, bool mass_singular) {
    const model *m = f->sys->model;
    for (int i = 0; i < m->results.count; i++) {
        if (rank)
            warn_unique(f, a, rank, i);
        if (mass_singular && m->results.at[i].kind == RESULT_GAUSSIAN) {
            const char *warning = "gaussian is not available: the mass matrix is singular, so there is no "
                                  "acceleration without constraints to compare with";
            vec_push(a, f->warnings, warning);
        }
    }
}
