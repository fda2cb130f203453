/* Why a run ends before its time: the constraint or coordinate, and what to do. */
#include "motion/running.h"

#include <math.h>
#include <string.h>

/* A dropped row that is missed by more than this contradicts the others; one on accelerations has no error
 * but that of the rows it depends on. */
static const double CONTRADICTION = 1e-4;

void run_fail_projection(running *r, double t) {
    failure_of_row(&r->report->failure, r->arena, r->sys, r->refused.row,
                   r->refused_position ? "position" : "velocity", r->refused.residual, r->refused.allowed, t);
    if (r->jump)
        r->report->failure.hint = "it has a step or a kink here, which asks for an impact: make it smooth";
    r->report->end = RUN_FAILED;
}

// no projection failed, but rows come near to dependence: names the one with least left of it
static void fail_dependence(running *r, double t) {
    const trm_system *sys = r->sys;
    rank_report *rank = rank_at_state(r->arena, sys, r->st);
    int least = 0;
    for (int i = 1; i < sys->hard_count; i++)
        if (rank->remainder[i] < rank->remainder[least])
            least = i;
    failure *f = &r->report->failure;
    failure_of_row(f, r->arena, sys, sys->hard_rows[least], "position", 0, 0, t);
    f->message = arena_print(r->arena, "the step size became too small: constraint '%s' %s", f->constraint,
                             sys->hard_count > 1 ? "becomes dependent on the others" : "vanishes");
    f->hint = "the constraints leave no way on from here, or the motion is not smooth";
    r->report->end = RUN_FAILED;
}

void run_fail_solve(running *r, double t) {
    failure_of_solve(&r->report->failure, r->arena, r->sys, r->st, r->status, t);
    r->report->end = RUN_FAILED;
}

// names what changes fastest
static void fail_fastest(running *r, double t, const char *what, const char *hint) {
    const trm_system *sys = r->sys;
    const trm_state *st = r->st;
    failure *f = &r->report->failure;
    int row = -1, coordinate = 0;
    double steepest = 0;
    for (int i = 0; i < sys->m; i++) {
        double asked = fabs(st->b[i]) / row_norm(sys->A, st->A, i);
        if (asked > steepest) {
            steepest = asked;
            row = i;
        }
    }
    for (int i = 0; i < sys->n; i++)
        if (fabs(st->qdd[i]) > fabs(st->qdd[coordinate]))
            coordinate = i;
    *f = (failure){.failed = true, .time = t};
    if (row >= 0)
        failure_of_row(f, r->arena, sys, row, "position", 0, 0, t);
    f->message = row >= 0
                     ? arena_print(r->arena, "%s; '%s' asks for an acceleration of %.3g", what, f->constraint,
                                   steepest)
                     : arena_print(r->arena, "%s; the acceleration of '%s' is %.3g", what,
                                   model_coord_name(sys->model, coordinate, r->arena), st->qdd[coordinate]);
    f->hint = hint;
    r->report->end = RUN_FAILED;
}

static void fail_step(running *r, double t) {
    if (r->status != SOLVE_OK) {
        run_fail_solve(r, r->status_time);
    } else if (r->refused.row >= 0) {
        run_fail_projection(r, t);
    } else if (friction_jam(r->sys, r->st) >= 0) {
        r->status = SOLVE_FRICTION_NONE;
        r->st->culprit = friction_jam(r->sys, r->st);
        run_fail_solve(r, t);
    } else if (r->sys->hard_count && run_nearness(r) < 1e-3) {
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
    if (code == RUN_INTERRUPTED)
        r->report->end = RUN_STOPPED;
    else
        fail_step(r, t);
}

// a dropped row that the acceleration misses is a contradiction, not a redundancy
bool run_check_dropped(running *r, double t) {
    double miss, exact = fmax(1e-9, 100 * r->options->tolerance);
    int row = solve_contradiction(r->sys, r->st, CONTRADICTION, exact, &miss);
    if (row < 0)
        return true;
    failure_of_contradiction(&r->report->failure, r->arena, r->sys, row, miss, t);
    r->report->end = RUN_FAILED;
    return false;
}
