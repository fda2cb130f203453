/* Explicit Runge-Kutta methods: one engine, driven by a table.
 *
 *     k_i = f(t + c_i h, y + h sum_j a_ij k_j),   y1 = y + h sum_j b_j k_j,   k_s = f(t + h, y1)
 *
 * counted from 0, so that the s stages before the new state are k_0 .. k_(s-1), row s of a is b, k_s is the
 * first stage of the next step, and the rows after s are the extra stages of the dense output.
 *
 * Error estimate, with e and e' the method's two sets of weights (the second may be zero) and the RMS norm
 * of components divided by tol (floor + max(|y|, |y1|)):
 *
 *     |e.k| h |e.k| / sqrt(|e.k|^2 + 0.01 |e'.k|^2),   for a single estimate simply h |e.k|
 *
 * Dense output at t + x h, nested; F_0 .. F_2 are the cubic through both ends and slopes:
 *
 *     u = y + x (F_0 + (1-x) (F_1 + x (F_2 + (1-x) (F_3 + ...)))),   F_(3+m) = h sum_j d_mj k_j
 *     F_0 = y1 - y,   F_1 = h k_0 - F_0,   F_2 = F_0 - h k_s - F_1
 *
 * The terms beyond F_2 add x^2 (1-x)^2 r(x), which moves neither the ends nor the slopes there. That u is of
 * lower order than the step; so r becomes what takes away its defect at some places x_i of the step, as many
 * as r has coefficients: with u + x^2 (1-x)^2 r in place of u,
 *
 *     u'(x_i) = h f(t + x_i h, u(x_i)),   f taken at the u before
 *
 * and each time the order grows by one (Enright, Jackson, Norsett, Thomsen, ACM TOMS 12 (1986) 193). Once
 * is enough for the error of the step: largest error inside steps, in tolerances, on a double pendulum at
 * 1e-6, 1e-8, 1e-10, 1e-12,
 *
 *     rk8   18, 9.9, 5.1, 8.2 before,   2.5, 0.77, 0.40, 0.68 after,   1.9, 0.47, 0.20, 0.26 at the ends
 *     rk5   32, 12, 35, 27              4.9, 0.55, 0.76, 0.24          3.8, 0.44, 0.17, 0.12
 *
 * if rk8 leaves a defect of 2 tolerances as it is. It leaves one of 10: the errors are 2.2 at most then, and
 * the car axis takes 903 evaluations for its samples in place of 3171.
 *
 * Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, 2nd ed., II.4 to II.6 and II.10. */
#ifndef TRAMMEL_MOTION_RK_H
#define TRAMMEL_MOTION_RK_H

#include "motion/integrator.h"

enum { RK_STAGES = 16, RK_ERRORS = 2, RK_TERMS = 5 }; // what the largest method needs

typedef struct {
    int stages;       // s
    int extra;        // stages of the dense output after k_s
    int order;        // of y1; the error norm falls with this power of h, too
    int errors;       // sets of error weights; one that uses k_s has f evaluated there before the error test
    int terms;        // of the dense output, beyond F_2: rows of d, the last ones may be 0, and places
    double stability; // largest h |eigenvalue| on the negative real axis
    double safety;    // part of the step that the last error calls for
    double c[RK_STAGES];
    double a[RK_STAGES][RK_STAGES];
    double e[RK_ERRORS][RK_STAGES];
    double d[RK_TERMS][RK_STAGES];
    double place[RK_TERMS]; // x_i
    double small;           // defect at the last of these, in tolerances, that is left as it is
} rk_method;

extern const rk_method rk8_method, rk5_method;

integrator *rk_create(arena *a, const ode *system, double tolerance, const rk_method *method);

// the rest of the table of operations, the same for all methods
int rk_start(integrator *self, double t, const double *y, double end, double step);
int rk_step(integrator *self);
double rk_time(const integrator *self);
const double *rk_state(const integrator *self);
int rk_interpolate(integrator *self, double t, double *y);
int rk_curve(integrator *self, int *degree);
void rk_coefficients(const integrator *self, int i, double *c);
void rk_slope(const integrator *self, double t, double *dydt);
int rk_silent(integrator *self, double t, double *w);
integrator_statistics rk_statistics(const integrator *self);

/* One step of size h whatever the error, also beyond end: for measuring orders of convergence. Returns 0 or
 * what f or project returned, or INTEGRATOR_NOT_FINITE; then the state is as before. */
int rk_fixed_step(integrator *self, double h);

#endif
