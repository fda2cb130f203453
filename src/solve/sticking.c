/* Which frictions stick. What has no slip sticks if it can: its force is at most static N. If it cannot, it
 * slips against that force, and its slip must then grow that way: of several without slip, the one that is
 * over its limit by most is let go first, and all is looked at anew. */
#include "solve/friction_inside.h"

#include "linear/linalg.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20, TURNS_MOST = 50 };
/* Accelerations of slip below this, relative to others, have no sign: where mu = static, slip begins with
 * none.
 */
static const double NO_SIGN = 1e-9;
static const double IMPOSSIBLE = 1e-4; // relative difference of accelerations that rows ask for
static const double TURNED = 1e-12;    // of 1 - cos of the angle between slip and its acceleration
static const double CLEAR = 100;       // slip that exceeds what counts as none by this has clearly begun

static double *slip_at(const trm_system *sys, double *slips, int f) {
    return slips + friction_slip_first(sys, f);
}

static double speed_of(const trm_system *sys, const trm_state *st, int f) {
    return linalg_norm(friction_slip(sys, st, f), friction_slip_count(sys, f));
}

// of the largest row at these velocities
static double row_size(const trm_system *sys, const trm_state *st, int f, const double *v) {
    const model_friction *m = &sys->model->frictions.at[f];
    double size = 0;
    for (int i = 0; i < m->stick_count; i++)
        size = fmax(size, natural_allowance(sys, sys->A, st->A, m->stick_first + i, v, true));
    return size;
}

// direction <- v at unit length; false if there is none
static bool point_along(const trm_system *sys, trm_state *st, int f, double sign, const double *v) {
    int count = friction_slip_count(sys, f);
    double *direction = slip_at(sys, st->friction->direction, f), length = linalg_norm(v, count);
    for (int i = 0; i < count && length > 0; i++)
        direction[i] = sign * v[i] / length;
    return length > 0;
}

void friction_look(const trm_system *sys, trm_state *st, const moment *at, double tolerance) {
    friction_state *fr = st->friction;
    solve_evaluate(sys, st, at);
    state_run(sys, st, STAGE_FRICTION);
    for (int f = 0; f < sys->friction_count; f++) {
        fr->rest[f] = 2 * tolerance * row_size(sys, st, f, at->v);
        fr->at_rest[f] = !(speed_of(sys, st, f) > fr->rest[f]);
        friction_let(sys, st, f, fr->at_rest[f]);
        if (!fr->at_rest[f]) {
            fr->begins[f] = false;
            point_along(sys, st, f, 1, friction_slip(sys, st, f));
        }
    }
}

static void let_go(const trm_system *sys, trm_state *st, int f) {
    point_along(sys, st, f, -1, st->multiplier + sys->model->frictions.at[f].stick_first);
    friction_let(sys, st, f, false);
    st->friction->begins[f] = true;
}

// the one that is over its limit by most, relative to what there is, or -1; `first`: the first of them
static int overcome(const trm_system *sys, const trm_state *st, bool first) {
    int which = -1;
    double least = 0;
    for (int f = 0; f < sys->friction_count && !(first && which >= 0); f++) {
        const model_friction *m = &sys->model->frictions.at[f];
        double margin = st->friction->sticks[f] ? friction_margin(sys, st, f) : 0;
        double part = margin < 0 ? margin / linalg_norm(st->multiplier + m->stick_first, m->stick_count) : 0;
        if (part < least) {
            least = part;
            which = f;
        }
    }
    return which;
}

// s' = S q'' - b
static void slip_acceleration(const trm_system *sys, const trm_state *st, int f, double *out) {
    const model_friction *m = &sys->model->frictions.at[f];
    for (int i = 0; i < m->stick_count; i++)
        out[i] = row_dot(sys->A, st->A, m->stick_first + i, st->qdd) - st->b[m->stick_first + i];
}

/* A friction that begins to slip: 0 if its slip grows as it should, 1 if it does after its direction was
 * turned to where it grows, -1 if it would go against its direction. */
static int growth(const trm_system *sys, trm_state *st, int f, bool may_turn) {
    friction_state *fr = st->friction;
    double *growing = slip_at(sys, fr->along, f), *direction = slip_at(sys, fr->direction, f);
    int count = friction_slip_count(sys, f);
    slip_acceleration(sys, st, f, growing);
    double size = linalg_norm(growing, count), along = linalg_dot(growing, direction, count);
    double usual = 0;
    for (int i = 0, row = sys->model->frictions.at[f].stick_first; i < count; i++)
        usual = fmax(usual, natural_length(sys, sys->A, st->A, row + i));
    usual *= solve_usual_acceleration(sys, st);
    if (size <= NO_SIGN * usual)
        return 0;
    if (count > 1 && may_turn && along > 0 && along < (1 - TURNED) * size) {
        point_along(sys, st, f, 1, growing);
        return 1;
    }
    return along > 0 ? 0 : -1;
}

// the first that begins to slip, and does so against its direction; -1 if none does. What is turned counts.
static int misdirected(const trm_system *sys, trm_state *st, int *turns) {
    const friction_state *fr = st->friction;
    for (int f = 0; f < sys->friction_count; f++) {
        if (fr->sticks[f] || !fr->at_rest[f])
            continue;
        int grows = growth(sys, st, f, *turns < TURNS_MOST);
        *turns += grows > 0;
        if (grows < 0)
            return f;
    }
    return -1;
}

/* Changes what does not agree with forces and accelerations; false if all does. Who is over its limit by most
 * goes first, which leads to the end soon, but may go round in a circle; then the first of all goes, which
 * does not (Murty's rule), where reactions do not change with friction. *which: the one that was changed. */
static bool change(const trm_system *sys, trm_state *st, bool first, int *turns, int *which) {
    int before = *turns, over = overcome(sys, st, first);
    int against = over >= 0 && !first ? -1 : misdirected(sys, st, turns);
    bool catches = against >= 0 && (over < 0 || against < over);
    if (catches)
        friction_let(sys, st, against, true);
    else if (over >= 0)
        let_go(sys, st, over);
    *which = catches ? against : over;
    return catches || over >= 0 || *turns > before;
}

static outcome solve_with_forces(const trm_system *sys, trm_state *st, const moment *at) {
    solve_leave_out(sys, st, NULL);
    outcome found = solve_at(sys, st, at);
    if (found.status == SOLVE_OK)
        solve_forces(sys, st);
    return found;
}

static bool contradicts(const trm_system *sys, const trm_state *st) {
    double miss;
    return solve_contradiction(sys, st, IMPOSSIBLE, IMPOSSIBLE, &miss) >= 0;
}

/* Constraints may move on what has no slip for an instant, as those of a crank do with its slider at dead
 * centre: its rows depend on theirs there, and ask for another acceleration. It slips, whichever way it is
 * moved. True if such a friction was found. */
static bool let_be_moved(const trm_system *sys, trm_state *st, const moment *at) {
    friction_state *fr = st->friction;
    for (int f = 0; f < sys->friction_count; f++) {
        double *direction = slip_at(sys, fr->direction, f), *growing = slip_at(sys, fr->along, f);
        if (!fr->sticks[f])
            continue;
        friction_let(sys, st, f, false);
        fr->begins[f] = true;
        memset(direction, 0, (size_t)friction_slip_count(sys, f) * sizeof *direction); // no friction for now
        if (solve_with_forces(sys, st, at).status == SOLVE_OK && !contradicts(sys, st)) {
            slip_acceleration(sys, st, f, growing);
            fr->at_rest[f] = !point_along(sys, st, f, 1, growing);
            return true;
        }
        friction_let(sys, st, f, true);
    }
    return false;
}

// no reaction goes with what slips: where that is a friction at rest, it may stick after all
static bool catch_jammed(const trm_system *sys, trm_state *st, outcome found) {
    bool jams = found.status == SOLVE_FRICTION_NONE || found.status == SOLVE_FRICTION_MANY;
    if (!jams || !st->friction->at_rest[found.culprit])
        return false;
    friction_let(sys, st, found.culprit, true);
    return true;
}

// what has no slip slips, in the directions in which it would without friction
static outcome let_all_go(const trm_system *sys, trm_state *st, const moment *at) {
    friction_state *fr = st->friction;
    for (int f = 0; f < sys->friction_count; f++) {
        double *direction = slip_at(sys, fr->direction, f);
        if (!fr->at_rest[f])
            continue;
        friction_let(sys, st, f, false);
        fr->begins[f] = true;
        memset(direction, 0, (size_t)friction_slip_count(sys, f) * sizeof *direction);
    }
    outcome found = solve_with_forces(sys, st, at);
    for (int f = 0; f < sys->friction_count && found.status == SOLVE_OK; f++) {
        double *growing = slip_at(sys, fr->along, f);
        if (!fr->at_rest[f])
            continue;
        slip_acceleration(sys, st, f, growing);
        point_along(sys, st, f, 1, growing);
    }
    return found;
}

// from what sticks and slips at hand to what agrees with forces and accelerations
static outcome agree(const trm_system *sys, trm_state *st, const moment *at, int breaking) {
    int greedy = ROUNDS + 2 * sys->friction_count, rounds = TURNS_MOST + 10 * greedy, turns = 0;
    outcome failed = {SOLVE_FRICTION_MODES, -1};
    for (int round = 0; round < rounds; round++) {
        outcome found = solve_with_forces(sys, st, at);
        if (found.status != SOLVE_OK && !catch_jammed(sys, st, found))
            return found;
        if (found.status != SOLVE_OK) {
            failed = found;
            continue;
        }
        if (contradicts(sys, st) && let_be_moved(sys, st, at))
            continue;
        if (breaking >= 0)
            let_go(sys, st, breaking);
        else if (!change(sys, st, round > greedy, &turns, &failed.culprit))
            return SOLVED;
        breaking = -1;
    }
    return failed;
}

outcome friction_settle(const trm_system *sys, trm_state *st, const moment *at, int breaking) {
    outcome found = agree(sys, st, at, breaking);
    if (found.status < SOLVE_FRICTION_NONE)
        return found;
    bool settled = let_all_go(sys, st, at).status == SOLVE_OK && agree(sys, st, at, -1).status == SOLVE_OK;
    return settled ? SOLVED : found;
}

outcome friction_start(const trm_system *sys, trm_state *st, const moment *at, double tolerance) {
    if (sys->friction_count == 0)
        return SOLVED;
    friction_look(sys, st, at, tolerance);
    return friction_settle(sys, st, at, -1);
}

void friction_keep(const trm_system *sys, trm_state *st, const moment *at) {
    friction_state *fr = st->friction;
    state_set(sys, st, at->t, at->q, at->v);
    state_run(sys, st, STAGE_FRICTION);
    for (int f = 0; f < sys->friction_count; f++) {
        if (fr->sticks[f])
            continue;
        if (speed_of(sys, st, f) > CLEAR * fr->rest[f])
            fr->begins[f] = false;
        if (friction_slip_count(sys, f) > 1 && !fr->begins[f])
            point_along(sys, st, f, 1, friction_slip(sys, st, f));
    }
}
