/* What the files of a run share: run.c has the loop, equation.c the differential equation, singular.c
 * positions where rows become dependent, ending.c why a run ends, samples.c what is recorded. */
#ifndef TRAMMEL_MOTION_RUNNING_H
#define TRAMMEL_MOTION_RUNNING_H

#include "motion/project.h"
#include "motion/run.h"

enum { RUN_INTERRUPTED = -2000 }; // what the equation returns when the caller's flag is set

typedef struct {
    arena *arena;
    const trm_system *sys;
    trm_state *st;
    const run_options *options;
    run_report *report;
    double *v, *work_q, *work_v; // (n)
    bool *dropped;               // (m) at the last step
    double *last_A;              // (m x n) at the last step, of rows that may vanish
    bool started;
    int rank;                      // at the last step
    double usual;                  // nearness to dependence at the last step
    double nearest;                // least of the stages since then
    int quasi_sign;                // at the last step
    bool settled;                  // the state has just been projected
    projection position, velocity; // of the last projection
    projection refused;            // the last that failed since the last step; row -1 if none
    bool refused_position;
    solve_status status; // of the last evaluation that failed
    double status_time;
} running;

// ---- equation.c: what the integrators call; the context is the running
int run_evaluate(void *context, double t, const double *y, double *dydt);
int run_jacobian(void *context, double t, const double *y, double *J);
void run_implicit(void *context, double gamma);
int run_project(void *context, double t, double *y);
/* q and v projected; false if they cannot be held, with r->refused saying why. */
bool run_project_state(running *r, double t, double *q, double *v);
/* How near the rows without weight are to dependence in the last evaluation; 0 if the rank is lower than at
 * the last step. */
double run_nearness(const running *r);

// ---- singular.c
double run_singular(void *context, double t, const double *y, const double *dydt, double span);
int run_tangent(void *context, double t, const double *y, double *e);

// ---- ending.c
void run_fail_projection(running *r, double t);
void run_fail_solve(running *r, double t);
void run_end_at(running *r, int code, double t); // what an integrator that did not go on came to
bool run_check_dropped(running *r, double t);    // false if a dropped row contradicts the others

// ---- samples.c
bool run_sample_state(running *r, double t, const double *y, bool last);

#endif
