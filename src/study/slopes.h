/* How the rates of a state change with the state: what a linear system is made of. In natural units
 * (system/natural.h): positions are q/scale, velocities v/(scale rate), time is t rate. */
#ifndef TRAMMEL_STUDY_SLOPES_H
#define TRAMMEL_STUDY_SLOPES_H

#include "solve/solve.h"

/* At (t, q, v), with the p rows held at the position level and the r rows held at the velocity level. Rows
 * have unit length. */
typedef struct {
    double *q, *v;           // (n)
    double *a;               // (n) q''
    double *a_by_q, *a_by_v; // (n x n)
    double *a_by_t;          // (n)
    double *phi_by_q;        // (p x n)
    double *phi_by_t;        // (p)
    double *psi_by_q;        // (r x n)
    double *psi_by_v;        // (r x n)
    double *psi_by_t;        // (r)
} slopes;

/* What all states have in common. */
typedef struct {
    const trm_system *sys;
    trm_state *st;
    const bool *left_out; // (m) that depend on others; NULL: all are used
    bool *dropped;        // (m) room for these, which solvers look at as long as they are left out
    bool timed;           // the equations depend on time: slopes with it are asked for
    bool still;           // at rest, time stands: rows ask for no acceleration (solve.h)
    double *work;
} slopes_of;

/* Exact from the expressions where the system has STAGE_JACOBIAN, else extrapolated central differences. */
void slopes_init(slopes_of *c, arena *a, const trm_system *sys, trm_state *st, bool still);
/* After an acceleration: the rows that depend on others there stay out beside it, where rounding would call
 * them independent. */
void slopes_leave_out(slopes_of *c);
slopes *slopes_new(arena *a, const trm_system *sys);
/* At q and v of the model, with the switches as they are in the state. False where there are none. */
bool slopes_at(const slopes_of *c, double t, const double *q, const double *v, slopes *s);

/* After slopes_at there: what accelerations are compared with, the largest sum of their terms; and of that,
 * what the forces would give without constraints. */
double slopes_push(const slopes_of *c);
double slopes_usual(const slopes_of *c, const slopes *s);

/* The slope at h = 0 of count values f(h), by central differences from steps of h on; work as many doubles as
 * slopes_difference_work says. False where f, which may fail, does so too often. */
typedef bool slopes_along(void *context, double h, double *out);
bool slopes_difference(slopes_along *f, void *context, double h, int count, double *work, double *slope);
size_t slopes_difference_work(int count);

/* Whether masses, forces or constraints depend on time. */
bool slopes_timed(const model *m);

#endif
