// clang-format off
/* Which frictions stick: one complementarity problem at one instant. Each friction without slip is in a mode,
 *
 *   it sticks    s' = 0,                      |f| <= static N
 *   it slips     f = -mu N d, s' = sigma d,   sigma >= 0,       d a unit vector: a sign for one component
 *
 * The equations on the left have one solution for the modes of all together, a basis, or none; to have
 * several, or directions d that are not found, counts as none. The conditions on the right tell which modes
 * are violated. The rule: begin with all sticking. Change the mode that is violated most among those whose
 * change leads to a basis not seen before. If there is none, or the basis has no solution, go on with the
 * first basis not seen before that differs in one mode from the first one seen, then from the second, and so
 * on.
 *
 * It ends: no basis is seen twice, and there are at most 3^k for k frictions without slip. If it ends without
 * a solution, all were seen and there is none: the one failure, told as it is for the first basis. Beyond
 * BASES_MOST bases, so many as 7 frictions have, the search is given up in the same way. For slips of several
 * components it may miss a solution where friction changes reactions so much that other directions jam.
 *
 * Constraints may move what has no slip for an instant, as those of a crank do with its slider at dead
 * centre: its stick rows contradict theirs, and one of both does not hold. In either case that is no solution,
 * and in the first its mode is the one that is violated: it slips as it is moved. */
// clang-format on
#include "solve/friction_inside.h"

#include "linear/accuracy.h"
#include "linear/linalg.h"
#include "system/natural.h"

#include <math.h>
#include <string.h>

enum { STICKS = 0, TURNS_MOST = 1000 };
/* Accelerations of slip below this, relative to others, have no sign: where mu = static, slip begins with
 * none.
 */
static const double NO_SIGN = 1e-9;
static const double ACROSS = 1e-6;  // angle between slip and its acceleration that counts as none
static const double HOLD = 1. / 64; // the least, of usual accelerations
static const double LESS = 0.9; // of hold; without, 2 of 300 random systems took over 2000 turns, with it 227
static const double CLEAR = 100; // slip that exceeds what counts as none by this has clearly begun

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
static bool point_along(const trm_system *sys, trm_state *st, int f, const double *v) {
    int count = friction_slip_count(sys, f);
    double *direction = slip_at(sys, st->friction->direction, f), length = linalg_norm(v, count);
    for (int i = 0; i < count && length > 0; i++)
        direction[i] = v[i] / length;
    return length > 0;
}

static void forget_direction(const trm_system *sys, trm_state *st, int f) {
    memset(slip_at(sys, st->friction->direction, f), 0, (size_t)friction_slip_count(sys, f) * sizeof(double));
}

void friction_look(const trm_system *sys, trm_state *st, const moment *at, double tolerance) {
    friction_state *fr = st->friction;
    solve_evaluate(sys, st, at);
    state_run(sys, st, STAGE_FRICTION);
    for (int f = 0; f < sys->friction_count; f++) {
        fr->rest[f] = 2 * tolerance * row_size(sys, st, f, at->v);
        fr->at_rest[f] = !(speed_of(sys, st, f) > fr->rest[f]);
        friction_let(sys, st, f, fr->at_rest[f]);
        if (fr->at_rest[f]) {
            forget_direction(sys, st, f);
        } else {
            fr->begins[f] = false;
            point_along(sys, st, f, friction_slip(sys, st, f));
        }
    }
}

// ---- one basis

// s' = S q'' - b; its size
static double slip_acceleration(const trm_system *sys, const trm_state *st, int f, double *out) {
    const model_friction *m = &sys->model->frictions.at[f];
    for (int i = 0; i < m->stick_count; i++)
        out[i] = row_dot(sys->A, st->A, m->stick_first + i, st->qdd) - st->b[m->stick_first + i];
    return linalg_norm(out, m->stick_count);
}

static double usual(const trm_system *sys, const trm_state *st, int f) {
    const model_friction *m = &sys->model->frictions.at[f];
    double size = 0;
    for (int i = 0; i < m->stick_count; i++)
        size = fmax(size, natural_length(sys, sys->A, st->A, m->stick_first + i));
    return size * solve_usual_acceleration(sys, st);
}

static bool begins(const trm_state *st, int f) {
    return st->friction->at_rest[f] && !st->friction->sticks[f];
}

/* d <- hold d + s' at unit length, for a slip of several components that begins; false if s' has the
 * direction d, or its opposite, already. *overshot: what is across d in s' turned round since the last time,
 * or d would do so. */
static bool turn(const trm_system *sys, trm_state *st, int f, double hold, bool *overshot) {
    friction_state *fr = st->friction;
    double *growing = slip_at(sys, fr->along, f), *d = slip_at(sys, fr->direction, f);
    double *across = slip_at(sys, fr->across, f), scale = usual(sys, st, f);
    double size = slip_acceleration(sys, st, f, growing);
    int count = friction_slip_count(sys, f);
    double along = linalg_dot(growing, d, count), agreement = 0;
    for (int i = 0; i < count; i++) {
        double before = across[i];
        across[i] = (growing[i] - along * d[i]) / scale;
        agreement += before * across[i];
    }
    *overshot |= agreement < 0 || hold * scale < -2 * along;
    if (size <= NO_SIGN * scale || linalg_norm(across, count) * scale <= ACROSS * size)
        return false;
    linalg_add(growing, hold * scale, d, count);
    return point_along(sys, st, f, growing);
}

static outcome solve_with_forces(const trm_system *sys, trm_state *st, const moment *at) {
    solve_leave_out(sys, st, NULL);
    outcome found = solve_at(sys, st, at);
    if (found.status == SOLVE_OK)
        solve_forces(sys, st);
    return found;
}

/* Accelerations, forces and directions of the modes at hand. Directions of slips that begin are turned until
 * s' = sigma d. For given N that is where a quadratic function of all d is stationary on their unit spheres;
 * each turn increases it if hold exceeds the largest eigenvalue of its matrix. So hold grows where a turn
 * goes too far, and falls slowly else. */
static outcome solve_basis(const trm_system *sys, trm_state *st, const moment *at) {
    double hold = 0;
    outcome turning = {SOLVE_FRICTION_MODES, 0};
    memset(st->friction->across, 0, (size_t)sys->slip_count * sizeof(double));
    for (int turns = 0; turns < TURNS_MOST; turns++) {
        bool turned = false, overshot = false;
        outcome found = solve_with_forces(sys, st, at);
        for (int f = 0; f < sys->friction_count && found.status == SOLVE_OK; f++)
            if (begins(st, f) && friction_slip_count(sys, f) > 1 && turn(sys, st, f, hold, &overshot)) {
                turned = true;
                turning.culprit = f;
            }
        if (!turned)
            return found;
        hold = overshot ? fmax(2 * hold, HOLD) : LESS * hold;
    }
    return turning;
}

// ---- the next one

static signed char *basis(const trm_system *sys, const friction_state *fr, int which) {
    return fr->bases + (size_t)which * (size_t)sys->friction_count;
}

// `from` with one mode changed becomes the next basis, if it has not been seen
static bool is_new(const trm_system *sys, friction_state *fr, int from, int f, signed char mode) {
    size_t size = (size_t)sys->friction_count;
    signed char *next = basis(sys, fr, fr->seen);
    if (fr->seen == fr->bases_most)
        return false;
    memcpy(next, basis(sys, fr, from), size);
    next[f] = mode;
    for (int i = 0; i < fr->seen; i++)
        if (memcmp(basis(sys, fr, i), next, size) == 0)
            return false;
    return true;
}

/* How much the mode of f is violated: 0 not at all, above 1 if static friction is overcome, which comes
 * before slip that would go back, and above 2 if it is moved on all the same. Of what sticks the direction in
 * which it would slip is put into fr->along. */
static double violation(const trm_system *sys, trm_state *st, int f) {
    const model_friction *m = &sys->model->frictions.at[f];
    friction_state *fr = st->friction;
    double *along = slip_at(sys, fr->along, f), scale = usual(sys, st, f);
    double size = slip_acceleration(sys, st, f, along);
    double growing = linalg_dot(along, slip_at(sys, fr->direction, f), m->stick_count);
    if (!fr->sticks[f])
        return size > NO_SIGN * scale && growing < 0 ? growing / (growing - scale) : 0;
    if (size > CONTRADICTS * st->cut * scale)
        return 2 + size / scale;
    const double *force = st->multiplier + m->stick_first;
    double margin = friction_margin(sys, st, f);
    for (int i = 0; i < m->stick_count; i++)
        along[i] = -force[i];
    return margin < 0 ? 1 - margin / linalg_norm(force, m->stick_count) : 0;
}

// after that: the mode to which it is changed
static signed char other_mode(const trm_system *sys, const trm_state *st, int f) {
    bool back = friction_slip_count(sys, f) == 1 && *slip_at(sys, st->friction->along, f) < 0;
    return !st->friction->sticks[f] ? STICKS : back ? -1 : 1;
}

/* The modes of a basis. Slips of several components have two beginnings: 1 from the direction at hand, which
 * was against the force that held it, -1 without friction. */
static void assume(const trm_system *sys, trm_state *st, const signed char *mode) {
    friction_state *fr = st->friction;
    for (int f = 0; f < sys->friction_count; f++) {
        if (!fr->at_rest[f])
            continue;
        friction_let(sys, st, f, mode[f] == STICKS);
        fr->begins[f] = mode[f] != STICKS;
        if (friction_slip_count(sys, f) == 1)
            *slip_at(sys, fr->direction, f) = mode[f];
        else if (mode[f] < 0)
            forget_direction(sys, st, f);
    }
}

/* Changes the mode that is violated most among those whose change leads to a new basis; false if there is
 * none. *worst: of all that are violated, -1 if all agrees. */
static bool pivot(const trm_system *sys, trm_state *st, int *worst) {
    friction_state *fr = st->friction;
    double most = 0, most_new = 0;
    int which = *worst = -1;
    for (int f = 0; f < sys->friction_count; f++) {
        double by = fr->at_rest[f] ? violation(sys, st, f) : 0;
        if (by > most) {
            most = by;
            *worst = f;
        }
        if (by > most_new && is_new(sys, fr, fr->seen - 1, f, other_mode(sys, st, f))) {
            most_new = by;
            which = f;
        }
    }
    if (which < 0)
        return false;
    if (fr->sticks[which]) // of several components: where turning begins
        point_along(sys, st, which, slip_at(sys, fr->along, which));
    return is_new(sys, fr, fr->seen - 1, which, other_mode(sys, st, which));
}

// the next basis not seen that differs in one mode from one that was, from fr->from on; false if there is
// none
static bool go_on(const trm_system *sys, friction_state *fr) {
    static const signed char modes[] = {STICKS, 1, -1};
    for (; fr->from < fr->seen; fr->from++)
        for (int f = 0; f < sys->friction_count; f++)
            for (int i = 0; fr->at_rest[f] && i < 3; i++)
                if (is_new(sys, fr, fr->from, f, modes[i]))
                    return true;
    return false;
}

// ---- the search

static bool contradicts(const trm_system *sys, const trm_state *st) {
    double miss;
    return solve_contradiction(sys, st, st->cut, &miss) >= 0;
}

// whether constraints contradict each other even if nothing sticks, which is not for friction to tell
static bool contradicts_loose(const trm_system *sys, trm_state *st, const moment *at) {
    friction_state *fr = st->friction;
    for (int f = 0; f < sys->friction_count; f++)
        if (fr->at_rest[f]) {
            friction_let(sys, st, f, false);
            fr->begins[f] = true;
            forget_direction(sys, st, f);
        }
    return solve_with_forces(sys, st, at).status == SOLVE_OK && contradicts(sys, st);
}

// all that is at rest sticks, but for `breaking`, which slips against the force that held it
static void begin(const trm_system *sys, trm_state *st, const moment *at, int breaking) {
    friction_state *fr = st->friction;
    fr->seen = fr->from = 0;
    memset(fr->bases, STICKS, (size_t)sys->friction_count);
    if (breaking < 0)
        return;
    assume(sys, st, fr->bases);
    if (solve_with_forces(sys, st, at).status != SOLVE_OK)
        return;
    violation(sys, st, breaking);
    fr->bases[breaking] = other_mode(sys, st, breaking);
    point_along(sys, st, breaking, slip_at(sys, fr->along, breaking));
}

static int first_at_rest(const trm_system *sys, const trm_state *st) {
    int f = 0;
    while (f < sys->friction_count - 1 && !st->friction->at_rest[f])
        f++;
    return f;
}

// the next basis: SOLVED, or why it is no solution; *changed: what is next is known
static outcome try_next(const trm_system *sys, trm_state *st, const moment *at, bool *changed) {
    friction_state *fr = st->friction;
    int worst;
    assume(sys, st, basis(sys, fr, fr->seen++));
    outcome found = solve_basis(sys, st, at);
    *changed = found.status == SOLVE_OK && pivot(sys, st, &worst);
    if (found.status != SOLVE_OK || (worst < 0 && !contradicts(sys, st)))
        return found;
    return (outcome){SOLVE_FRICTION_MODES, worst < 0 ? first_at_rest(sys, st) : worst};
}

outcome friction_settle(const trm_system *sys, trm_state *st, const moment *at, int breaking) {
    friction_state *fr = st->friction;
    outcome failed = SOLVED;
    bool changed;
    begin(sys, st, at, breaking);
    do {
        outcome found = try_next(sys, st, at, &changed);
        if (found.status < SOLVE_FRICTION_NONE || found.status == SOLVE_FRICTION_MU)
            return found;
        if (failed.status == SOLVE_OK)
            failed = found;
    } while (changed || go_on(sys, fr));
    if (!contradicts_loose(sys, st, at))
        return failed;
    assume(sys, st, fr->bases);
    return solve_basis(sys, st, at);
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
            point_along(sys, st, f, friction_slip(sys, st, f));
    }
}
