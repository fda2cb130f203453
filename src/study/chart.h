/* Independent coordinates about a state: tangents dz = (dq, dv) of the constraints,
 *
 *     Dphi dq = 0,   psi_q dq + psi_v dv = 0,
 *
 * are N u, u the deviations of some positions and velocities, dz = N u being the identity there. Where the
 * right sides of some rows are moved, as those of drives, by w and at the rate w', u has these behind the
 * others. */
#ifndef TRAMMEL_STUDY_CHART_H
#define TRAMMEL_STUDY_CHART_H

#include "study/slopes.h"
#include "study/tangent.h"

typedef struct {
    int n;
    int driven;     // rows that are moved
    tangent *q, *v; // q: offset (n x driven); v: offset (n x (positions + 2 driven)), positions first
    int lost;       // of the rows that are moved, one that depends on others; -1: none does
} chart;

/* s: slopes at the state; which rows depend on others is decided by the cut of st. */
chart chart_choose(arena *a, const trm_system *sys, const trm_state *st, const slopes *s);
/* The same with rows (driven) that are moved, in units of their length. */
chart chart_drive(arena *a, const trm_system *sys, const trm_state *st, const slopes *s, const int *rows,
                  int driven);
static inline int chart_size(const chart *c) { // without drives
    return c->q->count + c->v->count;
}
/* The component of z = (q, v) that deviation number i is. */
static inline int chart_place(const chart *c, int i) {
    return i < c->q->count ? c->q->independent[i] : c->n + c->v->independent[i - c->q->count];
}
void chart_deviate(const chart *c, const double *u, double *dz); // dz (2 n) = N u; u (size + 2 driven)

/* A state z (2 n) beside (q, v) on the constraints at time t, the same for the same number; as `beside` of
 * steady.h wants it. */
bool chart_beside(const chart *c, arena *a, const trm_system *sys, trm_state *st, int number, double t,
                  const double *q, const double *v, double *z);

#endif
