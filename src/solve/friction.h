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

#include "solve/normal.h"

struct trm_system;
struct trm_state;

/* In arrays of slips, those of friction f are slip_count(f) components from slip_first(f) on. */
typedef struct {
    bool *sticks;  // (frictions)
    bool *at_rest; // (frictions) no slip, up to rounding and tolerance, when it was last decided what sticks
    double *rest;  // (frictions) slip velocities up to this count as none
    double *direction; // (slips) of unit length: of what slips, at the beginning of a step
    bool *begins;      // (frictions) it began to slip a moment ago
    double *normal;    // (frictions) N of the last solve_forces
    double *force;     // (slips) f of what slips, 0 of what sticks
    int worst;         // of what slips, the one that acts most on itself
    // workspace
    normal_problem problem;
    int *slipping;                              // (frictions) those that do
    double *along;                              // (slips) directions at the state at hand
    double *C, *response, *x;                   // (n)
    double *lambda, *multiplier, *none, *right; // (m)
} friction_state;

friction_state *friction_new(arena *a, const struct trm_system *sys); // nothing sticks
void friction_copy(const struct trm_system *sys, const friction_state *from, friction_state *to);

/* Whether a row is one of slip velocity that is not in force. */
bool friction_idle(const struct trm_system *sys, const struct trm_state *st, int row);
/* Slip velocity (components) of friction f after STAGE_FRICTION. */
const double *friction_slip(const struct trm_system *sys, const struct trm_state *st, int f);
int friction_slip_count(const struct trm_system *sys, int f);

/* For accelerate.c, with factors and, in C or NULL, another non-ideal force at hand: the sum of that and
 * friction. A solve_status. */
int friction_force(const struct trm_system *sys, struct trm_state *st, const double *C, const double **sum);
/* After multipliers are known: f becomes that of the rows of what slips; N of all. */
void friction_report(const struct trm_system *sys, struct trm_state *st);
/* After solve_forces: static N - |f| of a friction that sticks, with an allowance for rounding. */
double friction_margin(const struct trm_system *sys, const struct trm_state *st, int f);

/* The friction whose reaction grows beyond bounds at the last evaluation, or -1: what it adds to itself is
 * about as large as it is. */
int friction_jam(const struct trm_system *sys, const struct trm_state *st);

// ---- sticking.c: which frictions stick
/* What has no slip at (t, q, v) sticks for now, the others slip. */
void friction_look(const struct trm_system *sys, struct trm_state *st, double t, const double *q,
                   const double *v, double tolerance);
/* After friction_look, with the velocities projected: decides which of those really stick, so that forces and
 * accelerations agree with it. `breaking` is known to slip, -1: none is. On return the acceleration and the
 * forces are those at hand. A solve_status. */
int friction_settle(const struct trm_system *sys, struct trm_state *st, double t, const double *q,
                    const double *v, int breaking);
/* Both, for a single look at a state. */
int friction_start(const struct trm_system *sys, struct trm_state *st, double t, const double *q,
                   const double *v, double tolerance);
/* At the end of a step, at (t, q, v): directions for the next one. */
void friction_keep(const struct trm_system *sys, struct trm_state *st, double t, const double *q,
                   const double *v);

#endif
