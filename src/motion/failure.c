#include "motion/failure.h"

#include "linear/dependence.h"
#include "linear/linalg.h"
#include "system/rates.h"

#include <math.h>
#include <string.h>

// the first coordinate of the unit quaternion that i is in; -1 if it is in none
static int quaternion_of(const model *m, int i) {
    for (int k = 0; k < m->quaternions.count; k++)
        if (i >= m->quaternions.at[k] && i < m->quaternions.at[k] + 4)
            return m->quaternions.at[k];
    return -1;
}

/* Names the coordinates that are not determined, with the place of the first; of a quaternion, the body whose
 * rotation it is. `turning` tells whether there is one. */
static const char *listed_coordinates(failure *f, arena *a, const trm_system *sys, const trm_state *st,
                                      bool *turning) {
    enum { MOST = 8 };
    bool *named = arena_array(a, bool, sys->n);
    int shown = 0, left_out = 0;
    text t;
    text_init(&t, a);
    solve_undetermined(st, named);
    *turning = false;
    for (int i = 0; i < sys->n; i++) {
        if (!named[i])
            continue;
        if (shown == 0)
            f->at = model_coord_place(sys->model, i);
        int rotation = quaternion_of(sys->model, i);
        const char *name = model_coord_name(sys->model, i, a);
        *turning |= rotation >= 0;
        if (shown == MOST)
            left_out++;
        else if (rotation >= 0) // B.q0
            text_print(&t, "%sthe rotation of %.*s", shown++ ? ", " : "", (int)strlen(name) - 3, name);
        else
            text_print(&t, "%s%s", shown++ ? ", " : "", name);
        i = rotation >= 0 ? rotation + 3 : i;
    }
    if (left_out)
        text_print(&t, " and %d more", left_out);
    return text_string(&t);
}

const char *failure_row_name(arena *a, const trm_system *sys, int row) {
    text t;
    text_init(&t, a);
    model_row_name(sys->model, row, &t);
    return text_string(&t);
}

static void name_row(failure *f, arena *a, const trm_system *sys, int row) {
    f->constraint = failure_row_name(a, sys, row);
    f->at = sys->model->constraints.at[sys->model->rows.at[row].constraint].at;
}

// their force has no direction where they have no length
static bool has_springs(const model *m) {
    for (int i = 0; i < m->draws.count; i++)
        if (m->draws.at[i].kind == DRAW_SPRING)
            return true;
    return false;
}

static const char *not_finite_hint(const model *m) {
    return has_springs(m)
               ? "a spring with a length between points that coincide, a division by zero, a root or "
                 "logarithm of a negative number, acos beyond 1, or a number that is too large?"
               : "a division by zero, a root or logarithm of a negative number, acos beyond 1, or a number "
                 "that is too large?";
}

static void row_not_finite(failure *f, arena *a, const trm_system *sys, int row) {
    name_row(f, a, sys, row);
    f->message = arena_print(a, "constraint '%s' has a value that is not finite", f->constraint);
    f->hint = not_finite_hint(sys->model);
}

// the coordinate that its own mass and force would accelerate most
static int fastest(const trm_system *sys, const trm_state *st) {
    const state_found *found = state_look(st);
    int which = 0;
    double most = 0;
    for (int i = 0; i < sys->n; i++) {
        double alone = fabs(found->force[i] / row_entry(sys->M, found->M, i, i));
        if (alone > most) {
            most = alone;
            which = i;
        }
    }
    return which;
}

static void not_finite(failure *f, arena *a, const trm_system *sys, const trm_state *st, int culprit) {
    bool forced = culprit <= -2; // else it is in no force
    int coordinate = forced ? -2 - culprit : fastest(sys, st);
    if (culprit >= 0) {
        row_not_finite(f, a, sys, culprit);
        return;
    }
    if (forced)
        f->at = solve_culprit(sys, st, coordinate);
    if (f->at.source == NULL)
        f->at = model_coord_place(sys->model, coordinate);
    f->message = arena_print(a, "the %s of coordinate '%s' is not finite",
                             forced ? "mass, force or non-ideal force" : "acceleration",
                             model_coord_name(sys->model, coordinate, a));
    f->hint = not_finite_hint(sys->model);
}

// one that has no value; -1: all have
static int not_finite_quasi(sparsity p, const double *G) {
    for (int i = 0; i < p.rows; i++)
        if (!isfinite(row_norm(p, G, i)))
            return i;
    return -1;
}

/* The quasi-velocity of which least is left where the others are taken out of it, at its length as a part of
 * the longest. */
static int worst_quasi(sparsity p, const double *G, const rank_report *rank) {
    double longest = 0, least = INFINITY;
    int which = 0;
    for (int i = 0; i < p.rows; i++)
        longest = fmax(longest, row_norm(p, G, i));
    for (int i = 0; i < p.rows; i++) {
        double left = rank->remainder[i] * (row_norm(p, G, i) / longest);
        if (left < least) {
            least = left;
            which = i;
        }
    }
    return which;
}

static void of_quasi(failure *f, arena *a, const trm_system *sys, trm_state *st) {
    static const double NEARLY = 1e-6; // G is looked at beside the place where it is singular
    int *quasi, count = rates_worst(a, sys, st, &quasi);
    sparsity p = sparsity_rows(a, sys->G, quasi, count);
    double *G = arena_doubles(a, (size_t)sparsity_entries(p) + 1);
    for (int i = 0; i < count; i++)
        memcpy(G + p.start[i], rates_G(st) + sys->G.start[quasi[i]],
               (size_t)(p.start[i + 1] - p.start[i]) * sizeof *G);
    int worst = not_finite_quasi(p, G);
    bool finite = worst < 0, depends = false;
    if (finite) {
        const rank_report *rank = dependence_of_rows(a, sys->n, p, G, NEARLY, false);
        worst = worst_quasi(p, G, rank);
        depends = rank->term_count[worst] > 0;
    }
    int which = quasi[worst];
    text name;
    text_init(&name, a);
    model_label(sys->model, sys->model->quasis.at[which], &name);
    f->at = model_quasi_place(sys->model, which);
    f->message = arena_print(a, "the quasi-velocities do not determine the velocities here: '%s' %s",
                             text_string(&name),
                             !finite   ? "has a value that is not finite"
                             : depends ? "depends on the others"
                                       : "vanishes");
    f->hint = finite ? "choose quasi-velocities that are independent in this position"
                     : not_finite_hint(sys->model);
}

static void of_weights(failure *f, arena *a, const trm_system *sys, int row) {
    const mech_shape *d = &sys->mech->shapes[sys->model->rows.at[row].shape];
    name_row(f, a, sys, row);
    if (!d->shares_weight) {
        f->message = arena_print(a, "the weight of constraint '%s' is negative", f->constraint);
        f->hint = "weights say how much a measured constraint counts; they are 0 or larger";
        return;
    }
    text t;
    text_init(&t, a);
    model_label(sys->model, sys->model->constraints.at[sys->model->rows.at[row].constraint].label, &t);
    f->message =
        arena_print(a, "the weights of constraint '%s' are not positive semi-definite", text_string(&t));
    f->hint = "some way to miss its equations would count less than none";
}

// those that take no root of M
static const char *formulations_that_apply(arena *a) {
    text t;
    text_init(&t, a);
    text_add(&t, "those that apply are default");
    for (int i = 0; i < FORMULATIONS; i++)
        if (!formulations[i]->definite)
            text_print(&t, ", %s", formulations[i]->name);
    return text_string(&t);
}

static void of_friction(failure *f, arena *a, const trm_system *sys, int which, solve_status why) {
    const model_friction *m = &sys->model->frictions.at[which];
    text t;
    text_init(&t, a);
    model_label(sys->model, sys->model->constraints.at[m->constraint].label, &t);
    f->constraint = text_string(&t);
    f->at = m->at;
    const char *what =
        why == SOLVE_FRICTION_NONE    ? "no reaction goes with the friction that it causes"
        : why == SOLVE_FRICTION_MANY  ? "more than one reaction goes with the friction that it causes"
        : why == SOLVE_FRICTION_MU    ? "a coefficient is negative or not finite, or static is less than mu"
        : why == SOLVE_FRICTION_MODES ? "it can neither stick nor slip"
                                      : "its slip turns round faster than it can be followed";
    f->message = arena_print(a, "friction on '%s': %s", f->constraint, what);
    f->hint = why == SOLVE_FRICTION_MU ? "coefficients are 0 or larger, and static is not less than mu"
              : why == SOLVE_FRICTION_TURNS
                  ? "does a force drive it to and fro at the place where it stops?"
                  : "it jams: with friction this large the rigid bodies' equations have no unique solution "
                    "(Painleve's paradox)";
}

void failure_of_solve(failure *f, arena *a, const trm_system *sys, trm_state *st, outcome why, double time) {
    bool turning;
    *f = (failure){.failed = true, .time = time};
    switch (why.status) {
    case SOLVE_NOT_FINITE:
        not_finite(f, a, sys, st, why.culprit);
        break;
    case SOLVE_UNDETERMINED:
        f->message = arena_print(a, "the motion is not unique: neither mass nor constraints determine %s",
                                 listed_coordinates(f, a, sys, st, &turning));
        f->hint = turning
                      ? "a body without inertia about an axis, as a thin rod about its own, must not be free "
                        "to turn about it: give it a shape such as cylinder or box, or a joint that holds it"
                      : "give these coordinates a mass, or constraints that determine them ([M; A] must have "
                        "full rank)";
        break;
    case SOLVE_INDEFINITE:
        f->message =
            arena_print(a, "the mass matrix is indefinite: a motion of %s has negative kinetic energy",
                        listed_coordinates(f, a, sys, st, &turning));
        f->hint = "check the signs in 'kinetic' and 'mass'";
        break;
    case SOLVE_WEIGHT:
        of_weights(f, a, sys, why.culprit);
        break;
    case SOLVE_FIT:
        f->message = "what the constraints with weights ask for together cannot be told here to nine digits";
        f->hint = "some of them nearly depend on others: leave those out, or state them without weight";
        break;
    case SOLVE_FRICTION_NONE:
    case SOLVE_FRICTION_MANY:
    case SOLVE_FRICTION_MU:
    case SOLVE_FRICTION_TURNS:
    case SOLVE_FRICTION_MODES:
        of_friction(f, a, sys, why.culprit, why.status);
        break;
    case SOLVE_SUPPLY:
        failure_of_refusal(f, a, st, time);
        break;
    case SOLVE_FORMULATION:
        f->message = arena_print(
            a, "formulation '%s' does not apply: it takes a root of the mass matrix, which is singular",
            solve_in_use(st)->name);
        f->hint = formulations_that_apply(a);
        f->unsuitable = true;
        break;
    case SOLVE_CHOICE:
        f->message = arena_print(
            a, "the matrix chosen for V does not fit: a basis of the null space has %d column%s here",
            why.culprit, why.culprit == 1 ? "" : "s");
        f->hint = "give as many rows and columns as there are degrees of freedom";
        f->unsuitable = true;
        break;
    default:
        of_quasi(f, a, sys, st);
    }
}

bool failure_of_refusal(failure *f, arena *a, const trm_state *st, double time) {
    const char *why = state_refusal(st);
    if (why)
        *f = (failure){.failed = true, .time = time, .message = arena_print(a, "%s", why)};
    return why != NULL;
}

void failure_of_row(failure *f, arena *a, const trm_system *sys, int row, const char *what, double residual,
                    double allowed, double time) {
    *f = (failure){.failed = true, .time = time};
    if (!isfinite(residual) || !isfinite(allowed)) {
        row_not_finite(f, a, sys, row);
        return;
    }
    name_row(f, a, sys, row);
    f->message = arena_print(a, "constraint '%s' could not be held: its %s residual is %.6g, allowed is %.3g",
                             f->constraint, what, residual, allowed);
    f->hint = "is it at odds with the others, or can no position satisfy it here?";
}

void failure_of_contradiction(failure *f, arena *a, const trm_system *sys, int row, double miss,
                              double time) {
    *f = (failure){.failed = true, .time = time};
    name_row(f, a, sys, row);
    if (sys->m - sys->soft_count == 1) {
        f->message = arena_print(
            a, "no acceleration satisfies constraint '%s': its row vanishes here (relative difference %.3g)",
            f->constraint, miss);
        f->hint = "from this position the motion cannot go on with these velocities";
        return;
    }
    f->message =
        arena_print(a,
                    "constraint '%s' contradicts the others: it depends on them, but asks for another "
                    "acceleration (relative difference %.3g)",
                    f->constraint, miss);
    f->hint = "'trammel check' shows what depends on what";
}

void failure_of_sides(failure *f, arena *a, const trm_system *sys, int row, bool above, double time) {
    *f = (failure){.failed = true, .time = time};
    name_row(f, a, sys, row);
    f->message =
        arena_print(a,
                    "constraint '%s' cannot be held: its left side less its right side is 0 here and "
                    "%s all around, so that nothing tells the way back",
                    f->constraint, above ? "positive" : "negative");
    f->hint =
        "write abs(e) = 0, sqrt(e) = 0 or e^2 = 0 as e = 0, and a^2 + b^2 = 0 as two constraints; what may "
        "lie on one side, as max(0, e) = 0, is no constraint";
}
