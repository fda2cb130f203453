/* What is in a state: for the rooms system and solve, and tests. */
#ifndef TRAMMEL_SYSTEM_STATE_INSIDE_H
#define TRAMMEL_SYSTEM_STATE_INSIDE_H

#include "linear/fit.h"
#include "linear/triangular.h"
#include "linear/weighted.h"
#include "system/state.h"

/* M + stiffness, full or with slopes_metric for its pattern, and solvers for that. */
typedef struct {
    sparsity pattern;
    double *stiffness, *M; // entries of the pattern
    int *of_mass, *of_slope,
        *across;   // places of the entries of M, of slopes and of these transposed; -1: none
    solver *alone; // without rows, to tell whether it is definite; NULL: full
    solver *position, *velocity;
} stiff_metric;

/* The rows that solvers see, of the last evaluation: those of sys->all, with the rows that are not in force
 * zero. */
typedef struct {
    const double *A;       // entries of sys->all
    const double *b;       // (all.rows)
    double *own_A, *own_b; // where these are not A and b as evaluated; else NULL
    // rows with weight, and what makes exact ones of them
    weighted *weighted;               // NULL: there are none, or they are fitted
    fit *fit;                         // NULL: there are none, or they have equivalents
    bool fitted;                      // some depend on others
    double *soft_A, *soft_b, *soft_w; // (soft_count x n), (soft_count)
    double *soft_share;               // (soft_count) workspace
    double *soft_L; // (soft_count x WEIGHTS_SHARED) below the diagonal of L, column by column; NULL: L = I
    int indefinite; // a row of which W is not positive semi-definite; -1: none
} rows_in_force;

struct trm_state {
    arena *arena;
    double *x;         // inputs of all stages
    double *y[STAGES]; // those of STAGE_POSITION and STAGE_VELOCITY are one: the last that was run
    double *work[STAGES];
    double *M, *Q, *A, *b, *w, *shared; // in y[STAGE_DYNAMICS]
    double *C;                          // in y[STAGE_NONIDEAL]
    double *done;                       // (works) what a run says of them
    double *over;                       // (results over the run of the model) the same
    bool *idle;                         // (m) rows that are not in force
    state_found found;
    // what that points at
    double *qdd, *multiplier, *reaction, *control, *force;
    bool still;                            // rows that are held ask for no acceleration
    const double *added_force, *added_ask; // (n) to Q, (m) to b; or NULL
    double *back, *forward;                // (n) parts of control, if results ask for them
    bool direct; // the last acceleration did without the solver: all rows are independent
    bool moved;  // it was by STAGE_MOTION, and more of it than its rates was not asked for
    bool plain;  // accelerations are those of the system as it is, with nothing added or left out
    struct motion_places *motion; // NULL: solve_motion cannot be had
    // solvers and their workspace
    solver *solver, *position, *velocity; // position and velocity may be the same as solver
    solver *free;                         // of M alone, if the Gaussian is asked for
    double cut;                           // below which a row counts as dependent
    rows_in_force rows;
    double *lambda;                  // (all.rows) multipliers of these
    bool *left_out;                  // (all.rows) of these
    stiff_metric *stiff;             // what projections take for M, see solve_stiffness; NULL: M
    struct trm_state *bodies;        // of a tree form that asks for reactions: the bodies' form; else NULL
    struct trm_state *shown;         // of a tree form, for calls from outside: the bodies' form; else NULL
    struct formulated *formulated;   // NULL: the default solver
    struct friction_state *friction; // NULL: there is none
    double *quasi_reaction;          // (n) S^c, if results ask for it
    triangular_factors quasi;        // of G, at the last rates_factor
    double *scratch;                 // (several n + m)
    struct many *many;               // for many states at once; NULL: there are none
    struct supply *supply;           // what functions of the host gave; NULL: there are none
    team *team;                      // NULL: one thread
    profile *profile;
    int error;
    bool known;
};

#endif
