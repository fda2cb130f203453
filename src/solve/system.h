/* The compiled system and one trajectory's numbers.
 *
 * trm_system is constant once made and may be shared by threads: sizes, rows, stages. trm_state holds what
 * one trajectory needs: inputs x, the stages' outputs, factorisations. Every call is f(const trm_system *,
 * trm_state *). */
#ifndef TRAMMEL_SOLVE_SYSTEM_H
#define TRAMMEL_SOLVE_SYSTEM_H

#include "base/profile.h"
#include "code/stage.h"
#include "mech/mech.h"
#include "solve/formulated.h"
#include "solve/friction.h"
#include "solve/share.h"
#include "solve/solver.h"
#include "solve/weighted.h"

typedef enum {
    STAGE_DYNAMICS, // y: M, Q (n), A, b (m), w (m); M and A have their entries only, see trm_system
    STAGE_POSITION, // y: M, phi, A of the rows held at the position level
    STAGE_VELOCITY, // y: M, rate, A of the rows held at the velocity level
    STAGE_RESIDUAL, // y: e1 - e2 (m), its time derivative for holonomic rows (m)
    STAGE_ENERGY,   // y: T, T2 - T0, V
    STAGE_NONIDEAL, // y: C (n)
    STAGE_QUASI,    // y: G (n x n), s (n), g (n), s' - G q'' (n)
    STAGE_OUTPUT,   // y: outputs, conditions of expectations, their margins (one each per instance)
    STAGE_START,    // y: values of start(...)
    STAGE_TURN,     // y: angles that a run keeps from step to step
    STAGE_SWITCH,   // y: values of the switches
    STAGE_STOP,     // y: conditions of stops, their margins, the rests of equalities
    STAGE_FRICTION, // y: mu, static of each friction, slip velocities of their rows
    STAGE_JACOBIAN, // y: for each of q, q' a column d(M q'' - Q - A' multiplier) (n), d(A q'' - b) (m);
                    // optional
    STAGE_VIEW,     // y: what pictures show; optional
    STAGES
} stage_kind;

typedef enum { EVALUATE_AUTO, EVALUATE_FUSED, EVALUATE_ASSEMBLED } evaluate_how;

typedef struct {
    row_level level;
    bool damped, weighted, control;
    int position, velocity; // number among the rows held at that level, or -1
    int hard, soft;         // number among the rows without and with weight, or -1
    int solved;             // number among the rows that solvers see, -1 if it repeats another
    int friction, slip;     // whose slip velocity it is, its number among these; -1
} system_row;

/* The rows held at one level, and where their parts are in the y of its stage. */
typedef struct {
    int m;
    int *rows; // (m) their numbers
    sparsity A;
    int residual_at, A_at, step_at;
} system_level;

typedef struct trm_system {
    arena *arena;
    const model *model;
    const mech *mech;
    int n, m;   // coordinates, rows
    bool quasi; // the state is (q, s)
    bool nonideal, controls;
    bool control_parts; // results ask for them
    bool fused;
    bool direct;        // STAGE_DYNAMICS, STAGE_POSITION and STAGE_VELOCITY solve, too, see direct.h
    bool *direct_added; // (m) rows that they add to a singular M; NULL: M was definite when they were made
    int friction_count, slip_count; // frictions, components of their slip velocities
    int hard_count, soft_count;
    system_row *rows;           // (m)
    int *hard_rows, *soft_rows; // their row numbers
    system_level position, velocity;
    sparsity M, A;
    /* The rows that solvers see: A; with weighted rows, m full rows; where rows repeat each other, the first
     * of them, times row_scale so that it stands for all in multipliers of least norm. */
    sparsity all;
    int *solved_rows;                      // (all.rows) their numbers
    double *row_scale;                     // (all.rows)
    sharing *sharing;                      // NULL: no row repeats another
    int Q_at, A_at, b_at, w_at, direct_at; // in the y of STAGE_DYNAMICS, M being first
    solver_kind solver;                    // which one is asked for
    // places in x
    int x_q, x_v, x_a, x_param, x_result, x_multiplier, x_mode, x_turn, x_number, x_size;
    int *number_base; // per shape: where its constants start in x
    int expect_count; // instances of expectations
    int *expect_base; // per shape: number of its first instance
    int *expect_of;   // (expect_count) which expectation
    bool *has_margin; // (expect_count)
    int switch_count; // of all instances
    int *switch_base; // per shape: number of its first
    bool *timed;      // (switch_count) it depends on time alone
    bool any_timed;
    mech_shape *slopes; // per shape, for STAGE_JACOBIAN; NULL: there is none
    bool views;         // there is STAGE_VIEW
    stage stages[STAGES];
} trm_system;

/* M + stiffness, full, and solvers for that. */
typedef struct {
    sparsity pattern;
    double *stiffness, *M; // (n x n)
    solver *position, *velocity;
} stiff_metric;

typedef struct trm_state {
    arena *arena;
    double *x;         // inputs of all stages
    double *y[STAGES]; // those of STAGE_POSITION and STAGE_VELOCITY are one: the last that was run
    double *work[STAGES];
    // in y[STAGE_DYNAMICS]
    double *M, *Q, *A, *b, *w;
    double *C; // in y[STAGE_NONIDEAL]
    // of the last evaluation
    double *qdd;            // (n)
    double *multiplier;     // (m) in the order of rows; 0 for rows with weight
    double *reaction;       // (n) M q'' - Q
    double *control;        // (n)
    double *back, *forward; // (n) parts of control, if results ask for them
    double *force;          // (n) Q + C, or Q itself
    double gaussian;        // NAN where M is singular
    int rank;               // of the rows without weight
    // workspace
    solver *solver, *position, *velocity; // position and velocity may be the same as solver
    solver *free;                         // of M alone, if the Gaussian is asked for
    weighted *weighted;
    formulated *formulated;   // NULL: the default solver
    friction_state *friction; // NULL: there is none
    bool direct;              // the last acceleration came from the kernel alone: all rows are independent
    double *A_all, *b_all;    // of the pattern sys->all, where that is not A
    double *lambda;           // (m) multipliers of these rows
    bool *left_out;           // (m) of these
    double *A_soft, *b_soft, *w_soft;
    int *pivot;          // (n) of G
    double *G;           // (n x n) factored
    int quasi_sign;      // of the determinant of G, at the last solve_velocities
    double *scratch;     // (several n + m)
    double cut;          // below which a row counts as dependent
    stiff_metric *stiff; // what projections take for M, see solve_stiffness; NULL: M
    bool held;           // switches stay as they are in x; else each run of the dynamics sets them
    long evaluations;
    profile *profile; // NULL: time is not measured
    // why the last call failed
    int culprit; // row or coordinate, -1 if none
    int error;   // solve_status of the last call from outside
} trm_state;

/* NULL if the model has structural errors (in its diags), or is too large for what only full matrices can do:
 * quasi-velocities and weights. */
trm_system *system_new(arena *a, model *m, const mech *derived, evaluate_how how);
/* Adds STAGE_JACOBIAN, before any state is made; it takes as long to compile as all the rest. False if the
 * system has none: quasi-velocities, non-ideal forces, weights, a force without derivative. */
bool system_add_jacobian(trm_system *sys);
/* Adds STAGE_VIEW, before any state is made. */
void system_add_views(trm_system *sys);
/* Whether n x n matrices of this system are within reach. */
bool system_fits_full(const trm_system *sys);
trm_state *state_new(arena *a, const trm_system *sys);
/* From now on accelerations and forces come from one of the papers' formulations; what is decided about rank
 * stays with the default solver. */
void state_use(const trm_system *sys, trm_state *st, const formulation *by);

/* Codes of what can go wrong with numbers; 0 is fine. */
typedef enum {
    SOLVE_OK = 0,
    SOLVE_NOT_FINITE,     // culprit: a row (>= 0) or a coordinate (-2 - coordinate), or -1
    SOLVE_UNDETERMINED,   // [M; A] lacks full rank
    SOLVE_INDEFINITE,     // M has a negative direction
    SOLVE_SINGULAR_QUASI, // G cannot be inverted
    SOLVE_WEIGHT,         // a weight is negative; culprit: the row
    SOLVE_FORMULATION,    // the formulation in use cannot be applied: M is singular
    SOLVE_FRICTION_NONE,  // no reaction goes with the friction it causes; culprit: the friction
    SOLVE_FRICTION_MANY,  // several do
    SOLVE_FRICTION_MU,    // a coefficient is negative or not finite, or static is less than mu
    SOLVE_FRICTION_TURNS, // a slip velocity turns too far to be followed in one step
    SOLVE_FRICTION_MODES  // it can neither stick nor slip
} solve_status;

/* q'' at (t, q, v): fills state->qdd. */
solve_status solve_acceleration(const trm_system *sys, trm_state *st, double t, const double *q,
                                const double *v);
/* After solve_acceleration, with STAGE_JACOBIAN: dq''/dq (n x n) and dq''/dq' (n x n), both written with the
 * given distance between rows. False if a value is not finite. */
bool solve_jacobian(const trm_system *sys, trm_state *st, double *by_q, double *by_v, int stride);
/* The metric for projections in a step that solves y - gamma f(y) = given: M + g D + g^2 K, with the damping
 * D and stiffness K of the last solve_jacobian (symmetric parts) and g of the size of gamma; what it adds to
 * M goes to state->stiff. In M alone a correction within tolerance stretches stiff springs, and the
 * forces of that are not small. Zero where that metric is not definite. */
void solve_stiffness(const trm_system *sys, trm_state *st, double gamma);
/* After solve_acceleration: rank of the rows in force, how near they are to dependence (dense.h), which were
 * dropped, whether M is singular. */
int solve_rank(const trm_system *sys, const trm_state *st);
double solve_nearness(const trm_system *sys, const trm_state *st);
bool solve_dropped(const trm_system *sys, const trm_state *st, int hard);
/* The rows marked (hard rows) are left out of the next factorisations; NULL for none. They must stay. */
void solve_leave_out(const trm_system *sys, trm_state *st, const bool *hard);
bool solve_mass_singular(const trm_system *sys, trm_state *st);
/* With STAGE_DYNAMICS evaluated: only what these tell, with the rows marked (m) left out; false if it cannot
 * be told. */
bool solve_only_rank(const trm_system *sys, trm_state *st, const bool *left_out);
/* After solve_acceleration: the rows A (m x n, full; what has no entry must be 0) and b (m) as written, those
 * with weight replaced by their equivalents. */
void solve_written_rows(const trm_system *sys, const trm_state *st, double *A, const double **b);
/* Their entries, of the pattern sys->A, with those that are not in force 0. */
const double *solve_rows_in_force(arena *a, const trm_system *sys, const trm_state *st);
/* After solve_acceleration, which may have done without: factors for further right-hand sides; and b of the
 * rows that solvers see. */
void solve_only_factor(const trm_system *sys, trm_state *st);
const double *solve_right(const trm_state *st);
/* From multipliers of the rows that solvers see to those of all rows (m); rows with weight have none. */
void solve_hand_out(const trm_system *sys, const double *lambda, double *multiplier);
/* After solve_acceleration: multipliers of least norm, reactions, controls, Gaussian, rank. */
void solve_forces(const trm_system *sys, trm_state *st);
/* After solve_acceleration: the size of q'' and of what the forces at hand would give, so that rounding is
 * told from an acceleration at rest, too. */
double solve_usual_acceleration(const trm_system *sys, const trm_state *st);
/* After solve_acceleration: the row that depends on others and asks for another acceleration than they do,
 * with the relative difference; -1 if none differs by more than allowed (exact, for rows on accelerations).
 */
int solve_contradiction(const trm_system *sys, const trm_state *st, double allowed, double exact,
                        double *miss);
/* After solve_forces: what of the force of the controls (n) answers the forces at hand, and what follows from
 * the constraints alone; NAN where M, A or b depend on the state, so that there is no such division. */
void solve_control_parts(const trm_system *sys, trm_state *st, double *back, double *forward);
/* After solve_forces: what the forces of count rows from first on put into the system, and in *most what they
 * could at unit speed: the sum of |multiplier| |A_i|. */
double solve_power(const trm_system *sys, const trm_state *st, int first, int count, double *most);
/* After solve_forces: the results that outputs and expectations see, put into x. */
void solve_results(const trm_system *sys, trm_state *st);
/* After that: those that pictures show unasked, and STAGE_VIEW. */
void solve_views(const trm_system *sys, trm_state *st);

/* Velocities from quasi-velocities, v = G^-1 (s - g), and back; q and t are set in x by these calls. */
solve_status solve_velocities(const trm_system *sys, trm_state *st, double t, const double *q,
                              const double *s, double *v);
void solve_quasi(const trm_system *sys, trm_state *st, double t, const double *q, const double *v, double *s);
/* Changes of velocities from those of quasi-velocities, and back, at the position of the last
 * solve_velocities. */
void solve_velocity_change(const trm_system *sys, trm_state *st, const double *ds, double *dv);
void solve_quasi_change(const trm_system *sys, const trm_state *st, const double *dv, double *ds);
/* H (n x n) = G^-1 at the state in x. */
solve_status solve_quasi_inverse(const trm_system *sys, trm_state *st, double *H);
/* q'' and st->formulated->force by the formulation in use, after M, Q are evaluated and the default solver
 * has found the rank of the rows; C may be NULL. */
solve_status solve_formulated(const trm_system *sys, trm_state *st, const double *C);
/* s' = G q'' + rate, after solve_acceleration. */
void solve_quasi_rate(const trm_system *sys, trm_state *st, double *sdot);

/* One level's parts in a state: M, residuals and A of the last run of its stage, with their patterns. */
typedef struct {
    const system_level *level;
    sparsity M_pattern;
    double *M, *residual, *A;
    const double *step; // what the kernel found (direct.h), or NULL
    solver *solver;
} state_level;

state_level state_position(const trm_system *sys, const trm_state *st);
state_level state_velocity(const trm_system *sys, const trm_state *st);
void state_add_stiffness(const trm_system *sys, trm_state *st); // makes state->stiff

void state_set(const trm_system *sys, trm_state *st, double t, const double *q, const double *v);
void state_run(const trm_system *sys, trm_state *st, stage_kind which);
/* The angles that are kept become those at t and q in x; reset: they become 0. */
void state_keep_turns(const trm_system *sys, trm_state *st);
void state_reset_turns(const trm_system *sys, trm_state *st);
void state_set_switches(const trm_system *sys, trm_state *st); // as t, q and v in x ask for

#endif
