// clang-format off
/* Coulomb friction. With S the rows of the slip velocity s of a friction and B those of the constraint it acts on:
 *
 *   slipping   the force S' f,  f = -mu N s/|s|,  N = |B' lambda_B|: N with the friction that it causes
 *   sticking   S q'' = b, the rows in force with the others; |f| <= static N, f their multipliers
 *
 * lambda is affine in the N of all that slips, so that they solve the small equations of normal.h. */
// clang-format on
#ifndef TRAMMEL_SOLVE_FRICTION_H
#define TRAMMEL_SOLVE_FRICTION_H

#include "solve/solve.h"

/* What a trajectory keeps of its frictions between evaluations: what sticks, and directions of what slips. */
typedef struct friction_state friction_state;

void friction_add(const trm_system *sys, trm_state *st); // nothing sticks
/* What sticks and slips in `to` as in `from`. */
void friction_copy(const trm_system *sys, const trm_state *from, trm_state *to);
void friction_release_all(const trm_system *sys, trm_state *st); // nothing sticks any more
bool friction_sticks(const trm_state *st, int f);
/* Which ones (frictions). */
void friction_get(const trm_system *sys, const trm_state *st, bool *sticks);

// ---- within an acceleration; without friction these do nothing

/* With factors and, in C or NULL, another non-ideal force at hand: the sum of that and friction. */
outcome friction_force(const trm_system *sys, trm_state *st, const double *C, const double **sum);
void friction_forget(const trm_system *sys, trm_state *st); // forces of what slips, before these are known
/* After multipliers are known: f becomes that of the rows of what slips; N of all. */
void friction_report(const trm_system *sys, trm_state *st);

// ---- after an acceleration

/* After solve_forces: static N - |f| of a friction that sticks, with an allowance for rounding. */
double friction_margin(const trm_system *sys, const trm_state *st, int f);
/* After STAGE_FRICTION, of one that slips: below 0 its slip has come to its end. What has just begun to slip
 * may be off by what counts as none; of several components, that much need not be left. */
double friction_slip_margin(const trm_system *sys, const trm_state *st, int f);
/* The friction whose reaction grows beyond bounds at the last evaluation, or -1: what it adds to itself is
 * about as large as it is. */
int friction_jam(const trm_state *st);

// ---- sticking.c: which frictions stick

/* What has no slip there sticks for now, the others slip. */
void friction_look(const trm_system *sys, trm_state *st, const moment *at, double tolerance);
/* After friction_look, with the velocities projected: decides which of those really stick, so that forces and
 * accelerations agree with it. `breaking` is known to slip, -1: none is. On return the acceleration and the
 * forces are those at hand. */
outcome friction_settle(const trm_system *sys, trm_state *st, const moment *at, int breaking);
/* Both, for a single look at a state. */
outcome friction_start(const trm_system *sys, trm_state *st, const moment *at, double tolerance);
/* At the end of a step: directions for the next one. */
void friction_keep(const trm_system *sys, trm_state *st, const moment *at);

#endif
