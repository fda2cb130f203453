/* Integrators of y' = f(t, y) with projection, behind one table of operations.
 *
 * Contract: an integrator advances by one accepted step at a time, never beyond `end`. After the error test
 * it lets the system project the new state (ode.project); the Runge-Kutta methods evaluate f anew there,
 * once, and that value is the first stage of the next step. Between the ends of the last step it gives the
 * state at any time (dense output, not projected). It allocates in create only. f, project and jacobian
 * return 0, > 0 for "not at this point" (the step is tried again, shorter), < 0 to end the integration: the
 * value is handed on. */
#ifndef TRAMMEL_MOTION_INTEGRATOR_H
#define TRAMMEL_MOTION_INTEGRATOR_H

#include "base/team.h"

#include <stdbool.h>

typedef struct {
    int size;
    const double *floor; // (size) an error of component i is measured by floor_i + |y_i|; NULL: 1 + |y_i|
    double unit;         // of time, in which f is of the order of y; 0: 1
    int (*f)(void *context, double t, const double *y, double *dydt);
    /* If the first half of y' is the second half of y: the second half of y' alone, in place of f where that
     * is all that a method needs. Returns as f, or INTEGRATOR_NOT_SECOND where that is not so. May be NULL.
     */
    int (*accelerate)(void *context, double t, const double *y, double *a);
    team *team;                                         // for sums of long vectors; NULL: one thread
    int (*project)(void *context, double t, double *y); // NULL: none
    /* Takes from an error e at y what projection would take from y + e; may be NULL. Returns 0 if it could.
     */
    int (*tangent)(void *context, double t, const double *y, double *e);
    /* After a step from y (with slope dydt) failed: how long after t the motion passes an instant at which f
     * is singular though the motion is smooth, if that is within `span` and near enough to be the cause; else
     * -1. May be NULL. */
    double (*singular)(void *context, double t, const double *y, const double *dydt, double span);
    /* Whether a step of a multistep method may end where f was evaluated last: not near an instant at which f
     * is singular. NULL: it may anywhere. */
    bool (*may_end)(void *context);
    /* J (size x size): df_i/dy_j, for implicit methods; NULL: they take difference quotients of f. */
    int (*jacobian)(void *context, double t, const double *y, double *J);
    /* In place of jacobian, where J is large: newton_at takes all there is at (t, y), newton_factor makes
     * ready for a gamma (false: singular), newton_solve r <- (I - gamma J)^-1 r, or something near to that.
     * NULL: there is a jacobian, or none. */
    int (*newton_at)(void *context, double t, const double *y);
    bool (*newton_factor)(void *context, double gamma);
    void (*newton_solve)(void *context, double *r);
    bool newton_near; // it is only near
    /* An implicit method's word before project: the state solves y - gamma f(t, y) = given; 0: it
     * comes from an explicit step. May be NULL. */
    void (*implicit)(void *context, double gamma);
    /* Silent components: integrals along the motion, on which nothing depends. They are stepped and
     * interpolated with the state, but are in no error norm, and change no bit of it. */
    int silent;
    const double *silent_size; // their errors may be a tolerance of this much, or of their own size
    void (*rates)(void *context, double *rates); // their derivatives where f was evaluated last
    /* The same anywhere in the last step, leaving no trace in what f does next. Returns as f. */
    int (*rates_at)(void *context, double t, const double *y, double *rates);
    void *context;
} ode;

typedef struct {
    long steps, rejected, evaluations, jacobians;
    long stiff; // accepted steps of an explicit method that were as long as stability allows
    double last_step, smallest_step;
} integrator_statistics;

enum {
    INTEGRATOR_STEP_TOO_SMALL = -1000,
    INTEGRATOR_NOT_FINITE = -1001,
    INTEGRATOR_OUTSIDE_STEP = -1002,
    INTEGRATOR_NOT_SECOND = -1003
};

typedef struct integrator integrator;

typedef struct {
    const char *name;  // "rk8"
    const char *about; // what it is, in a few words
    int order;         // the highest, where it varies
    bool implicit;     // uses ode.jacobian
    /* What the method needs and does not find, with what to do about it in *hint; NULL if it can be used. A
     * method that needs nothing has no such function. */
    const char *(*missing)(const char **hint);
    /* The integrator ends with its arena. The tolerance is relative, and absolute in units of ode.floor; > 0.
     */
    integrator *(*create)(arena *a, const ode *system, double tolerance);
    /* Begins at t, y, also in the middle of a run (after an event): statistics go on, history is forgotten.
     * The first step is chosen by the method unless step > 0. y may be what state returns. Returns 0, what f
     * returned, or INTEGRATOR_NOT_FINITE. */
    int (*start)(integrator *self, double t, const double *y, double end, double step);
    /* One accepted step towards end (the end given to start, finite and > t); the last one ends exactly
     * there, and further ones do nothing. Returns 0, or a negative code: what f or project returned,
     * INTEGRATOR_STEP_TOO_SMALL, INTEGRATOR_NOT_FINITE; then time and state stay those of the last accepted
     * step, which can no longer be interpolated. */
    int (*step)(integrator *self);
    double (*time)(const integrator *self);
    const double *(*state)(const integrator *self); // after the last step, projected
    /* State at t within the last step, at its ends the states there; may evaluate f (counted). Returns 0,
     * what f returned, INTEGRATOR_NOT_FINITE, INTEGRATOR_OUTSIDE_STEP. */
    int (*interpolate)(integrator *self, double t, double *y);
    /* The same as a polynomial: its degree, CURVE_DEGREE at most. Returns as interpolate. After it: the
     * Bernstein coefficients (degree + 1) of a component over the last step (curve.h); the derivative of all
     * by time, at t in it. */
    int (*curve)(integrator *self, int *degree);
    void (*coefficients)(const integrator *self, int i, double *c);
    void (*slope)(const integrator *self, double t, double *dydt);
    /* The silent components (ode.silent) at t within the last step, counted from the last start. Returns as
     * interpolate. */
    int (*silent)(integrator *self, double t, double *w);
    integrator_statistics (*statistics)(const integrator *self);
} integrator_ops;

extern const integrator_ops integrator_rk8, integrator_rk5, integrator_bdf, integrator_adams;

/* All of them, the default first. */
enum { INTEGRATORS = 4 };
extern const integrator_ops *const integrators[INTEGRATORS];
const integrator_ops *integrator_find(const char *name); // NULL if there is none

#endif
