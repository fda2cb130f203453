/* What the files of this room share. */
#ifndef TRAMMEL_SOLVE_SOLVE_INSIDE_H
#define TRAMMEL_SOLVE_SOLVE_INSIDE_H

#include "linear/linalg.h"
#include "solve/solve.h"
#include "system/direct.h"
#include "system/state_inside.h"

// ---- rows.c
/* The rows that solvers see become those of M, Q, A, b as evaluated. */
void rows_refresh(const trm_system *sys, trm_state *st);
/* After they are factored, where sys->fits: of rows with weight that depend on others, b becomes what they
 * are at the accelerations that fit best. False if these cannot be told. */
bool rows_fit(const trm_system *sys, trm_state *st);
/* Multipliers of the rows that solvers see, after an acceleration, become those of least norm of the same
 * force, of which rows with weight that were fitted have their share. */
void rows_share(const trm_state *st, double *lambda);
/* From multipliers of the rows that solvers see to those of all rows (m); rows with weight have none. */
void rows_hand_out(const trm_system *sys, const double *lambda, double *multiplier);
/* The force of the controls (n), by both: those with weight have theirs, too. */
void rows_of_controls(const trm_system *sys, const trm_state *st, const double *lambda,
                      const double *multiplier, double *force);

// ---- acceleration.c
/* M, Q, A, b, w. */
void solve_evaluate(const trm_system *sys, trm_state *st, const moment *at);
/* After an acceleration, which may have done without: factors for further right-hand sides. */
void solve_only_factor(const trm_system *sys, trm_state *st);
bool solve_inputs_finite(const trm_system *sys, const trm_state *st);
void solve_note_plain(trm_state *st); // once what st->plain tells has changed

// ---- jacobian.c
/* Runs STAGE_JACOBIAN after an acceleration, whose factors are there after it. False if a slope is not
 * finite; it counts as 0. */
bool solve_slopes(const trm_system *sys, trm_state *st);

// ---- residual.c
/* Whether x (n) and multipliers (rows in force), as the kernel found them, leave no more than rounding. */
bool solve_leaves_little(const trm_system *sys, trm_state *st, const double *x);

// ---- the kernel's own solution, x (n) and multipliers (rows in force)
/* Not refined, where no rows are added to M. The coordinates of a tree are well chosen, and where it needs no
 * matrices it has none. */
static inline bool direct_needs_clear(const trm_system *sys) {
    return !sys->direct_added && !sys->full;
}

static inline bool direct_is_accurate(const trm_system *sys, trm_state *st, const double *x,
                                      const double *checks) {
    return direct_clear(checks) || !direct_needs_clear(sys) || solve_leaves_little(sys, st, x);
}

/* Whether a finite solution of the kernel tells that M, Q, A, b are: all of Q, A and b stands in it, and
 * where one is not finite neither is the solution; an infinite mass would stand still, but those of a tree
 * form are finite, and rows that repeat others take no part. */
static inline bool direct_tells_of_inputs(const trm_system *sys) {
    return sys->full || (sys->mech->constant_mass && !sys->sharing);
}

static inline void direct_take(const trm_system *sys, trm_state *st, const double *x) {
    linalg_copy(st->qdd, x, sys->n);
    linalg_copy(st->lambda, x + sys->n, sys->all.rows);
}

// ---- motion.c
void motion_add(const trm_system *sys, trm_state *st); // if there is solve_motion
/* After solve_motion by STAGE_MOTION: multipliers, A and checks to where they are after other evaluations. */
void motion_keep(const trm_system *sys, trm_state *st);

// ---- results.c
/* Those that are energies, of the state in x. */
void solve_energies(const trm_system *sys, trm_state *st);

// ---- bodies.c
/* For a tree form that asks for reactions: those of the bodies' form at the state in x. */
void bodies_add(const trm_system *sys, trm_state *st);
outcome bodies_solve(const trm_system *sys, trm_state *st);
/* The energies of the state in x. */
void bodies_energies(const trm_system *sys, trm_state *st);
/* After one of these: the numbers that forces are built on. */
void bodies_results(const trm_system *sys, trm_state *st);

// ---- formulated.c: q'' and the constraint force by one of the papers' formulations
typedef struct formulated {
    const formulation *by;
    papers *papers;
    paper_choice choice;
    double *M_full, *A_full, *b_full; // (n x n), (m x n), (m): what is given
    double *force;                    // (n) Q^c of the last solve, its non-ideal part included
    double *none;                     // (n) zero: C where there is none
    double *own_Q, *own_C;            // (n) in the units of the coordinates
    // in quasi-velocities: G^-1, M H, M_s, S, C_s, A_s, b_s, s'; else NULL
    double *H, *half, *M, *Q, *C, *A, *b, *rate;
} formulated;

/* After M, Q are evaluated and the default solver has found the rank of the rows; C may be NULL. */
outcome solve_formulated(const trm_system *sys, trm_state *st, const double *C);

// ---- forces.c
double solve_nonideal_power(const trm_system *sys, const trm_state *st); // q'C, after an acceleration

#endif
