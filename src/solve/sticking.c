/* Which frictions stick. What has no slip sticks if it can: its force is at most static N. If it cannot, it
 * slips against that force, and its slip must then grow that way: of several without slip, the one that is
 * over its limit by most is let go first, and all is looked at anew. */
#include "solve/linalg.h"
#include "solve/system.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20, TURNS_MOST = 50 };
/* Accelerations of slip below this, relative to others, have no sign: where mu = static, slip begins with
 * none.
 */
static const double NO_SIGN = 1e-9;
static const double TURNED = 1e-12; // of 1 - cos of the angle between slip and its acceleration
static const double CLEAR = 100;    // slip that exceeds what counts as none by this has clearly begun

// in friction_state.tried
enum { UNTRIED, LET_GO, CAUGHT };

static double *slip_at(const trm_system *sys, double *slips, int f) {
    return slips + sys->rows[sys->model->frictions.at[f].stick_first].slip;
}

static double speed_of(const trm_system *sys, const trm_state *st, int f) {
    return linalg_norm(friction_slip(sys, st, f), friction_slip_count(sys, f));
}

// of the largest row
static double row_size(const trm_system *sys, const trm_state *st, int f) {
    const model_friction *m = &sys->model->frictions.at[f];
    double size = 0;
    for (int i = 0; i < m->stick_count; i++)
        size = fmax(size, row_norm(sys->A, st->A, m->stick_first + i));
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

void friction_look(const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                   double tolerance) {
    friction_state *fr = st->friction;
    state_set(sys, st, t, q, v);
    state_run(sys, st, STAGE_DYNAMICS);
    state_run(sys, st, STAGE_FRICTION);
    for (int f = 0; f < sys->friction_count; f++) {
        fr->rest[f] = 2 * tolerance * row_size(sys, st, f) * (1 + linalg_norm(v, sys->n));
        fr->at_rest[f] = !(speed_of(sys, st, f) > fr->rest[f]);
        fr->sticks[f] = fr->at_rest[f];
        if (!fr->at_rest[f]) {
            fr->begins[f] = false;
            point_along(sys, st, f, 1, friction_slip(sys, st, f));
        }
    }
}

static void let_go(const trm_system *sys, trm_state *st, int f) {
    friction_state *fr = st->friction;
    point_along(sys, st, f, -1, st->multiplier + sys->model->frictions.at[f].stick_first);
    fr->sticks[f] = false;
    fr->begins[f] = true;
}

// the one that is over its limit by most, or -1
static int overcome(const trm_system *sys, const trm_state *st) {
    int which = -1;
    double least = 0;
    for (int f = 0; f < sys->friction_count; f++) {
        double margin = st->friction->sticks[f] ? friction_margin(sys, st, f) : 0;
        if (margin < least) {
            least = margin;
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
    double usual = row_size(sys, st, f) * solve_usual_acceleration(sys, st);
    if (size <= NO_SIGN * usual)
        return 0;
    if (count > 1 && may_turn && along > 0 && along < (1 - TURNED) * size) {
        point_along(sys, st, f, 1, growing);
        return 1;
    }
    return along > 0 ? 0 : -1;
}

// looks at what begins to slip; true if something was changed
static bool look_at_growth(const trm_system *sys, trm_state *st, int *turns) {
    friction_state *fr = st->friction;
    for (int f = 0; f < sys->friction_count; f++) {
        if (fr->sticks[f] || !fr->at_rest[f])
            continue;
        int grows = growth(sys, st, f, *turns < TURNS_MOST);
        if (grows == 0)
            continue;
        if (grows < 0) {
            fr->sticks[f] = true;
            fr->tried[f] = CAUGHT;
        }
        ++*turns;
        return true;
    }
    return false;
}

static solve_status solve_at(const trm_system *sys, trm_state *st, double t, const double *q,
                             const double *v) {
    solve_leave_out(sys, st, NULL);
    solve_status status = solve_acceleration(sys, st, t, q, v);
    if (status == SOLVE_OK)
        solve_forces(sys, st);
    return status;
}

int friction_settle(const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                    int breaking) {
    friction_state *fr = st->friction;
    int rounds = ROUNDS + 4 * sys->friction_count + TURNS_MOST, turns = 0;
    memset(fr->tried, 0, (size_t)sys->friction_count * sizeof *fr->tried);
    for (int round = 0; round < rounds; round++) {
        solve_status status = solve_at(sys, st, t, q, v);
        if (status != SOLVE_OK)
            return status;
        int f = breaking >= 0 ? breaking : overcome(sys, st);
        breaking = -1;
        if (f < 0 && !look_at_growth(sys, st, &turns))
            return SOLVE_OK;
        if (f < 0)
            continue;
        st->culprit = f;
        if (fr->tried[f] == CAUGHT)
            return SOLVE_FRICTION_MODES;
        fr->tried[f] = LET_GO;
        let_go(sys, st, f);
    }
    return SOLVE_FRICTION_MODES;
}

int friction_start(const trm_system *sys, trm_state *st, double t, const double *q, const double *v,
                   double tolerance) {
    friction_look(sys, st, t, q, v, tolerance);
    return friction_settle(sys, st, t, q, v, -1);
}

void friction_keep(const trm_system *sys, trm_state *st, double t, const double *q, const double *v) {
    friction_state *fr = st->friction;
    state_set(sys, st, t, q, v);
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
