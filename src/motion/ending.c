/* Why a run ends before its time: the constraint or coordinate, and what to do. */
#include "motion/running.h"

#include "linear/linalg.h"

#include <math.h>
#include <string.h>

// whether the equation of a row has one of two functions
static bool row_has(const running *r, int row, op_code one, op_code other) {
    const model *m = r->sys->model;
    arena *scratch = arena_child(r->arena);
    expr *order;
    int count =
        expr_order(m->pool, &m->shapes.at[m->rows.at[row].shape].part[PART_VALUE], 1, scratch, &order);
    bool found = false;
    for (int i = 0; i < count; i++)
        found |= expr_op(m->pool, order[i]) == one || expr_op(m->pool, order[i]) == other;
    arena_free(scratch);
    return found;
}

// inverse kinematics that is asked for what is out of reach
static const char AT_ITS_END[] = "acos and asin end at 1 and -1: is what is asked for out of reach?";

static bool has_end(const running *r, int row) {
    return row_has(r, row, OP_ACOS, OP_ASIN);
}

static const char FROM_SINGULAR[] =
    "the start is a singular position, or nearly one: begin at another, or with other velocities";

// nothing was reached but the start, and that is singular
static bool begins_singular(const running *r) {
    const start_state *start = &r->report->start;
    return r->report->samples <= 1 && (start->branching >= 0 || start->near >= 0);
}

// the same by a row that vanishes there, which is told; -1 if there is none
static int vanished_at_start(const running *r) {
    const run_report *report = r->report;
    for (int i = 0; report->samples <= 1 && report->rank && i < r->full->m; i++)
        if (rank_vanishes(report->rank, i) && !r->full->rows[i].weighted && !report->idle[i])
            return i;
    return -1;
}

bool run_is_refused(running *r) {
    if (!failure_of_refusal(&r->report->failure, r->arena, r->st, state_input(r->st, 0)))
        return false;
    r->report->end = RUN_FAILED;
    return true;
}

void run_fail_projection(running *r, double t) {
    if (run_is_refused(r))
        return;
    failure_of_row(&r->report->failure, r->arena, r->sys, r->trouble.refused.row,
                   r->trouble.of_position ? "position" : "velocity", r->trouble.refused.residual,
                   r->trouble.refused.allowed, t);
    if (r->trouble.of_a_jump && has_end(r, r->trouble.refused.row))
        r->report->failure.hint = AT_ITS_END;
    else if (r->trouble.of_a_jump && row_has(r, r->trouble.refused.row, OP_ATAN2, OP_ATAN2))
        r->report->failure.hint =
            "atan2 jumps by 2 pi here; an angle that counts its turns is that of a joint, or a "
            "coordinate of its own";
    else if (r->trouble.of_a_jump)
        r->report->failure.hint = "it has a step or a kink here, which asks for an impact: make it smooth";
    else if (begins_singular(r))
        r->report->failure.hint = FROM_SINGULAR;
    r->report->end = RUN_FAILED;
}

// no projection failed, but rows come near to dependence: names the one with least left of it
static void fail_dependence(running *r, double t) {
    const trm_system *sys = r->sys;
    rank_report *rank = solve_dependence(r->arena, sys, r->st);
    int least = -1;
    for (int i = 0; i < sys->m; i++)
        if (!sys->rows[i].weighted && (least < 0 || rank->remainder[i] < rank->remainder[least]))
            least = i;
    failure *f = &r->report->failure;
    failure_of_row(f, r->arena, sys, least, "position", 0, 0, t);
    f->message = arena_print(r->arena, "the step size became too small: constraint '%s' %s", f->constraint,
                             sys->m - sys->soft_count > 1 ? "becomes dependent on the others" : "vanishes");
    f->hint = "the constraints leave no way on from here, or the motion is not smooth";
    r->report->end = RUN_FAILED;
}

// the same where a row vanishes at the start
static void fail_vanished(running *r, int row, double t) {
    failure *f = &r->report->failure;
    failure_of_row(f, r->arena, r->full, row, "position", 0, 0, t);
    f->message =
        arena_print(r->arena,
                    "the step size became too small: constraint '%s' vanishes at the start, and shows "
                    "no way on",
                    f->constraint);
    f->hint = FROM_SINGULAR;
    r->report->end = RUN_FAILED;
}

/* What the coordinates of joints could not do at the state of the last evaluation, the bodies' form cannot do
 * either: its rows, coordinates and statements are those of the model. */
static void ask_bodies(running *r) {
    int n = r->sys->n;
    if (!linalg_finite(state_q(r->sys, r->st), n) || !linalg_finite(state_v(r->sys, r->st), n))
        return;
    run_lift(r, state_input(r->st, 0), state_q(r->sys, r->st), state_v(r->sys, r->st));
    outcome found = solve_acceleration(r->full, r->full_st, state_input(r->st, 0), r->full_q, r->full_v);
    if (found.status == SOLVE_OK)
        return;
    r->trouble.solve = found;
    r->trouble.of_full = true;
}

void run_fail_solve(running *r, double t) {
    if (run_has_tree(r) && !r->trouble.of_full && r->trouble.solve.status < SOLVE_FRICTION_NONE)
        ask_bodies(r);
    bool full = r->trouble.of_full;
    failure_of_solve(&r->report->failure, r->arena, full ? r->full : r->sys, full ? r->full_st : r->st,
                     r->trouble.solve, t);
    r->report->end = RUN_FAILED;
}

// names what changes fastest
static void fail_fastest(running *r, double t, const char *what, const char *hint) {
    const trm_system *sys = r->sys;
    const state_found *found = r->found;
    failure *f = &r->report->failure;
    int row = -1, coordinate = 0;
    double steepest = 0;
    if (solve_moves(sys)) { // straight from s, forces and q'' were not found
        moment last = run_moment(r, state_input(r->st, 0), state_q(sys, r->st), state_v(sys, r->st));
        solve_at(sys, r->st, &last);
    }
    for (int i = 0; i < sys->m; i++) {
        double asked = fabs(found->b[i]) / row_norm(sys->A, found->A, i);
        if (asked > steepest) {
            steepest = asked;
            row = i;
        }
    }
    for (int i = 0; i < sys->n; i++)
        if (fabs(found->qdd[i]) > fabs(found->qdd[coordinate]))
            coordinate = i;
    *f = (failure){.failed = true, .time = t, .at = model_coord_place(sys->model, coordinate)};
    if (row >= 0)
        failure_of_row(f, r->arena, sys, row, "position", 0, 0, t);
    f->message =
        row >= 0 ? arena_print(r->arena, "%s; '%s' asks for an acceleration of %.3g", what, f->constraint,
                               steepest)
                 : arena_print(r->arena, "%s; the acceleration of '%s' is %.3g", what,
                               model_coord_name(sys->model, coordinate, r->arena), found->qdd[coordinate]);
    f->hint = row >= 0 && has_end(r, row) ? AT_ITS_END : hint;
    r->report->end = RUN_FAILED;
}

void run_fail_defect(running *r, double t, int coordinate) {
    failure *f = &r->report->failure;
    *f = (failure){.failed = true, .time = t, .at = model_coord_place(r->sys->model, coordinate)};
    f->message =
        arena_print(r->arena, "the motion of '%s' does not follow its equation, however short the step",
                    model_coord_name(r->sys->model, coordinate, r->arena));
    f->hint = "a force or a constraint changes here faster than numbers can tell: make it smoother or wider";
    r->report->end = RUN_FAILED;
}

static void fail_step(running *r, double t) {
    if (r->trouble.solve.status != SOLVE_OK) {
        run_fail_solve(r, r->trouble.time);
    } else if (r->trouble.refused.row >= 0) {
        run_fail_projection(r, t);
    } else if (friction_jam(r->st) >= 0) {
        r->trouble.solve = (outcome){SOLVE_FRICTION_NONE, friction_jam(r->st)};
        run_fail_solve(r, t);
    } else if (vanished_at_start(r) >= 0) {
        fail_vanished(r, vanished_at_start(r), t);
    } else if (r->sys->m > r->sys->soft_count && run_nearness(r) < 1e-3) {
        fail_dependence(r, t);
    } else {
        fail_fastest(r, t, "the step size became too small",
                     "the motion is not smooth here, or the tolerance cannot be reached");
    }
}

void run_fail_headway(running *r, double t) {
    const char *what = arena_print(r->arena, "the run makes no headway: since t = %.9g it took %d steps",
                                   r->marked_time, HEADWAY_STEPS);
    fail_fastest(
        r, t, what,
        "does a force switch to and fro, as sign(v) at rest? do the constraints leave this position alone?");
}

// what an integrator that did not go on came to
void run_end_at(running *r, int code, double t) {
    if (run_is_refused(r))
        return;
    if (code == RUN_INTERRUPTED)
        r->report->end = RUN_STOPPED;
    else
        fail_step(r, t);
}

// a dropped row that the acceleration misses is a contradiction, not a redundancy
bool run_check_dropped(running *r, double t) {
    double miss;
    int row = solve_contradiction(r->full, r->full_st, r->options->tolerance, &miss);
    if (row < 0)
        return true;
    failure_of_contradiction(&r->report->failure, r->arena, r->full, row, miss, t);
    r->report->end = RUN_FAILED;
    return false;
}
