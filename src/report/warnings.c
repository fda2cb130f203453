#include "report/parts.h"

#include <string.h>

static bool shown_unique(const rank_report *rank, const model_result *r, int *row) {
    int count = r->kind == RESULT_MULTIPLIER ? 1 : r->count;
    for (int i = r->first; i < r->first + count; i++)
        if (!rank->unique[i]) {
            *row = i;
            return false;
        }
    return true;
}

static bool is_force(const shape *s) {
    return s->kind == SHAPE_FORCE || s->kind == SHAPE_ACTUATOR || s->kind == SHAPE_NONIDEAL;
}

static bool used_by_force(const trm_system *sys, int which) {
    const model *m = sys->model;
    for (int i = 0; i < m->shapes.count; i++) {
        const shape *s = &m->shapes.at[i];
        for (int k = 0; is_force(s) && k < s->results.count; k++)
            if (s->results.at[k] == which)
                return true;
    }
    return false;
}

/* A row of a control that depends on rows of constraints, or they on it: then what of the force is the
 * controls' is not unique. Among controls alone it is. -1 if there is none. */
static int shared_control(const trm_system *sys, const rank_report *rank) {
    for (int i = 0; i < sys->m; i++)
        for (int k = 0; !rank->kept[i] && k < rank->term_count[i]; k++) {
            int other = rank->terms[i][k].row;
            if (sys->rows[i].control != sys->rows[other].control)
                return sys->rows[i].control ? i : other;
        }
    return -1;
}

// the name of the constraint behind a result, if its force is not unique; else NULL
static const char *not_unique(findings *f, arena *a, const rank_report *rank, const model_result *r) {
    const trm_system *sys = f->sys;
    bool of_controls =
        r->kind == RESULT_CONTROL || r->kind == RESULT_FEEDBACK || r->kind == RESULT_FEEDFORWARD;
    int shared = of_controls ? shared_control(sys, rank) : -1;
    if (shared >= 0)
        return failure_row_name(a, sys, shared);
    bool per_row = r->kind == RESULT_MULTIPLIER || r->kind == RESULT_SHARE || r->kind == RESULT_POWER ||
                   r->kind == RESULT_WORK;
    int row = -1;
    if (!per_row || shown_unique(rank, r, &row))
        return NULL;
    const model_constraint *c = &sys->model->constraints.at[sys->model->rows.at[row].constraint];
    return r->count > 1 ? parts_label(a, sys->model, c->label, "", "") : failure_row_name(a, sys, row);
}

// one warning for all results of a kind: those that a force is built on, and those that are only
// shown
static void warn_unique(findings *f, arena *a, const rank_report *rank, bool moves) {
    const model *m = f->sys->model;
    string_list named = {0};
    for (int i = 0; i < m->shown_results; i++) {
        const char *name = not_unique(f, a, rank, &m->results.at[i]);
        bool told = name == NULL || used_by_force(f->sys, i) != moves;
        for (int k = 0; !told && k < named.count; k++)
            told = strcmp(named.at[k], name) == 0;
        if (!told)
            vec_push(a, named, name);
    }
    if (named.count == 0)
        return;
    text t;
    text_init(&t, a);
    text_add(&t, moves ? "a force is built on the multiplier of "
                       : "the forces shown are those of least norm, not the only ones possible, for ");
    for (int i = 0; i < named.count; i++)
        text_print(&t, "%s'%s'", i ? ", " : "", named.at[i]);
    if (moves)
        text_add(
            &t,
            ", which is not unique: the one of least norm is used, but another would give another motion");
    const char *warning = text_string(&t);
    vec_push(a, f->warnings, warning);
}

// friction that is built on reactions which are not unique
static void warn_friction(findings *f, arena *a, const rank_report *rank) {
    const model *m = f->sys->model;
    for (int i = 0; i < m->frictions.count; i++) {
        const model_friction *at = &m->frictions.at[i];
        const model_result pressing = {.kind = RESULT_SHARE, .first = at->first, .count = at->count};
        int row;
        if (shown_unique(rank, &pressing, &row))
            continue;
        const char *warning = arena_print(
            a,
            "friction on '%s' is built on a reaction that is not unique: the one of least norm is used, but "
            "another would give another motion",
            parts_label(a, m, m->constraints.at[at->constraint].label, "", ""));
        vec_push(a, f->warnings, warning);
    }
}

static const char *about(const findings *f) {
    return f->about ? f->about : "the start";
}

static void warn_branching(findings *f, arena *a, int row) {
    const char *warning = arena_print(a,
                                      "%s is a singular position: beside it, '%s' does not depend on "
                                      "the other constraints, and from "
                                      "here more than one motion may lead on",
                                      about(f), failure_row_name(a, f->sys, row));
    vec_push(a, f->warnings, warning);
}

static void warn_near(findings *f, arena *a, const rank_report *rank, int row) {
    const char *left = rank->kept[row] && rank->remainder[row] < 1
                           ? arena_print(a, "only %.1g of ", rank->remainder[row])
                           : "hardly anything of ";
    const char *warning =
        arena_print(a,
                    "%s is nearly a singular position: %s'%s' does not depend on the "
                    "other constraints there, and the motion may not be the one that is meant",
                    about(f), left, failure_row_name(a, f->sys, row));
    vec_push(a, f->warnings, warning);
}

// rows that ask for nothing at the start, as that of x'^2 + y'^2 = z'^2 at rest
static void warn_vanishing(findings *f, arena *a, const rank_report *rank) {
    for (int i = 0; i < f->sys->m; i++) {
        if (!rank_vanishes(rank, i) || !parts_is_redundant(f, rank, i) || f->sys->rows[i].weighted)
            continue;
        const char *warning =
            arena_print(a,
                        "the start is singular: the row of constraint '%s' vanishes there, so "
                        "that it holds nothing, and more than one motion may lead on",
                        failure_row_name(a, f->sys, i));
        vec_push(a, f->warnings, warning);
    }
}

// without phi or psi nothing tells how far the motion is off
static void warn_unseen(findings *f, arena *a) {
    const trm_system *sys = f->sys;
    for (int i = 0; i < sys->m; i++) {
        if (!sys->model->shapes.at[sys->model->rows.at[i].shape].given ||
            sys->rows[i].level != ROW_ACCELERATION)
            continue;
        const char *warning =
            arena_print(a,
                        "constraint '%s' is given as A q'' = b alone: it is neither projected nor can it be "
                        "seen how far position and velocity drift off it",
                        failure_row_name(a, sys, i));
        vec_push(a, f->warnings, warning);
    }
}

void findings_warn(findings *f, arena *a, const start_state *start, const rank_report *rank,
                   bool mass_singular) {
    const model *m = f->sys->model;
    if (rank && start->branching >= 0)
        warn_branching(f, a, start->branching);
    else if (rank && start->near >= 0)
        warn_near(f, a, rank, start->near);
    else if (rank)
        warn_vanishing(f, a, rank);
    if (rank) {
        warn_unique(f, a, rank, true);
        warn_unique(f, a, rank, false);
        warn_friction(f, a, rank);
    }
    warn_unseen(f, a);
    if (f->sys->control_parts && !f->sys->mech->prescribed) {
        const char *warning =
            "feedback and feedforward are not available: the mass matrix or the constraints depend "
            "on the state, so nothing of the control can be computed beforehand";
        vec_push(a, f->warnings, warning);
    }
    for (int i = 0; i < m->results.count; i++)
        if (mass_singular && m->results.at[i].kind == RESULT_GAUSSIAN) {
            const char *warning = "gaussian is not available: the mass matrix is singular, so there is no "
                                  "acceleration without constraints to compare with";
            vec_push(a, f->warnings, warning);
            return;
        }
}
