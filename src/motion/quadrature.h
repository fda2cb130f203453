/* Integrals of the rates of silent components over a part of an integrator's last step, on its dense output.
 * Steps are chosen for the state alone: where that is easy, as with a coordinate that is a linear function of
 * time, they are too long for one rule, and are divided. */
#ifndef TRAMMEL_MOTION_QUADRATURE_H
#define TRAMMEL_MOTION_QUADRATURE_H

#include "motion/integrator.h"

typedef struct {
    const ode *system;
    integrator *it;
    int (*interpolate)(integrator *self, double t, double *y);
    bool doubtful;               // one rule is not enough for a step
    double *y;                   // (size) workspace
    double *rates, *sum, *other; // (3 x silent), (silent), (silent) workspace
    long *evaluations;           // counted here
} quadrature;

enum { QUADRATURE_WORK = 5 }; // times silent, the workspace in one
quadrature quadrature_on(integrator *it, const ode *system,
                         int (*interpolate)(integrator *, double, double *), double *y, double *work,
                         long *evaluations);
/* w += the integrals from `from` to `to`, to about `tolerance` of the largest or of silent_size. Returns 0,
 * or what interpolate or rates_at returned. */
int quadrature_add(const quadrature *q, double from, double to, double tolerance, double *w);

#endif
