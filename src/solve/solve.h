/* From (M, Q, A, b, C) to q'', the constraint force, multipliers and their rank, at one state of one
 * trajectory. What is found stands in state_look(st). */
#ifndef TRAMMEL_SOLVE_SOLVE_H
#define TRAMMEL_SOLVE_SOLVE_H

#include "linear/dependence.h"
#include "linear/peel.h"
#include "papers/papers.h"
#include "system/direct.h"
#include "system/state.h"

/* Codes of what can go wrong with numbers; 0 is fine. */
typedef enum {
    SOLVE_OK = 0,
    SOLVE_NOT_FINITE,     // culprit: a row (>= 0) or a coordinate (-2 - coordinate), or -1
    SOLVE_UNDETERMINED,   // [M; A] lacks full rank
    SOLVE_INDEFINITE,     // M has a negative direction
    SOLVE_SINGULAR_QUASI, // G cannot be inverted; culprit: its column
    SOLVE_WEIGHT,         // a weight is negative; culprit: the row
    SOLVE_FIT,            // what rows with weight ask for together cannot be told
    SOLVE_FORMULATION,    // the formulation in use cannot be applied: M is singular
    SOLVE_SUPPLY,         // a function of the host failed: state_refusal says why
    SOLVE_CHOICE,         // V was chosen of another size than the null space of A; culprit: that
    SOLVE_FRICTION_NONE,  // no reaction goes with the friction it causes; culprit: the friction
    SOLVE_FRICTION_MANY,  // several do
    SOLVE_FRICTION_MU,    // a coefficient is negative or not finite, or static is less than mu
    SOLVE_FRICTION_TURNS, // a slip velocity turns too far to be followed in one step
    SOLVE_FRICTION_MODES  // it can neither stick nor slip
} solve_status;

/* How a call went, and who is to blame if not well. */
typedef struct {
    solve_status status;
    int culprit; // row, coordinate or friction, as the status says; -1 if none
} outcome;

static const outcome SOLVED = {SOLVE_OK, -1};

/* What rates_velocities (system/rates.h) returned. */
static inline outcome outcome_of_rates(int column) {
    return column < 0 ? SOLVED : (outcome){SOLVE_SINGULAR_QUASI, column};
}

/* Where an acceleration is asked for, and how. */
typedef struct {
    double t;
    const double *q, *v;
    bool held; // switches stay as they are in the state; else they become what t, q and v ask for
} moment;

trm_state *solve_new_state(arena *a, const trm_system *sys);
/* For a new state: all memory that solve_at and solve_forces may ever ask for is asked for now. Where M
 * varies, or is singular, that may be half as much again as the state has. Without this they ask in the rare
 * case that blocks of M have to be joined. */
void solve_settle(const trm_system *sys, trm_state *st);
/* From now on accelerations and forces come from one of the papers' formulations; what is decided about rank
 * stays with the default solver. It works in `shared`, as papers_workspace makes it, or, if that is NULL, in
 * a workspace of its own. */
void solve_use(const trm_system *sys, trm_state *st, const formulation *by, matrices *shared);
/* What that leaves open is taken so from now on, NULL: as it is by itself. What it points at must stay. */
void solve_choose(trm_state *st, const paper_choice *choice);
/* After an acceleration by gibbs-appell: what its equation says, of coordinates or, where there are any, of
 * quasi-velocities. The arrays of `out` have room for n. */
bool solve_gibbs(const trm_system *sys, trm_state *st, gibbs *out);
double solve_use_bytes(const trm_system *sys);        // that a state takes for it, beside the workspace
const formulation *solve_in_use(const trm_state *st); // NULL: the default solver

// ---- acceleration.c

/* From now on rows that are held ask for no acceleration, and slopes are those of that: at rest, as if time
 * stood. Damped rows ask for what leads back to them. */
void solve_stand_still(trm_state *st);
/* From now on `force` (n) is added to Q and `ask` (m) to b; each may be NULL. They must stay. */
void solve_add(trm_state *st, const double *force, const double *ask);
/* q'': fills M, Q, A, b, qdd and force of what is found. */
outcome solve_at(const trm_system *sys, trm_state *st, const moment *at);
/* How near the rows in force are to dependence. */
typedef struct {
    int rank;
    double nearness;       // dense.h
    const double *squares; // (m) of the rows of A, in natural units, where the kernel has them; else NULL
} solve_distance;

/* The same with the switches as t, q and v ask for. */
outcome solve_acceleration(const trm_system *sys, trm_state *st, double t, const double *q, const double *v);
/* Only M, Q, A, b, and what solve_rank and solve_nearness tell, with the rows marked (m) left out; false if
 * it cannot be told. */
bool solve_only_rank(const trm_system *sys, trm_state *st, const moment *at, const bool *left_out);
/* Whether rows that depend on others may be left out: not where a force is built on multipliers, as friction
 * is, and not beside rows with weight. */
bool solve_may_leave_out(const trm_system *sys);
/* The rows marked (m) are left out of the next factorisations; NULL for none. They must stay. */
void solve_leave_out(const trm_system *sys, trm_state *st, const bool *rows);
/* After an acceleration: rank of the rows in force, how near they are to dependence (dense.h), whether a row
 * is left out of it, since it depends on others or has weight; whether M is singular. */
int solve_rank(const trm_system *sys, const trm_state *st);
double solve_nearness(const trm_system *sys, trm_state *st);
/* Both at once. */
solve_distance solve_distance_now(const trm_system *sys, trm_state *st);
bool solve_dropped(const trm_system *sys, const trm_state *st, int row);
bool solve_mass_singular(const trm_system *sys, trm_state *st);
/* After SOLVE_UNDETERMINED or SOLVE_INDEFINITE: marks the coordinates (n) in question. */
void solve_undetermined(const trm_state *st, bool *named);
/* After an acceleration: the size of q'' and of what the forces at hand would give, so that rounding is told
 * from an acceleration at rest, too; in natural units. */
double solve_usual_acceleration(const trm_system *sys, const trm_state *st);
/* After an acceleration: the row that depends on others and asks for another acceleration than they do, with
 * the relative difference; -1 if none does, as far as can be told where the state is off the constraints by
 * `off`. */
int solve_contradiction(const trm_system *sys, const trm_state *st, double off, double *miss);

/* After an acceleration: q'' and a multiplier of each row, not those of least norm, are put among the inputs.
 */
void solve_put_found(const trm_system *sys, trm_state *st);

// ---- motion.c: what integrators ask for at each stage of a step

/* What an evaluation may not come to without a closer look; and of those that none was needed of, how near
 * rows came to dependence. */
typedef struct {
    double least[DIRECT_CHECKS]; // of the kernel's checks
    const double *usual;         // (m) squares of rows: of each, as large a part is left as of DIRECT_GRAM,
    double enough;               // or this part
    double nearest;              // the least DIRECT_GRAM
} solve_watch;

/* What is watched for where DIRECT_GRAM may come down to `gram`; the rest stays. */
void solve_watch_for(const trm_state *st, double gram, solve_watch *w);

typedef enum {
    MOVED_NOT,        // it cannot be had or trusted here, and nothing counts as found
    MOVED,            // well away from what is watched for
    MOVED_DOUBTFULLY, // what is watched for needs a closer look; or nothing is
} solve_moved;

/* q' and s' (n each) straight from q and s (n each; system/rates.h), with the switches as they are, if they
 * are held. Of what is found then, A and rank are, once solve_distance_now was asked. Only of systems that
 * solve_moves tells. */
solve_moved solve_motion(const trm_system *sys, trm_state *st, double t, const double *y, bool held,
                         solve_watch *w, double *rates);
bool solve_moves(const trm_system *sys);
/* The same at the end of a step, with multipliers and rank, and all else that solve_at finds where s is v;
 * false, and nothing is found, where that needs a closer look. Only while solve_lands. */
bool solve_landing(const trm_system *sys, trm_state *st, double t, const double *y, solve_watch *w,
                   double *rates);
bool solve_lands(const trm_state *st);

// ---- given.c

typedef struct {
    const double *qdd;        // (n)
    const double *multiplier; // (m) of the rows that peel.h takes for known
} solution;

/* Whether there may be such a solution; and what solve_acceleration does, from one: all rows are independent.
 * False if M q'' - Q is not the rows' force. */
bool solve_may_be_given(const trm_system *sys);
bool solve_given(const trm_system *sys, trm_state *st, const moment *at, const solution *s, const peel *rows);

// ---- bodies.c: a tree form and its bodies

/* The state in x of a tree form becomes that of `to`, a state of sys->full. */
void solve_lift(const trm_system *sys, trm_state *st, trm_state *to);
/* By which energies and outputs of the text are evaluated at the state in x: the system itself, or that of
 * the bodies with a state of its own, for which solve_shown_add makes room; and the acceleration there. */
typedef struct {
    const trm_system *sys;
    trm_state *st;
} shown_state;
void solve_shown_add(const trm_system *sys, trm_state *st);
shown_state solve_shown(const trm_system *sys, trm_state *st);
outcome solve_shown_solution(const trm_system *sys, trm_state *st);

// ---- rank.c: below which remainder a row counts as dependent

/* Where the state is off its constraints by no more than this, relative to the scales of the coordinates. */
double solve_cut(const trm_system *sys, double off);
double solve_run_cut(const trm_system *sys, double tolerance); // in a run, which passes singular positions
double solve_off(const trm_system *sys, trm_state *st);        // how far the state in x is off
/* solve_acceleration at any state: it is seen how far it is off, and rank decided accordingly. */
outcome solve_off_constraints(const trm_system *sys, trm_state *st, double t, const double *q,
                              const double *v);

// ---- rows.c: the rows in force

/* Of all rows as written: A (m x n, full; what has no entry must be 0) and b (m), those with weight replaced
 * by their equivalents. */
void solve_written_rows(const trm_system *sys, const trm_state *st, double *A, double *b);
/* Entries of the pattern sys->A, with the rows that are not in force 0. */
const double *solve_entries_in_force(arena *a, const trm_system *sys, const trm_state *st);
/* Which of the rows (m) depend on which others; those with weight are called independent, and do not count.
 * After an acceleration, of which it takes what it can. */
rank_report *solve_dependence(arena *a, const trm_system *sys, trm_state *st);

// ---- jacobian.c

/* After an acceleration, with STAGE_JACOBIAN: dq''/dq (n x n) and dq''/dq' (n x n), both written with the
 * given distance between rows. False if a slope is not finite, as that of max(0, x)^0.3 at x = 0; it counts
 * as 0. Where rows stand still, what they ask for beside this state is left out: that is exact where q'' = 0.
 */
bool solve_jacobian(const trm_system *sys, trm_state *st, double *by_q, double *by_v, int stride);
/* The metric for projections in a step that solves y - gamma f(y) = given: M + g D + g^2 K, with the damping
 * D and stiffness K of the last solve_jacobian (symmetric parts) and g of the size of gamma; what it adds to
 * M becomes the state's stiffness. In M alone a correction within tolerance stretches stiff springs, and the
 * forces of that are not small. Zero where that metric is not definite. */
void solve_stiffness(const trm_system *sys, trm_state *st, double gamma);

// ---- culprit.c
/* After an acceleration whose mass, force or non-ideal force of this coordinate was not finite: the statement
 * that gave it; source NULL if each is finite for itself. */
place solve_culprit(const trm_system *sys, const trm_state *st, int coordinate);

// ---- forces.c, control.c

/* After an acceleration: multipliers of least norm, reactions, controls, rank. */
void solve_forces(const trm_system *sys, trm_state *st);
/* After solve_forces: what of the force of the controls (n) answers the forces at hand, and what follows from
 * the constraints alone; NAN where M, A or b depend on the state, so that there is no such division. Either
 * may be NULL. */
void solve_control_parts(const trm_system *sys, trm_state *st, double *back, double *forward);
/* After solve_forces: what the forces of count rows from first on put into the system, and in *most what they
 * could at unit speed in natural units: the sum of |multiplier| |A_i S|. */
double solve_power(const trm_system *sys, const trm_state *st, int first, int count, double *most);

/* After an acceleration: what each of sys->works puts into T2 - T0 + V (work_count). Where rows do work, it
 * finds the multipliers. */
void solve_powers(const trm_system *sys, trm_state *st, double *out);

// ---- quasi.c: the equations in quasi-velocities, of the last evaluation

/* Before the others: G is factored. */
outcome solve_quasi(const trm_system *sys, trm_state *st);
void solve_quasi_mass(const trm_system *sys, trm_state *st, double *out);  // M_s (n x n)
void solve_quasi_force(const trm_system *sys, trm_state *st, double *out); // S (n)
void solve_quasi_rows(const trm_system *sys, trm_state *st, double *out);  // A_s (m x n)
void solve_quasi_asked(const trm_system *sys, trm_state *st, double *out); // b_s (m)
/* H'(force - less) (n): C_s of C, S^c of Q^c; less may be NULL. */
void solve_quasi_transform(const trm_system *sys, trm_state *st, const double *force, const double *less,
                           double *out);

// ---- results.c: numbers that outputs, expectations and pictures ask for

/* After an acceleration: STAGE_RESIDUAL, e1 - e2 of all rows; of those on accelerations A q'' - b. */
void solve_residuals(const trm_system *sys, trm_state *st);
/* After solve_forces: those that outputs and expectations see, put into the inputs of their stages. */
void solve_results(const trm_system *sys, trm_state *st);
/* Those over the run alone, once they have been set (state_set_over). */
void solve_overs(const trm_system *sys, trm_state *st);
/* The same where no time passes: extrema and means are what they are of. */
void solve_overs_at_rest(const trm_system *sys, trm_state *st);
/* After that: those that pictures show unasked, and STAGE_VIEW. */
void solve_views(const trm_system *sys, trm_state *st);

#endif
