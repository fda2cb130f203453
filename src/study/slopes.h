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
    bool timed;           // the equations depend on time: slopes with it are asked for
    double *work;
} slopes_of;

/* Exact from the expressions where the system has STAGE_JACOBIAN, else extrapolated central differences. */
void slopes_init(slopes_of *c, arena *a, const trm_system *sys, trm_state *st);
slopes *slopes_new(arena *a, const trm_system *sys);
/* At q and v of the model, with the switches as they are in the state. False where there are none. */
bool slopes_at(const slopes_of *c, double t, const double *q, const double *v, slopes *s);

/* Whether masses, forces or constraints depend on time. */
bool slopes_timed(const model *m);

#endif
