/* Velocities of a system, and how q' follows from them: q' = H s + h, s = G q' + g.
 *
 * Integrators see a state (q, s). Of a model with quasi-velocities, s are these. Of others they are q', but
 * w = 2 p* p' for four coordinates p whose norm is held, such as a unit quaternion: of a body, w is its
 * angular velocity, which is smooth where p' turns with it (a free body that turns over every few seconds for
 * 100 s ends with an error of 4e-9 instead of 3e-4, at a tolerance of 1e-10). Products and the conjugate p*
 * are those of quaternions:
 *
 *   |p|^2 p' = p w / 2,   w' = 2 p* p'' + 2 p'* p',   |p|^2 p'' = p (w' - 2 p'* p') / 2
 *
 * Of a unit quaternion the first of w is 0: there are three rates for four coordinates.
 *
 * Velocities v among the inputs of the stages are q', and s are own to the integrator; but of a tree form
 * (mech/tree/tree.h) they are s themselves: v = s, and q' = H v. */
#ifndef TRAMMEL_SYSTEM_RATES_H
#define TRAMMEL_SYSTEM_RATES_H

#include "linear/triangular.h"
#include "system/state.h"

struct system_rates {
    int quaternion_count;
    int *quaternions;        // first of four coordinates
    const triangular *by;    // of G
    int s_at, g_at, rate_at; // in the y of STAGE_QUASI, G being first
};

/* Once patterns and layout are known. NULL: too much of G hangs together. */
const system_rates *rates_new(arena *a, const trm_system *sys);

bool rates_differ(const trm_system *sys); // q' is not v
bool rates_own(const trm_system *sys);    // s is not v

// ---- between s and v; where they are the same, numbers are copied

/* v of s, which may be the same place. Puts t and q into x. Returns -1, or a column of G that has no pivot:
 * the quasi-velocities do not determine the velocities. */
int rates_velocities(const trm_system *sys, trm_state *st, double t, const double *q, const double *s,
                     double *v);
void rates_set(const trm_system *sys, trm_state *st, double t, const double *q, const double *v, double *s);
/* Puts t and q into x, with what rates_change and rates_signs need there; returns as rates_velocities. */
int rates_factor(const trm_system *sys, trm_state *st, double t, const double *q);
/* Small changes of v from those of s, and back, at the position q of the last rates_factor. */
void rates_change(const trm_system *sys, trm_state *st, const double *q, const double *ds, double *dv);
void rates_own_change(const trm_system *sys, const trm_state *st, const double *q, const double *dv,
                      double *ds);
/* H' of a force, of quasi-velocities: its components along these; out may be force. */
void rates_force(const trm_system *sys, const trm_state *st, const double *force, double *out);
/* s' of v', with q and v in x. */
void rates_slope(const trm_system *sys, trm_state *st, const double *dv, double *ds);
/* From the floors of v (n; motion/integrator.h) to those of s, at t and q in x. */
void rates_floors(const trm_system *sys, trm_state *st, double *floor);
/* Signs of G, one for each part that can be singular for itself (rates_sign_count of them), at the last
 * rates_factor: where one has turned, v was not determined on the way. */
int rates_sign_count(const trm_system *sys);
const signed char *rates_signs(const trm_state *st);

// ---- between v and q'

/* q' of velocities v, or a change of q of what v is in a short time; out may be v. */
void rates_of_positions(const trm_system *sys, const double *q, const double *v, double *out);
void rates_from_positions(const trm_system *sys, const double *q, const double *rate, double *v); // back
/* q'' of s and s'; not of quasi-velocities. out may be ds. */
void rates_curve(const trm_system *sys, const double *q, const double *s, const double *ds, double *out);
/* Takes away what errors leave of |p| - 1 of unit quaternions and of what changes it: no turn is in that, and
 * joints do not feel it. */
void rates_normalise(const trm_system *sys, double *q, double *v);

// ---- for implicit methods

/* From X (n x 2n), dv'/dq and dv'/dv at the state in x with its v', to J (2n x 2n), the derivatives of q' and
 * s' by q and s. The quasi-velocities' own slopes are those of the last STAGE_JACOBIAN. Not of a tree form.
 */
void rates_jacobian(const trm_system *sys, trm_state *st, const double *X, double *J);

// ---- quasi-velocities at the state in x

void rates_evaluate(const trm_system *sys, trm_state *st);            // STAGE_QUASI, whose parts are:
const double *rates_G(const trm_state *st);                           // entries of sys->G
const double *rates_s(const trm_system *sys, const trm_state *st);    // (n)
const double *rates_rest(const trm_system *sys, const trm_state *st); // (n) s' - G q''
/* H (n x n) = G^-1; returns as rates_velocities. */
int rates_inverse(const trm_system *sys, trm_state *st, double *H);
/* Quasi-velocities (returned: how many, ascending) that hang together with those that determine the
 * velocities least. */
int rates_worst(arena *a, const trm_system *sys, trm_state *st, int **which);

#endif
