/* Dormand and Prince 5(4): 7 stages of which the last is the first of the next step, order 5, dense output of
 * order 4 without further stages.
 *
 * Coefficients: Dormand, Prince, J. Comput. Appl. Math. 6 (1980) 19-26; dense output: Shampine, Math. Comp.
 * 46 (1986) 135-150, in the form of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd
 * ed. 1993, II.6; of order 5 with the defect taken away. The test proves the conditions of all orders.
 *
 * Evaluations of f: 6 for a step, accepted or rejected; with projection 7 for an accepted one; 2 for dense
 * output. */
#include "motion/rk.h"

const rk_method rk5_method = {
    .stages = 6,
    .extra = 0,
    .order = 5,
    .errors = 1,
    .terms = 2,
    .stability = 3.3,
    .safety = 0.9,
    .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    .a = {[1] = {1.0 / 5},
          [2] = {3.0 / 40, 9.0 / 40},
          [3] = {44.0 / 45, -56.0 / 15, 32.0 / 9},
          [4] = {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
          [5] = {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
          [6] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
    .e = {{71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}},
    .d = {{-12715105075.0 / 11282082432.0, 0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
           701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0}},
    .place = {0.21, 0.79},
};

static integrator *create(arena *a, const ode *system, double tolerance) {
    return rk_create(a, system, tolerance, &rk5_method);
}

const integrator_ops integrator_rk5 = {
    .name = "rk5",
    .about = "Dormand and Prince, order 5",
    .order = 5,
    .create = create,
    .start = rk_start,
    .step = rk_step,
    .time = rk_time,
    .state = rk_state,
    .interpolate = rk_interpolate,
    .curve = rk_curve,
    .coefficients = rk_coefficients,
    .slope = rk_slope,
    .silent = rk_silent,
    .statistics = rk_statistics,
};
