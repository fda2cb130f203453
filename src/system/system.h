/* The compiled system: sizes, rows, stages. It is constant once made and may be shared by threads. */
#ifndef TRAMMEL_SYSTEM_SYSTEM_H
#define TRAMMEL_SYSTEM_SYSTEM_H

#include "code/stage.h"
#include "linear/solver.h"
#include "mech/mech.h"
#include "system/share.h"

typedef enum {
    STAGE_DYNAMICS, // y: M, Q (n), A, b (m), w (m), power (works); M and A have their entries only
    STAGE_POSITION, // y: M, phi, A of the rows held at the position level
    STAGE_VELOCITY, // y: M, rate, A of the rows held at the velocity level
    STAGE_RESIDUAL, // y: e1 - e2 (m), its time derivative for holonomic rows (m)
    STAGE_ENERGY,   // y: T, T2 - T0, V
    STAGE_NONIDEAL, // y: C (n), what is built on reactions of Q (n) and of the power (works)
    STAGE_QUASI,    // y: G, s (n), g (n), s' - G q'' (n); G has its entries only
    STAGE_OUTPUT,   // y: outputs, conditions of expectations, their margins (one each per instance)
    STAGE_START,    // y: values of start(...)
    STAGE_TURN,     // y: angles that a run keeps from step to step
    STAGE_SWITCH,   // y: values of the switches
    STAGE_STOP,     // y: conditions of stops, their margins, the rests of equalities
    STAGE_OVER,     // y: what results over the run are of, margins and rests of conditions
    STAGE_FRICTION, // y: mu, static of each friction, slip velocities of their rows
    STAGE_JACOBIAN, // y: for each of q, q' a column d(M q'' - Q - A' multiplier) (n), d(A q'' - b) (m);
                    // optional
    STAGE_VIEW,     // y: what pictures show; optional
    /* y: phi (rate) of the rows held at that level, and natural_allowance of each: what projections look at
     * where they have nothing to solve for. Of fused systems only. */
    STAGE_POSITION_LOOK,
    STAGE_VELOCITY_LOOK,
    /* From s in the place of v: q' (n), s' (n), multipliers (all.rows), A, power (works), DIRECT_CHECKS,
     * squares of rows (all.rows, or none if it moves freely) and whether H was near to singular (see
     * motion.c). Of some fused systems with velocities other than q'. */
    STAGE_MOTION,
    STAGES
} stage_kind;

/* AUTO by what it costs; SHOWN the same, of a system of which only samples are evaluated; EMITTED all fused,
 * and solved in the kernel wherever that can be: what becomes a program of its own, EMITTED_SINGLE
 * one in single precision. */
typedef enum {
    EVALUATE_AUTO,
    EVALUATE_SHOWN,
    EVALUATE_FUSED,
    EVALUATE_ASSEMBLED,
    EVALUATE_EMITTED,
    EVALUATE_EMITTED_SINGLE
} evaluate_how;

typedef struct {
    row_level level;
    bool damped, weighted, control;
    int position, velocity; // number among the rows held at that level, or -1
    int solved;             // number among the rows that solvers see; -1: it repeats another, or has weight
    int friction, slip;     // whose slip velocity it is, its number among these; -1
} system_row;

/* What does work: changes h = T2 - T0 + V, that is. */
typedef enum {
    WORK_SHAPE,    // of: the kind of shape; potential, kinetic and mass do work where time stands in them
    WORK_FORCE,    // of: the coordinate
    WORK_TORQUE,   // of: the first of four coordinates, a unit quaternion
    WORK_ACTUATOR, // of: its number in the model
    WORK_ROW,      // of: the row
    WORK_WEIGHTED  // all rows with weight: their force is one
} work_kind;

typedef struct {
    work_kind kind;
    int of;
} system_work;

/* The rows held at one level, and where their parts are in the y of its stage. */
typedef struct {
    int m;
    int *rows; // (m) their numbers
    sparsity A;
    int residual_at, A_at, step_at;
    bool direct; // its stage solves, too, see direct.h
} system_level;

typedef struct system_layout system_layout; // quantities.h
typedef struct system_watch system_watch;   // watch.h
typedef struct natural natural;             // natural.h
typedef struct system_rates system_rates;   // rates.h
typedef struct system_seen system_seen;     // seen.h

typedef struct trm_system {
    arena *arena;
    const model *model;
    const mech *mech;
    const struct trm_system *full;        // of a tree form: the same system in the coordinates of its bodies
    const struct trm_system *starting[2]; // by which positions and velocities are assembled; NULL: by itself
    const double *start_q, *start_v; // (n) where it starts, if not where the model says: near there; NULL
    const double *start_turns;       // (turns) of angles there; NULL: as the model says
    int n, m;                        // coordinates, rows
    double span, every;              // of the run, and of its samples; 0: not known, as the model says
    double rank;                     // stated: below which remainder rows count as dependent; 0: not stated
    bool quasi;                      // the state is (q, s)
    bool nonideal, controls;
    bool on_forces;       // a part of Q is built on reactions
    bool control_parts;   // results ask for them
    bool shows_work;      // the same
    bool stops_over;      // a stop asks for a result over the run
    bool quasi_reactions; // the same
    evaluate_how how;     // as it was asked for
    bool fused;           // STAGE_DYNAMICS is one kernel; of the others each may be (cost.h)
    bool direct;          // it solves, too, see direct.h
    bool
        *direct_added; // (m) rows that are added to a singular M there; NULL: M was definite when it was made
    bool moves;        // there is STAGE_MOTION
    bool moves_freely; // and no rows but those that hold norms, which never depend on each other
    int friction_count, slip_count; // frictions, components of their slip velocities
    int soft_count;                 // rows with weight
    bool shares_weights;            // of which some share theirs
    bool fits;                      // and they are dealt with sparse, see fit.h
    system_row *rows;               // (m)
    int *soft_rows;                 // (soft_count) their numbers
    system_level position, velocity;
    sparsity M, A;
    sparsity G, G_slots; // of quasi-velocities, with all coordinates that stand in each; or without rows
    const system_rates *rates; // what the velocities are
    /* The rows that solvers see. Of rows that repeat each other it is the first, times row_scale so that it
     * stands for all in multipliers of least norm; rows with weight come last, as their equivalents, or as
     * they are with other right-hand sides (fits). Without either these are the rows of A. */
    sparsity all;
    int *solved_rows;                                           // (all.rows) their numbers; -1: with weight
    double *row_scale;                                          // (all.rows)
    sharing *sharing;                                           // NULL: no row repeats another
    int Q_at, A_at, b_at, w_at, shared_at, power_at, direct_at; // in the y of STAGE_DYNAMICS, M being first
    int Q_on_forces_at, power_on_forces_at;                     // in the y of STAGE_NONIDEAL, C being first
    int work_count;                                             // 0 where jacobi is conserved
    system_work *works;                                         // (work_count)
    int *force_work;             // (n) number among the works of the forces on it
    int *actuator_work;          // (actuators of the model) the same of these
    int shape_work[SHAPE_KINDS]; // the same of WORK_SHAPE
    solver_kind solver;          // which one is asked for
    // places in x
    int x_q, x_v, x_a, x_param, x_result, x_multiplier, x_mode, x_turn, x_number, x_size;
    int *number_base;               // per shape: where its constants start in x
    int expect_count;               // instances of expectations
    int *expect_base;               // per shape: number of its first instance
    int *expect_of;                 // (expect_count) which expectation
    bool *has_margin;               // (expect_count)
    int switch_count;               // of all instances
    int *switch_base;               // per shape: number of its first
    bool *row_switch;               // (switch_count) it is in a constraint; NULL: none is
    mech_shape *slopes;             // per shape, for STAGE_JACOBIAN; NULL: there is none
    sparsity slope_pattern;         // of that, see slopes.h
    bool sparse_slopes;             // implicit methods do without full matrices
    bool near_slopes;               // and these are not all that changes with q and v
    bool views;                     // there is STAGE_VIEW
    system_layout *layout;          // of the stages' y
    const system_watch *watch;      // what may happen inside a step; NULL: nothing
    const system_watch *over_watch; // the same in what results over the run are of
    const natural *natural;         // scales of coordinates and time
    system_seen *seen;              // by which numbers it was decided; NULL: these do not change
    stage stages[STAGES];
} trm_system;

static inline bool system_is_emitted(const trm_system *sys) {
    return sys->how == EVALUATE_EMITTED || sys->how == EVALUATE_EMITTED_SINGLE;
}

/* span: of the run, which tells how large coordinates become where nothing else does; every: between its
 * samples; 0: what the model says. NULL if the model has structural errors (in its diags), or is too large
 * for what only full matrices can do: weights, and quasi-velocities that hang together. */
trm_system *system_new(arena *a, model *m, const mech *derived, evaluate_how how, double span, double every);
/* The same in joint coordinates (mech/tree/tree.h): its velocities are the rates s, its outputs q and q'. */
trm_system *system_new_tree(arena *a, const struct mech_tree *tree, const trm_system *full, evaluate_how how);
/* Adds STAGE_JACOBIAN, before any state is made; it takes as long to compile as all the rest. False if the
 * system has none: a tree form, non-ideal forces, weights, a force without derivative. */
bool system_add_jacobian(trm_system *sys);
/* The same for implicit methods, which do with some of the slopes where a system is large: without those of
 * non-ideal forces, friction and weights, and of forces with reactions or energies at constant ones. */
bool system_add_slopes(trm_system *sys);
/* Adds STAGE_VIEW, before any state is made. */
void system_add_views(trm_system *sys);
/* Parameters and constants of the instances, among the inputs x. */
void system_constants(const trm_system *sys, double *x);
/* The number among the works of what a shape of this kind puts in, of this coordinate or actuator; -1: it
 * puts nothing in. */
int system_work_of(const trm_system *sys, shape_kind kind, int of);
/* Whether n x n matrices of this system are within reach. */
bool system_fits_full(const trm_system *sys);
/* How many coordinates would be, with as many rows for each as this one has. */
int system_full_most(const trm_system *sys);

#endif
